import {KkError} from '../../base/errors.ts'
import {why} from '../../graph/why.ts'
import type {Reservation} from '../../kubernetes/reservations/reservation.ts'
import {type ReleaseId, releaseName} from '../../release.ts'
import {handedOver, unfinished} from '../refusals.ts'
import type {UnknownUser, Uses} from '../uses/uses.ts'

interface RefusedRemoval {
  readonly uses: Uses
  /** The releases to remove. */
  readonly releases: ReadonlySet<ReleaseId>
  /** The users that prevent it. */
  readonly users: readonly ReleaseId[]
  /** The environment that removes them. */
  readonly environment: string
}

/** Returns `KK_HAS_DEPENDENTS`, with every user, its environment and its requirement. */
export function hasDependents({uses, releases, users, environment}: RefusedRemoval): KkError {
  const lines = users.map((user) => {
    const owner = ownerText(uses, user)
    const step = [...releases].map((release) => why(uses.graph, user, release)?.[0]).find(Boolean)
    return `  ${user} (${owner}) requires ${step ? releaseName(step.to) : 'it'}`
  })
  const foreignUsers = users.filter((user) => uses.observed.get(user)?.labels?.owner !== environment)
  const names = users.map(releaseName).join(' ')
  const hint =
    foreignUsers.length === 0
      ? `remove them too with --with-dependents, or first with: kk remove ${names}`
      : `${foreignUsers.map(releaseName).join(', ')} must be removed first, by their owners: kk removes only releases of this environment`
  return new KkError(
    'KK_HAS_DEPENDENTS',
    [`${list(releases)} ${isAre(releases)} in use by:`, ...lines].join('\n'),
    {hint},
  )
}

/** Returns `KK_HAS_DEPENDENTS`, because unreadable records may use any release. */
export function mayHaveDependents(
  releases: ReadonlySet<ReleaseId>,
  unknown: readonly UnknownUser[],
): KkError {
  const lines = unknown.map(({name, reason}) => `  ${name}: ${reason}`)
  const records = unknown.length === 1 ? 'a record' : 'records'
  return new KkError(
    'KK_HAS_DEPENDENTS',
    [`${list(releases)} may be in use: ${records} on the cluster cannot be read:`, ...lines].join('\n'),
    {
      hint: `restore the record, or excuse it by name if you know that it uses nothing of this: ${unknown
        .map(({name}) => `--ignore-record ${name}`)
        .join(' ')}`,
    },
  )
}

/**
 * Returns `KK_FOREIGN`, `KK_OWNER` or `KK_HANDED_OVER` if this environment may not remove the release; else
 * undefined.
 */
export function notRemovable(uses: Uses, release: ReleaseId, environment: string): KkError | undefined {
  const labels = uses.observed.get(release)?.labels
  const owner = labels?.owner
  if (owner === environment)
    return labels?.exportedTo === undefined ? undefined : handedOver([{release, tool: labels.exportedTo}])
  if (owner === undefined) {
    return new KkError('KK_FOREIGN', `${release} was not installed by kk: kk does not change it`, {
      hint: `remove it with helm, if it is yours: helm uninstall ${releaseName(release)} -n ${release.split('/', 1)[0]}`,
    })
  }
  return new KkError(
    'KK_OWNER',
    `${release} belongs to the environment "${owner}", not to "${environment}"`,
    {hint: `remove it with the file of the environment "${owner}"`},
  )
}

const PENDING = new Set(['pending-install', 'pending-upgrade', 'pending-rollback', 'unknown'])

/**
 * Returns `KK_PENDING` while another operation works on a release, or may. A release that is half removed, or
 * that a dead run left pending, can be removed.
 */
export function stillPending(uses: Uses, release: ReleaseId): KkError | undefined {
  const {record} = uses.observed.get(release)!
  if (!PENDING.has(record.status) || record.evidence?.state === 'stale') return undefined
  return unfinished(record)
}

/**
 * Returns `KK_HAS_DEPENDENTS`: another run is about to install a dependent. `now` is milliseconds since the
 * epoch.
 */
export function reservedBy(release: ReleaseId, reservations: readonly Reservation[], now: number): KkError {
  const lines = reservations.map(({dependent, operator, deadline, name}) => {
    const time = new Date(deadline).toISOString()
    const until = deadline < now ? `overdue since ${time}` : `until ${time}`
    return `  ${dependent}, by ${operator}, ${until} (ConfigMap kk-system/${name})`
  })
  const overdue = reservations.filter(({deadline}) => deadline < now)
  const excuses = overdue.map(({name}) => `--ignore-record kk-system/${name}`).join(' ')
  return new KkError(
    'KK_HAS_DEPENDENTS',
    [`${release} is about to be used by releases that are being installed:`, ...lines].join('\n'),
    {
      hint:
        overdue.length === 0
          ? 'wait until that has ended, then run the same command again'
          : `deploy the releases that were being installed again, or excuse them if their run is dead: ${excuses}`,
    },
  )
}

function ownerText({observed}: Uses, release: ReleaseId): string {
  const owner = observed.get(release)?.labels?.owner
  return owner === undefined ? 'not installed by kk' : `environment "${owner}"`
}

function list(releases: ReadonlySet<ReleaseId>): string {
  return [...releases].join(', ')
}

function isAre({size}: ReadonlySet<ReleaseId>): string {
  return size === 1 ? 'is' : 'are'
}
