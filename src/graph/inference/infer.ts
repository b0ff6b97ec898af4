import {type Evidence, type ReleaseId, releaseName} from '../../release.ts'
import type {Requirement} from '../build.ts'
import {type Candidate, type Catalogue, catalogue} from './catalogue.ts'
import type {KnownRelease, Want, WantKind} from './facts.ts'

/** A requirement of one release on another, read from a render. */
export interface InferredRequirement {
  readonly from: ReleaseId
  readonly to: ReleaseId
  readonly kind: WantKind
  readonly evidence: Evidence
}

/** A want that no release of the environment satisfies. */
export interface UnservedWant {
  readonly release: ReleaseId
  readonly want: Want
}
export interface AmbiguousWant extends UnservedWant {
  readonly candidates: readonly Candidate[]
}

export interface Inference {
  readonly requirements: readonly InferredRequirement[]
  /** The releases of the chart index that another release requires. */
  readonly added: readonly ReleaseId[]
  readonly unserved: readonly UnservedWant[]
  readonly ambiguous: readonly AmbiguousWant[]
}

export interface InferenceInputs {
  /** The releases of the environment whose facts are known so far. */
  readonly releases: readonly KnownRelease[]
  /** The releases whose requirements are inferred; the others only provide. */
  readonly inferring: ReadonlySet<ReleaseId>
  /**
   * The available charts, as the releases that they would become. One is added if no other release provides a
   * want.
   */
  readonly chartIndex: readonly KnownRelease[]
  readonly named: ReadonlySet<ReleaseId>
  readonly stated: (release: ReleaseId) => Pick<Preferences, 'stated' | 'without'>
}

/**
 * Returns the requirements that follow from what releases want and provide. Equal inputs give equal results
 * in the same order.
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
      } else if (isMissed(want) && served.is === 'none') unserved.push({release, want})
      else if (want.kind !== 'soft' && served.is === 'ambiguous')
        ambiguous.push({release, want, candidates: served.candidates})
    }
  }
  return {requirements, added: [...added].sort(), unserved, ambiguous}
}

/**
 * Returns true if a want without a provider is an error. A host may be outside the cluster, and its name is
 * not kept.
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
  const edgeKind = ({release}: Candidate, from: Catalogue): WantKind => {
    if (want.kind === 'soft') return shared.has(release) ? 'applied' : 'soft'
    if (target.what !== 'kind' || want.kind === 'ready') return want.kind
    return from.guards(release, target.group, target.kind) ? 'ready' : want.kind
  }
  const local = chooseProvider(present.find(preferences.asker, target), preferences)
  if (local.is === 'one') return {...local, kind: edgeKind(local.candidate, present), isAdded: false}
  if (local.is !== 'none') return local

  const madeMatch = madeByJob(want, preferences, present)
  if (madeMatch) return madeMatch
  const choice = chooseProvider(offered.find(preferences.asker, target), preferences)
  if (choice.is !== 'one') return choice
  const kind = edgeKind(choice.candidate, offered)
  return kind === 'soft' ? {is: 'none'} : {...choice, kind, isAdded: true}
}

/**
 * Returns the release with a Job that receives the name of the object, if no chart contains the object: most
 * likely the Job creates it at run time.
 */
function madeByJob({target}: Want, preferences: Preferences, {madeByJobs}: Catalogue): Served | undefined {
  if (target.what !== 'object' || !['Secret', 'ConfigMap'].includes(target.kind)) return undefined
  const {kind, name} = target
  const candidates = madeByJobs(name).map((release) => ({release, object: `${kind}/${name}`, name}))
  const provider = chooseProvider(candidates, preferences)
  if (provider.is === 'settled' && candidates.length > 0) return {is: 'settled'}
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
  const origin = isMade ? ', which a Job is configured to create' : ''
  const text = `${object}${hook} ${wantText(want, candidate)}${origin}`
  return {from, to: candidate.release, kind, evidence: {source: 'inferred', file, waiter, text}}
}

/** Describes what an object needs. Hosts and links are described by the Service that they refer to. */
export function wantText({target, text}: Want, {object}: Pick<Candidate, 'object'>): string {
  return target.what === 'host' || target.what === 'link' ? `${text}: ${object}` : text
}

/** The rules that choose between several candidates. */
interface Preferences {
  readonly asker: ReleaseId
  /** The releases that the asker requires by an annotation or the environment. */
  readonly stated: ReadonlySet<ReleaseId>
  /** The releases that it never requires, whatever its chart renders. */
  readonly without: ReadonlySet<ReleaseId>
  /** The releases with a section in the environment. */
  readonly named: ReadonlySet<ReleaseId>
}

/**
 * The choice between candidates. `settled`: no other release is needed. `none` and `ambiguous` are errors
 * that the user must fix.
 */
type Provider =
  | {readonly is: 'settled' | 'none'}
  | {readonly is: 'one'; readonly candidate: Candidate}
  | {readonly is: 'ambiguous'; readonly candidates: readonly Candidate[]}

/**
 * Returns one provider out of several candidates, in order of precedence: the asker itself; releases that it
 * requires explicitly; releases that the environment names; the release of the wanted name; the one whose
 * name is the longest prefix of it.
 */
function chooseProvider(offers: readonly Candidate[], preferences: Preferences): Provider {
  const {asker, stated, without, named} = preferences
  if (offers.some(({release}) => release === asker)) return {is: 'settled'}
  const allowed = offers.filter(({release}) => !without.has(release))
  if (allowed.length === 0) return offers.length === 0 ? {is: 'none'} : {is: 'settled'}
  const candidates = prefer(prefer(allowed, stated), named)
  const candidate = candidates.length === 1 ? candidates[0] : byName(candidates)
  // All of them are already required.
  if (!candidate && candidates.every(({release}) => stated.has(release))) return {is: 'settled'}
  return candidate ? {is: 'one', candidate} : {is: 'ambiguous', candidates}
}

function prefer(candidates: readonly Candidate[], to: ReadonlySet<ReleaseId>): readonly Candidate[] {
  const preferred = candidates.filter(({release}) => to.has(release))
  return candidates.length > 1 && preferred.length > 0 ? preferred : candidates
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
 * Merges the requirements of each release with the inferred ones, without duplicates. An explicit requirement
 * keeps its kind and gets the additional evidence; soft requirements are added by `refine`.
 */
export function withInferred(
  statedRequirements: ReadonlyMap<ReleaseId, readonly Requirement[]>,
  inferred: readonly InferredRequirement[],
): ReadonlyMap<ReleaseId, readonly Requirement[]> {
  const result = new Map(
    [...statedRequirements].map(([release, requirements]) => [release, [...requirements]]),
  )
  const seen = new Set<string>()
  for (const {from, to, kind, evidence} of inferred) {
    const own = result.get(from)
    const key = [from, to, kind, evidence.file, evidence.text].join(' ')
    if (!own || kind === 'soft' || seen.has(key)) continue
    seen.add(key)
    const kinds = statedRequirements.get(from)!.filter(({release}) => release === to)
    const isReady = kinds.some((each) => each.kind === 'ready')
    const finalKind = isReady ? 'ready' : 'applied'
    own.push({release: to, kind: kinds.length === 0 ? kind : finalKind, evidence})
  }
  return result
}
