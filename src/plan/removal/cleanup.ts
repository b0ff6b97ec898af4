import {isMap} from '../../base/values.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import {type ReleaseId, releaseName} from '../../release.ts'

/**
 * The annotation of a CronJob that never runs by itself: JSON of what its release has `made` in other services, and of
 * the accounts that it has `used`. A Job of it takes away what its variable of this name says.
 */
export const CLEANUP = 'kk.openstack.org/cleanup'
export const CLEANUP_VARIABLE = 'CLEANUP'

/** Something in another service: a database, an entry in the catalogue, a user, an account. */
export interface OutsideThing {
  readonly kind: string
  readonly name: string
  /** The host of the service. */
  readonly at: string
}

/** What a release has in other services, and the CronJob that takes it away. */
export interface Cleanup {
  readonly cronJob: KubernetesObject
  readonly made: readonly OutsideThing[]
  readonly used: readonly Pick<OutsideThing, 'name' | 'at'>[]
}

/** Returns what the CronJobs among the objects of a release say; nothing for one that does not say it as it should. */
export function cleanupsIn(objects: readonly KubernetesObject[]): readonly Cleanup[] {
  return objects.flatMap((cronJob) => {
    const text = cronJob.kind === 'CronJob' ? cronJob.metadata.annotations?.[CLEANUP] : undefined
    if (text === undefined) return []
    const told = readCleanup(text)
    return told === undefined ? [] : [{cronJob, ...told}]
  })
}

function readCleanup(text: string): Pick<Cleanup, 'made' | 'used'> | undefined {
  try {
    const {made = [], used = []} = JSON.parse(text) as Readonly<Record<string, unknown>>
    const isTold = Array.isArray(made) && made.every(isThing) && Array.isArray(used) && used.every(isAccount)
    return isTold ? {made, used} : undefined
  } catch {
    return undefined
  }
}

function isThing(value: unknown): value is OutsideThing {
  return isAccount(value) && 'kind' in value && typeof value.kind === 'string'
}

function isAccount(value: unknown): value is Pick<OutsideThing, 'name' | 'at'> {
  return isMap(value) && typeof value.name === 'string' && typeof value.at === 'string'
}

/** What becomes of the things that a release has in other services when it is removed. */
export interface ReleaseCleanup {
  readonly release: ReleaseId
  readonly cronJob: KubernetesObject
  /** What the Job of it takes away. */
  readonly goes: readonly OutsideThing[]
  readonly stays: readonly StayingThing[]
}

export interface StayingThing extends OutsideThing {
  /** For people. */
  readonly why: string
}

/** What releases on the cluster have in other services, the last living revision's last. */
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
  /** Why nothing of a release can be taken away any more; undefined while it can. */
  readonly lost: (release: ReleaseId) => string | undefined
}

/**
 * Returns for each of the releases that go what it has in other services: what another release has made or uses stays,
 * and all of it if it is not wanted otherwise. What the release uses where it has made nothing is somebody else's.
 */
export function splitCleanups(
  {observed}: ObservedCleanups,
  {releases, isWanted, lost}: SplitOptions,
): readonly ReleaseCleanup[] {
  const going = new Set(releases)
  const others = [...observed.values()].filter(({release}) => !going.has(release))
  return releases.flatMap((release) => {
    const cleanup = observed.get(release)?.cleanups.at(-1)
    if (cleanup === undefined) return []
    const {cronJob, made, used} = cleanup
    const why = (thing: OutsideThing) => {
      const users = others.filter((other) => other.cleanups.some((theirs) => has(theirs, thing)))
      if (users.length > 0) return `${users.map((user) => releaseName(user.release)).join(', ')} has it, too`
      return isWanted ? lost(release) : 'it goes only with --purge'
    }
    const judged = made.map((thing) => ({thing, why: why(thing)}))
    const places = new Set(made.map(({at}) => at))
    const foreign = used.filter(({at}) => !places.has(at))
    return [
      {
        release,
        cronJob,
        goes: judged.flatMap(({thing, why}) => (why === undefined ? [thing] : [])),
        stays: [
          ...judged.flatMap(({thing, why}) => (why === undefined ? [] : [{...thing, why}])),
          ...foreign.map((account) => ({kind: 'account', ...account, why: 'the release did not make it'})),
        ],
      },
    ]
  })
}

/** Of Keystone, the database, and the message bus. */
const ACCOUNTS: ReadonlySet<string> = new Set(['user', 'account', 'bus user'])

/** Accounts are had by whoever uses them; the rest, by whoever made it. */
function has({made, used}: Cleanup, thing: OutsideThing): boolean {
  const isSame = ({name, at}: Pick<OutsideThing, 'name' | 'at'>) => name === thing.name && at === thing.at
  const isAccountOf = ACCOUNTS.has(thing.kind)
  return (
    made.some((other) => other.kind === thing.kind && isSame(other)) || (isAccountOf && used.some(isSame))
  )
}

/** Returns a thing as people are told it, and runs record it: `database heat`. */
export function thingText({kind, name}: OutsideThing): string {
  return `${kind} ${name}`
}
