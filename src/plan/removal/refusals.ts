import {KkError} from '../../base/errors.ts'
import {why} from '../../graph/why.ts'
import type {Reservation} from '../../kubernetes/reservations/reservation.ts'
import {type ReleaseId, releaseName} from '../../release.ts'
import {handedOver, unfinished} from '../refusals.ts'
import type {UnknownUser, Uses} from '../uses/uses.ts'

interface Refused {
  readonly uses: Uses
  /** What was to be removed. */
  readonly releases: ReadonlySet<ReleaseId>
  /** Who stands against it. */
  readonly users: readonly ReleaseId[]
  /** The environment that removes. */
  readonly environment: string
}

/** `KK_HAS_DEPENDENTS`, naming every user with its environment and what it requires. */
export function hasDependents({uses, releases, users, environment}: Refused): KkError {
  const lines = users.map((user) => {
    const owner = ownerText(uses, user)
    const step = [...releases].map((release) => why(uses.graph, user, release)?.[0]).find(Boolean)
    return `  ${user} (${owner}) requires ${step ? releaseName(step.to) : 'it'}`
  })
  const theirs = users.filter((user) => uses.observed.get(user)?.labels?.owner !== environment)
  const names = users.map(releaseName).join(' ')
  const hint =
    theirs.length === 0
      ? `remove them too with --with-dependents, or take them away first: kk remove ${names}`
      : `${theirs.map(releaseName).join(', ')} must go first, by whoever owns them: kk removes only releases of this environment`
  return new KkError(
    'KK_HAS_DEPENDENTS',
    [`${list(releases)} ${isAre(releases)} in use by:`, ...lines].join('\n'),
    {hint},
  )
}

/** `KK_HAS_DEPENDENTS`, for what cannot be read may use anything. */
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

/** `KK_FOREIGN`, `KK_OWNER` or `KK_HANDED_OVER` when the release is not this environment's to remove; undefined when it is. */
export function notOurs(uses: Uses, release: ReleaseId, environment: string): KkError | undefined {
  const labels = uses.observed.get(release)?.labels
  const owner = labels?.owner
  if (owner === environment)
    return labels?.exportedTo === undefined ? undefined : handedOver([{release, tool: labels.exportedTo}])
  if (owner === undefined) {
    return new KkError('KK_FOREIGN', `${release} was not installed by kk: it is left alone`, {
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

/** `KK_PENDING` while another operation works on a release, or may; what is half removed, or left pending by a run that is dead, can be removed. */
export function stillPending(uses: Uses, release: ReleaseId): KkError | undefined {
  const {record} = uses.observed.get(release)!
  if (!PENDING.has(record.status) || record.evidence?.state === 'stale') return undefined
  return unfinished(record)
}

/** `KK_HAS_DEPENDENTS`: somebody is about to install what requires the release. `now` is milliseconds since the epoch. */
export function intended(release: ReleaseId, reservations: readonly Reservation[], now: number): KkError {
  const lines = reservations.map(({dependent, operator, deadline, name}) => {
    const time = new Date(deadline).toISOString()
    const until = deadline < now ? `overdue since ${time}` : `until ${time}`
    return `  ${dependent}, by ${operator}, ${until} (ConfigMap kk-system/${name})`
  })
  const overdue = reservations.filter(({deadline}) => deadline < now)
  const excuses = overdue.map(({name}) => `--ignore-record kk-system/${name}`).join(' ')
  return new KkError(
    'KK_HAS_DEPENDENTS',
    [`${release} is about to be used by what is being installed:`, ...lines].join('\n'),
    {
      hint:
        overdue.length === 0
          ? 'wait until that has ended, then look again'
          : `deploy what was being installed again, or excuse it if its run is dead: ${excuses}`,
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
