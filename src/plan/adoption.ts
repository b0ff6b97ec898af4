import {KkError} from '../base/errors.ts'
import type {Graph} from '../graph/graph.ts'
import type {ReleaseRecord, StoredRelease} from '../kubernetes/records/release-record.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../release.ts'
import type {DesiredRelease} from './desired.ts'
import {readLabels} from './labels.ts'
import type {ObservedRecord} from './pending/evidence.ts'
import {notInstalled, unfinished} from './refusals.ts'
import {usesOf} from './uses/uses.ts'

/**
 * Returns the record of a release that may be adopted, and whether this environment owns it already: a
 * release that was handed over to another tool is taken back. `from` is the environment that hands it over;
 * undefined for a release that kk did not install. Throws `KK_NOT_INSTALLED` without a record, `KK_OWNER` or
 * `KK_FOREIGN` if the owner is not `from`, and `KK_PENDING` while an operation on the release is unfinished.
 */
export function adoptable(
  {release, owner}: Pick<DesiredRelease, 'release' | 'owner'>,
  record: ObservedRecord | undefined,
  from?: string,
): {readonly record: ReleaseRecord; readonly isOurs: boolean} {
  if (!record) throw notInstalled(release, 'there is nothing to adopt')
  const labels = readLabels(record.labels)
  const isOurs = labels?.owner === owner
  if (isOurs && labels.exportedTo === undefined) return {record, isOurs}
  if (!isOurs && labels?.owner !== from)
    throw labels ? ownedElsewhere(record, labels.owner) : notOwned(record, from!)
  const refusal = unfinished(record)
  if (refusal) throw new KkError('KK_PENDING', refusal.message, {hint: pendingHint(record)})
  return {record, isOurs: false}
}

/**
 * Returns true if this graph has every release that an environment has on the cluster, so that it was
 * renamed.
 */
export function hasAllOf(
  owner: string,
  {requirements}: Pick<Graph, 'requirements'>,
  records: readonly ReleaseRecord[],
): boolean {
  return records.every(
    ({release, labels}) => readLabels(labels)?.owner !== owner || requirements.has(release),
  )
}

/** A release of another environment that directly requires an adopted one. */
export interface OtherUser {
  readonly release: ReleaseId
  /** The environment that owns it; undefined if kk did not install it. */
  readonly owner: string | undefined
}

/** Returns for each adopted release its users that are neither adopted nor owned by the environment. */
export function otherUsers(
  adopted: ReadonlySet<ReleaseId>,
  revisions: readonly ObservedRecord[],
  environment: string,
): ReadonlyMap<ReleaseId, readonly OtherUser[]> {
  const {graph, observed} = usesOf({revisions})
  const users = [...observed.values()]
    .map(({release, labels}) => ({release, owner: labels?.owner}))
    .filter(({release, owner}) => !adopted.has(release) && owner !== environment)
  const isUser = (user: ReleaseId, of: ReleaseId) => graph.requirements.get(user)!.some(({to}) => to === of)
  return new Map(
    [...adopted].map((release) => [release, users.filter((user) => isUser(user.release, release))]),
  )
}

/**
 * Throws `KK_OWNER` if a protected release that others keep using was not named: its ownership changes only
 * by name.
 */
export function expectNamed(
  owned: readonly {
    readonly release: ReleaseId
    readonly isProtected: boolean
    readonly users: readonly OtherUser[]
  }[],
  from: string,
): void {
  const shared = owned.filter(({isProtected, users}) => isProtected && users.length > 0)
  if (shared.length === 0) return
  const lines = shared.map(({release, users}) => `  ${release}, used by ${usersText(users)}`)
  const names = owned.map(({release}) => releaseName(release)).join(' ')
  const message = ['protected, and used by releases that are not handed over:', ...lines].join('\n')
  throw new KkError('KK_OWNER', message, {
    hint: `name the releases whose owner should change: kk adopt ${names} --former-owner ${from}`,
  })
}

/** Formats users as a string: `openstack/glance ("infra")`. */
export function usersText(users: readonly OtherUser[]): string {
  return users
    .map(({release, owner}) => `${release} (${owner === undefined ? 'not installed by kk' : `"${owner}"`})`)
    .join(', ')
}

/**
 * Throws `KK_OTHER_CHART` if the record has another chart: an upgrade would replace every object of the
 * release.
 */
export function expectSameChart(
  {release, chart}: Pick<DesiredRelease, 'release' | 'chart'>,
  stored: Pick<StoredRelease, 'chart' | 'revision'>,
): void {
  if (stored.chart.name === chart.name) return
  throw new KkError(
    'KK_OTHER_CHART',
    `${release} (revision ${stored.revision}) was installed from the chart ${stored.chart.name}, but the file wants ${chart.name}`,
    {
      hint: `give ${releaseName(release)} its chart in the file (kk.releases.${releaseName(release)}.chart), or another name`,
    },
  )
}

/** Returns `KK_UNKNOWN_RELEASE`: the file requires the release, but has no inputs for it to compare. */
export function usedWithoutChart(release: DesiredRelease['release'], file: string): KkError {
  return new KkError('KK_UNKNOWN_RELEASE', `${file} only uses ${release}, and has no chart for it`, {
    hint: 'adopt it with the file that should own it',
  })
}

function ownedElsewhere({release}: ReleaseRecord, owner: string): KkError {
  return new KkError('KK_OWNER', `${release} belongs to the environment "${owner}" and cannot be adopted`, {
    hint: `change it with the file of the environment "${owner}"; releases that require it here use it as it is; to hand it over to this environment: kk adopt ${releaseName(release)} --former-owner ${owner}`,
  })
}

/** Returns `KK_FOREIGN`: no environment can hand over a release that kk did not install. */
function notOwned({release}: ReleaseRecord, from: string): KkError {
  return new KkError(
    'KK_FOREIGN',
    `${release} does not belong to the environment "${from}": kk did not install it`,
    {hint: `take it over without --former-owner: kk adopt ${releaseName(release)}`},
  )
}

/**
 * Returns a hint that names helm's commands, because `kk unlock` works only on releases that kk installed.
 */
function pendingHint({release, status}: ReleaseRecord): string {
  const [name, at] = [releaseName(release), releaseNamespace(release)]
  if (status === 'uninstalled')
    return `only its history is left: kk deploy installs it again once "helm uninstall ${name} -n ${at}" has removed that`
  return `wait if helm works on it; otherwise bring it to a known state: helm rollback ${name} -n ${at}`
}
