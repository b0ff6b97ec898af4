import {type ReleaseId, releaseName} from '../../release.ts'
import type {Candidate} from './catalogue.ts'

/** What decides between several that could provide something. */
export interface Preferences {
  readonly asker: ReleaseId
  /** What the asker's annotation or the environment says that it requires. */
  readonly stated: ReadonlySet<ReleaseId>
  /** What it does not require, whatever it looks like. */
  readonly without: ReadonlySet<ReleaseId>
  /** Releases that the environment names, in a section. */
  readonly named: ReadonlySet<ReleaseId>
}

/** `settled`: nobody else is needed. `nobody` and `ambiguous` are for people to mend. */
export type Provider =
  | {readonly is: 'settled' | 'nobody'}
  | {readonly is: 'one'; readonly candidate: Candidate}
  | {readonly is: 'ambiguous'; readonly candidates: readonly Candidate[]}

/**
 * One provider out of several: the asker itself; what it is said to require; what the environment names; the release of
 * the wanted name; the one whose name is the longest beginning of it.
 */
export function providerOf(found: readonly Candidate[], preferences: Preferences): Provider {
  const {asker, stated, without, named} = preferences
  if (found.some(({release}) => release === asker)) return {is: 'settled'}
  const allowed = found.filter(({release}) => !without.has(release))
  if (allowed.length === 0) return found.length === 0 ? {is: 'nobody'} : {is: 'settled'}
  const candidates = narrowed(narrowed(allowed, stated), named)
  const candidate = candidates.length === 1 ? candidates[0] : byName(candidates)
  // All of them are required anyway.
  if (!candidate && candidates.every(({release}) => stated.has(release))) return {is: 'settled'}
  return candidate ? {is: 'one', candidate} : {is: 'ambiguous', candidates}
}

function narrowed(candidates: readonly Candidate[], to: ReadonlySet<ReleaseId>): readonly Candidate[] {
  const left = candidates.filter(({release}) => to.has(release))
  return candidates.length > 1 && left.length > 0 ? left : candidates
}

function byName(candidates: readonly Candidate[]): Candidate | undefined {
  const same = candidates.filter(({release, name}) => releaseName(release) === name)
  if (same.length === 1) return same[0]
  const beginning = candidates
    .filter(({release, name}) => name.startsWith(`${releaseName(release)}-`))
    .toSorted((a, b) => releaseName(b.release).length - releaseName(a.release).length)
  const [longest, next] = beginning
  const isTie = longest && next && releaseName(longest.release).length === releaseName(next.release).length
  return isTie ? undefined : longest
}
