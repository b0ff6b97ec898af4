import {isMap} from '../../base/values.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import {type ReleaseId, releaseName} from '../../release.ts'

/**
 * The annotation of a CronJob that never runs on schedule: JSON with the resources that its release has
 * `made` in other services, and the accounts that it has `used`. A Job made from it deletes the resources
 * that its variable `CLEANUP` lists.
 */
export const CLEANUP = 'kk.openstack.org/cleanup'
export const CLEANUP_VARIABLE = 'CLEANUP'

/** A resource in another service: a database, an entry in the catalogue, a user, an account. */
export interface ExternalResource {
  readonly kind: string
  readonly name: string
  /** The host of the service. */
  readonly at: string
}

/** The resources of a release in other services, and the CronJob that deletes them. */
export interface Cleanup {
  readonly cronJob: KubernetesObject
  readonly made: readonly ExternalResource[]
  readonly used: readonly Pick<ExternalResource, 'name' | 'at'>[]
}

/**
 * Returns the cleanups that the CronJobs among the objects of a release declare; invalid declarations are
 * skipped.
 */
export function cleanupsIn(objects: readonly KubernetesObject[]): readonly Cleanup[] {
  return objects.flatMap((cronJob) => {
    const text = cronJob.kind === 'CronJob' ? cronJob.metadata.annotations?.[CLEANUP] : undefined
    if (text === undefined) return []
    const cleanup = readCleanup(text)
    return cleanup === undefined ? [] : [{cronJob, ...cleanup}]
  })
}

function readCleanup(text: string): Pick<Cleanup, 'made' | 'used'> | undefined {
  try {
    const {made = [], used = []} = JSON.parse(text) as Readonly<Record<string, unknown>>
    const isValid = Array.isArray(made) && made.every(isThing) && Array.isArray(used) && used.every(isAccount)
    return isValid ? {made, used} : undefined
  } catch {
    return undefined
  }
}

function isThing(value: unknown): value is ExternalResource {
  return isAccount(value) && 'kind' in value && typeof value.kind === 'string'
}

function isAccount(value: unknown): value is Pick<ExternalResource, 'name' | 'at'> {
  return isMap(value) && typeof value.name === 'string' && typeof value.at === 'string'
}

/** The effect of removing a release on its resources in other services. */
export interface ReleaseCleanup {
  readonly release: ReleaseId
  readonly cronJob: KubernetesObject
  /** The resources that its Job deletes. */
  readonly deleted: readonly ExternalResource[]
  readonly stays: readonly RemainingResource[]
}

export interface RemainingResource extends ExternalResource {
  /** For people. */
  readonly why: string
}

/** The cleanups of the releases on the cluster; the one of the last live revision comes last. */
interface ObservedCleanups {
  readonly observed: ReadonlyMap<
    ReleaseId,
    {readonly release: ReleaseId; readonly cleanups: readonly Cleanup[]}
  >
}

interface SplitOptions {
  readonly releases: readonly ReleaseId[]
  /** `--purge`. */
  readonly isWanted: boolean
  /** Returns why the resources of a release can no longer be deleted; undefined while they can. */
  readonly lost: (release: ReleaseId) => string | undefined
}

/**
 * Returns, for each release to remove, its resources in other services. Resources that another release has
 * made or uses stay; without `isWanted`, all of them stay. Resources in a service in which the release has
 * made nothing belong to another owner.
 */
export function splitCleanups(
  {observed}: ObservedCleanups,
  {releases, isWanted, lost}: SplitOptions,
): readonly ReleaseCleanup[] {
  const removing = new Set(releases)
  const remaining = [...observed.values()].filter(({release}) => !removing.has(release))
  return releases.flatMap((release) => {
    const cleanup = observed.get(release)?.cleanups.at(-1)
    if (cleanup === undefined) return []
    const {cronJob, made, used} = cleanup
    const why = (thing: ExternalResource) => {
      const users = remaining.filter((other) => other.cleanups.some((theirs) => has(theirs, thing)))
      if (users.length > 0) return `${users.map((user) => releaseName(user.release)).join(', ')} has it, too`
      return isWanted ? lost(release) : 'it is deleted only with --purge'
    }
    const decided = made.map((thing) => ({thing, why: why(thing)}))
    const hosts = new Set(made.map(({at}) => at))
    const foreign = used.filter(({at}) => !hosts.has(at))
    return [
      {
        release,
        cronJob,
        deleted: decided.flatMap(({thing, why}) => (why === undefined ? [thing] : [])),
        stays: [
          ...decided.flatMap(({thing, why}) => (why === undefined ? [] : [{...thing, why}])),
          ...foreign.map((account) => ({kind: 'account', ...account, why: 'the release did not make it'})),
        ],
      },
    ]
  })
}

/** The kinds of accounts: of Keystone, the database, and the message bus. */
const ACCOUNTS: ReadonlySet<string> = new Set(['user', 'account', 'bus user'])

/**
 * Returns true if a release has a resource: accounts belong to every release that uses them, the rest to its
 * maker.
 */
function has({made, used}: Cleanup, thing: ExternalResource): boolean {
  const isSame = ({name, at}: Pick<ExternalResource, 'name' | 'at'>) => name === thing.name && at === thing.at
  const isAccountKind = ACCOUNTS.has(thing.kind)
  return (
    made.some((other) => other.kind === thing.kind && isSame(other)) || (isAccountKind && used.some(isSame))
  )
}

/** Formats a resource for messages and records of runs: `database heat`. */
export function resourceText({kind, name}: ExternalResource): string {
  return `${kind} ${name}`
}
