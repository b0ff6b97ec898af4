import {type Evidence, type ReleaseId, releaseName} from '../../release.ts'
import type {Requirement} from '../build.ts'
import {type Candidate, type Catalogue, catalogue} from './catalogue.ts'
import type {KnownRelease, Want, WantKind} from './facts.ts'

/** A statement, read from a render, that a release requires another. */
export interface InferredRequirement {
  readonly from: ReleaseId
  readonly to: ReleaseId
  readonly kind: WantKind
  readonly evidence: Evidence
}

/** A want that no release of the environment serves. */
export interface UnservedWant {
  readonly release: ReleaseId
  readonly want: Want
}
export interface AmbiguousWant extends UnservedWant {
  readonly candidates: readonly Candidate[]
}

export interface Inference {
  readonly requirements: readonly InferredRequirement[]
  /** The releases of the chart index that something requires. */
  readonly added: readonly ReleaseId[]
  readonly unserved: readonly UnservedWant[]
  readonly ambiguous: readonly AmbiguousWant[]
}

export interface InferenceInputs {
  /** The releases of the environment, as far as they are known. */
  readonly releases: readonly KnownRelease[]
  /** The releases whose requirements are inferred; the others only provide. */
  readonly inferring: ReadonlySet<ReleaseId>
  /**
   * The charts that were found, as the releases that they would be. One is added when no other release provides what is
   * wanted.
   */
  readonly chartIndex: readonly KnownRelease[]
  readonly named: ReadonlySet<ReleaseId>
  readonly stated: (release: ReleaseId) => Pick<Preferences, 'stated' | 'without'>
}

/**
 * Returns the requirements that follow from the wants of releases and from what releases provide. Equal inputs give
 * equal results in the same order.
 */
export function infer({releases, inferring, chartIndex, named, stated}: InferenceInputs): Inference {
  const present = catalogue(releases)
  const offered = catalogue(chartIndex)
  const shared = new Set(
    [...releases, ...chartIndex].filter((each) => each.shared).map(({release}) => release),
  )
  const requirements: InferredRequirement[] = []
  const added = new Set<ReleaseId>()
  const unserved: UnservedWant[] = []
  const ambiguous: AmbiguousWant[] = []
  for (const {release, facts} of releases) {
    if (!inferring.has(release)) continue
    const preferences = {asker: release, named, ...stated(release)}
    for (const want of facts.wants) {
      const served = serve(want, preferences, {present, offered, shared})
      if (served.is === 'one') {
        requirements.push(requirement(release, want, served))
        if (served.isAdded) added.add(served.candidate.release)
      } else if (isMissed(want) && served.is === 'nobody') unserved.push({release, want})
      else if (want.kind !== 'soft' && served.is === 'ambiguous')
        ambiguous.push({release, want, candidates: served.candidates})
    }
  }
  return {requirements, added: [...added].sort(), unserved, ambiguous}
}

/**
 * Returns true where a want without a provider is a fault. A host may lie outside the cluster, and its name is not
 * kept.
 */
function isMissed({kind, target}: Want): boolean {
  return kind !== 'soft' && target.what !== 'host'
}

interface Sources {
  readonly present: Catalogue
  readonly offered: Catalogue
  readonly shared: ReadonlySet<ReleaseId>
}

type Served =
  | Exclude<Provider, {is: 'one'}>
  | {
      readonly is: 'one'
      readonly candidate: Candidate
      readonly kind: WantKind
      readonly isAdded: boolean
      readonly isMade?: true
    }

function serve(want: Want, preferences: Preferences, {present, offered, shared}: Sources): Served {
  const {target} = want
  const kindOf = ({release}: Candidate, from: Catalogue): WantKind => {
    if (want.kind === 'soft') return shared.has(release) ? 'applied' : 'soft'
    if (target.what !== 'kind' || want.kind === 'ready') return want.kind
    return from.guards(release, target.group, target.kind) ? 'ready' : want.kind
  }
  const here = providerOf(present.find(preferences.asker, target), preferences)
  if (here.is === 'one') return {...here, kind: kindOf(here.candidate, present), isAdded: false}
  if (here.is !== 'nobody') return here

  const made = madeByJob(want, preferences, present)
  if (made) return made
  const there = providerOf(offered.find(preferences.asker, target), preferences)
  if (there.is !== 'one') return there
  const kind = kindOf(there.candidate, offered)
  return kind === 'soft' ? {is: 'nobody'} : {...there, kind, isAdded: true}
}

/**
 * Returns the release with a Job that receives the name of the object, where no chart has the object: most likely the
 * Job makes it when it runs.
 */
function madeByJob({target}: Want, preferences: Preferences, {madeByJobs}: Catalogue): Served | undefined {
  if (target.what !== 'object' || !['Secret', 'ConfigMap'].includes(target.kind)) return undefined
  const {kind, name} = target
  const found = madeByJobs(name).map((release) => ({release, object: `${kind}/${name}`, name}))
  const provider = providerOf(found, preferences)
  if (provider.is === 'settled' && found.length > 0) return {is: 'settled'}
  if (provider.is !== 'one') return undefined
  return {is: 'one', candidate: provider.candidate, kind: 'soft', isAdded: false, isMade: true}
}

function requirement(
  from: ReleaseId,
  want: Want,
  {candidate, kind, isMade}: Extract<Served, {is: 'one'}>,
): InferredRequirement {
  const {object, waiter, file} = want
  const hook = waiter === 'hook' ? ' (hook)' : ''
  const made = isMade ? ', which a Job is told to make' : ''
  const text = `${object}${hook} ${wantText(want, candidate)}${made}`
  return {from, to: candidate.release, kind, evidence: {source: 'inferred', file, waiter, text}}
}

/** Returns the text of what an object needs. A host and a link are described by the Service that was found for them. */
export function wantText({target, text}: Want, {object}: Pick<Candidate, 'object'>): string {
  return target.what === 'host' || target.what === 'link' ? `${text}: ${object}` : text
}

/** The rules that choose between several candidates. */
interface Preferences {
  readonly asker: ReleaseId
  /** The releases that the asker requires by its annotation or by the environment. */
  readonly stated: ReadonlySet<ReleaseId>
  /** The releases that it never requires, whatever its chart renders. */
  readonly without: ReadonlySet<ReleaseId>
  /** The releases that the environment names in a section. */
  readonly named: ReadonlySet<ReleaseId>
}

/**
 * The choice between candidates. `settled`: no other release is needed. `nobody` and `ambiguous` are for the user to
 * mend.
 */
type Provider =
  | {readonly is: 'settled' | 'nobody'}
  | {readonly is: 'one'; readonly candidate: Candidate}
  | {readonly is: 'ambiguous'; readonly candidates: readonly Candidate[]}

/**
 * Returns one provider out of several candidates. The asker itself comes first; then the releases that it is stated to
 * require; then those that the environment names; then the release of the wanted name; then the one whose name is the
 * longest beginning of it.
 */
function providerOf(found: readonly Candidate[], preferences: Preferences): Provider {
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

/**
 * Returns the requirements of each release together with the inferred ones, without repetition. A stated requirement
 * keeps its kind and gets the evidence; soft requirements are left to `refine`.
 */
export function withInferred(
  stated: ReadonlyMap<ReleaseId, readonly Requirement[]>,
  inferred: readonly InferredRequirement[],
): ReadonlyMap<ReleaseId, readonly Requirement[]> {
  const result = new Map([...stated].map(([release, requirements]) => [release, [...requirements]]))
  const seen = new Set<string>()
  for (const {from, to, kind, evidence} of inferred) {
    const own = result.get(from)
    const key = [from, to, kind, evidence.file, evidence.text].join(' ')
    if (!own || kind === 'soft' || seen.has(key)) continue
    seen.add(key)
    const kinds = stated.get(from)!.filter(({release}) => release === to)
    const isReady = kinds.some((each) => each.kind === 'ready')
    const settled = isReady ? 'ready' : 'applied'
    own.push({release: to, kind: kinds.length === 0 ? kind : settled, evidence})
  }
  return result
}
