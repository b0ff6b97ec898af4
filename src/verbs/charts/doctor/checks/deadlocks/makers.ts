import {providedBy} from '../../../../../charts/manifests/provided-by.ts'
import type {RenderedObject} from '../../../../../charts/manifests/rendered-objects.ts'
import {catalogue} from '../../../../../graph/inference/catalogue.ts'
import type {Want} from '../../../../../graph/inference/facts.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../../../../../release.ts'

/** An object and the release that makes it. */
export interface Owned extends RenderedObject {
  readonly release: ReleaseId
}

/** For what a release wants, the objects that could be meant, by their places among these. */
export function makersAmong(objects: readonly Owned[]): (asker: ReleaseId, want: Want) => readonly number[] {
  // Each object stands in the catalogue as a release of its own, in the namespace of the one that makes it.
  const known = catalogue(
    objects.map((each, place) => {
      const namespace = releaseNamespace(each.release)
      const facts = {wants: [], provided: providedBy([each], namespace)}
      return {release: `${namespace}/${place}` as const, shared: false, facts}
    }),
  )
  return (asker, {target}) => {
    const places = known.find(asker, target).map(({release}) => Number(releaseName(release)))
    // Definitions are no matter of waiting.
    return target.what === 'kind' ? places.filter((at) => objects[at]!.object.kind === target.kind) : places
  }
}
