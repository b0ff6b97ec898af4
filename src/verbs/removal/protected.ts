import type {Environment} from '../../environment/environment.ts'
import type {Uses} from '../../plan/uses/uses.ts'
import {type ReleaseId, releaseName} from '../../release.ts'

/** Whether a release is protected: when the cluster says so, or the file, for the one may not know of the other yet. */
export function isProtectedIn(
  {observed}: Uses,
  {releases}: Pick<Environment, 'releases'>,
): (release: ReleaseId) => boolean {
  return (release) =>
    observed.get(release)?.protected === true || releases.get(releaseName(release))?.protected === true
}
