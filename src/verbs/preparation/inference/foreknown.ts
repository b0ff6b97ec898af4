import type {RenderedObject} from '../../../cluster/manifest.ts'
import type {ChartFacts} from '../../../graph/inference/facts.ts'
import type {Layer} from '../../../overrides/layer.ts'
import {digest, layerDigests} from '../../../plan/digest.ts'
import type {ReleaseId} from '../../../release.ts'

/** A release that was rendered to infer what it requires, now or, with the same inputs, before. */
export interface Foreknown {
  /** Of the layers that it was rendered with. */
  readonly layers: string
  /** What was rendered; undefined where that was before. */
  readonly rendered: readonly RenderedObject[] | undefined
  readonly facts: ChartFacts
}

export type ForeknownReleases = ReadonlyMap<ReleaseId, Foreknown>

export function layersKey(layers: readonly Layer[]): string {
  return digest(layerDigests(layers))
}
