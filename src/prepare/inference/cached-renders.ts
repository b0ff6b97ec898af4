import type {ChartFacts} from '../../graph/inference/facts.ts'
import type {RenderedObject} from '../../kubernetes/manifest/manifest.ts'
import type {Layer} from '../../overrides/layer.ts'
import {digest, layerDigests} from '../../plan/digest.ts'
import type {ReleaseId} from '../../release.ts'

/** A release that was rendered to infer its requirements, now or earlier with the same inputs. */
export interface CachedRender {
  /** The digest of the layers that it was rendered with. */
  readonly layers: string
  /** The rendered objects; undefined if it was rendered earlier. */
  readonly rendered: readonly RenderedObject[] | undefined
  readonly facts: ChartFacts
}

export type CachedRenders = ReadonlyMap<ReleaseId, CachedRender>

export function layersKey(layers: readonly Layer[]): string {
  return digest(layerDigests(layers))
}
