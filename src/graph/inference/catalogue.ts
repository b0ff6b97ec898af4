import {type ReleaseId, releaseNamespace} from '../../release.ts'
import {type KnownRelease, type Provided, type Target, wordDigest} from './facts.ts'

/** A release that provides an object, such as `Service/mariadb`. */
export interface Candidate {
  readonly release: ReleaseId
  readonly object: string
  /** The name of the object, which may contain the name of the release. */
  readonly name: string
}

/** The objects that releases provide, to look up the wants of other releases. */
export interface Catalogue {
  /** Returns the candidates for a target, each release once, in the order of the releases. */
  find(asker: ReleaseId, target: Target): readonly Candidate[]
  /** Returns the releases with a Job that may create the named object at run time. */
  madeByJobs(name: string): readonly ReleaseId[]
  /** Returns true if a fail-closed webhook of the release must admit objects of the kind. */
  guards(release: ReleaseId, group: string, kind: string): boolean
}

const CLUSTER_WIDE = new Set(['PriorityClass', 'RuntimeClass', 'StorageClass', 'IngressClass'])

/** Returns the catalogue of the objects that releases provide. */
export function catalogue(releases: readonly KnownRelease[]): Catalogue {
  const byKey = new Map<string, Map<ReleaseId, Candidate>>()
  const releasesByJob = new Map<string, ReleaseId[]>()
  const providedBy = new Map<ReleaseId, Provided>()
  const add = (key: string, candidate: Candidate) => {
    const candidates = byKey.get(key) ?? new Map<ReleaseId, Candidate>()
    if (!candidates.has(candidate.release)) candidates.set(candidate.release, candidate)
    byKey.set(key, candidates)
  }
  for (const {release, facts} of releases) {
    const {provided} = facts
    providedBy.set(release, provided)
    for (const digest of provided.madeByJobs)
      releasesByJob.set(digest, [...(releasesByJob.get(digest) ?? []), release])
    for (const {key, ...candidate} of listCandidates(release, provided)) add(key, {release, ...candidate})
  }
  return {
    find(asker, target) {
      if (target.what === 'pods') return matchingPods(releases, asker, target)
      // A release that creates the named object takes precedence over one that only defines its kind.
      const matches = targetKeys(asker, target).map((key) => [...(byKey.get(key)?.values() ?? [])])
      return matches.find((each) => each.length > 0) ?? []
    },
    madeByJobs: (name) => releasesByJob.get(wordDigest(name)) ?? [],
    guards(release, group, kind) {
      const {guarded = [], kinds = []} = providedBy.get(release) ?? {}
      const plural = kinds.find((each) => each.group === group && each.kind === kind)?.plural
      return guarded.some(
        (rule) => [group, '*'].includes(rule.group) && ['*', plural].includes(rule.resource.split('/')[0]),
      )
    },
  }
}

type Keyed = Omit<Candidate, 'release'> & {readonly key: string}

function listCandidates(release: ReleaseId, {objects, kinds}: Provided): readonly Keyed[] {
  const own = releaseNamespace(release)
  const rendered = objects.flatMap(({kind, name, namespace = own, ports = []}): Keyed[] => {
    const self = {object: `${kind}/${name}`, name}
    const object = {...self, key: objectKey(kind, name, namespace)}
    if (kind !== 'Service') return [object]
    const hosts = [name, ...ports.map((port) => `${name}:${port}`)].map(
      (host) => `here/${namespace}/${wordDigest(host)}`,
    )
    const qualifiedHosts = [`${name}.${namespace}`, ...ports.map((port) => `${name}.${namespace}:${port}`)]
    return [
      object,
      {...self, key: `link/${namespace}/${name.toUpperCase().replaceAll('-', '_')}`},
      ...hosts.map((key) => ({...self, key})),
      ...qualifiedHosts.map((host) => ({...self, key: `host/${wordDigest(host)}`})),
    ]
  })
  const definitions = kinds.map(({group, kind}) => ({
    object: `CustomResourceDefinition of ${kind}.${group}`,
    name: kind.toLowerCase(),
    key: `kind/${group}/${kind}`,
  }))
  return [...rendered, ...definitions]
}

function targetKeys(asker: ReleaseId, target: Exclude<Target, {what: 'pods'}>): readonly string[] {
  const own = releaseNamespace(asker)
  if (target.what === 'kind') {
    const {group, kind, name, namespace = own} = target
    return [...(name === undefined ? [] : [objectKey(kind, name, namespace)]), `kind/${group}/${kind}`]
  }
  if (target.what === 'link') return [`link/${own}/${target.variable}`]
  if (target.what === 'host') return [`here/${own}/${target.digest}`, `host/${target.digest}`]
  return [objectKey(target.kind, target.name, target.namespace ?? own)]
}

function objectKey(kind: string, name: string, namespace: string): string {
  return `${kind}/${CLUSTER_WIDE.has(kind) ? '' : namespace}/${name}`
}

function matchingPods(
  releases: readonly KnownRelease[],
  asker: ReleaseId,
  {labels, namespace = releaseNamespace(asker)}: Extract<Target, {what: 'pods'}>,
): readonly Candidate[] {
  const wanted = Object.entries(labels)
  return releases.flatMap(({release, facts}) => {
    const own = releaseNamespace(release)
    const isMatch = facts.provided.pods.some(
      (pod) =>
        (pod.namespace ?? own) === namespace && wanted.every(([key, value]) => pod.labels[key] === value),
    )
    const [name = ''] = Object.values(labels)
    return isMatch ? [{release, object: `pods ${wanted.map((pair) => pair.join('=')).join(',')}`, name}] : []
  })
}
