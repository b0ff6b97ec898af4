import type {Allowance} from '../../base/allowance.ts'
import {asKkError} from '../../base/errors.ts'
import {mapParallel} from '../../base/parallel.ts'
import {type Leftover, type LeftoversReader, leftoversReader} from '../../doctor/leftovers/leftovers.ts'
import type {Graph} from '../../graph/graph.ts'
import {redactHealth} from '../../kubernetes/gate/cause.ts'
import {type Health, passes} from '../../kubernetes/gate/health.ts'
import type {HealthChecks} from '../../kubernetes/gate/health-checks.ts'
import type {Leases} from '../../kubernetes/lease/leases.ts'
import type {LeaseView} from '../../kubernetes/lease/view.ts'
import {objectName, parseManifest} from '../../kubernetes/manifest/manifest.ts'
import type {LiveObjects} from '../../kubernetes/objects/live-objects.ts'
import {lastRevisions} from '../../kubernetes/records/record.ts'
import type {Records} from '../../kubernetes/records/records.ts'
import type {ReleaseRecord} from '../../kubernetes/records/release-record.ts'
import type {RunRecords} from '../../kubernetes/records/runs.ts'
import {ownersOf, readLabels} from '../../plan/labels.ts'
import {type UnknownUser, usesOf} from '../../plan/uses/uses.ts'
import {observedRecords} from '../../prepare/observed-records.ts'
import {namedReleases} from '../../prepare/prepare.ts'
import {
  type FactsReader,
  factsIn,
  factsReader,
  recordVersion,
  selectLiveRevisions,
} from '../../prepare/uses-reader.ts'
import {visibleRevisions} from '../../prepare/visible-revisions.ts'
import {type Redact, redactor} from '../../redact/redact.ts'
import {isNamed, type ReleaseId, releaseName, releaseNamespace} from '../../release.ts'
import {lastUserTest, recordedTests} from './last-test.ts'
import {noSuchOwner} from './no-such-owner.ts'
import {releasesOnCluster} from './release-on-cluster.ts'
import type {ReleaseStatus, StatusReport} from './release-status.ts'
import {type Payload, releaseStatus, type StatusSnapshot, type StatusSubject} from './status-row.ts'

type StatusPorts = {
  readonly records: Records
  readonly runs: RunRecords
  readonly live: LiveObjects
  readonly health: HealthChecks
  readonly leases: Leases
}

const NO_GRAPH: Graph = {releases: [], requirements: new Map()}

/**
 * Returns a reader of the state of every release of an environment, and of those that its file no longer
 * names, in the order of the graph. Each record is downloaded once, however often the reader is called. Apart
 * from that, a call costs two lists, one list for each kind of object in each namespace, and reads of objects
 * that only failed revisions made, if there are any. Throws `KK_UNKNOWN_RELEASE`, `KK_USAGE`.
 */
export function statusReader(subject: StatusSubject, cluster: StatusPorts): () => Promise<StatusReport> {
  const graph = subject.prepared?.graph ?? NO_GRAPH
  // Without a file, the namespaces are read from the records of the owner's runs.
  const sought = subject.prepared ? {releases: graph.releases} : {owner: subject.owner}
  const payloadByVersion = new Map<string, Payload>()
  const readLeftovers = leftoversReader(cluster)
  const readFacts = factsReader(cluster)
  const readPayload = async (record: ReleaseRecord): Promise<Payload> => {
    const payload = payloadByVersion.get(recordVersion(record)) ?? (await loadPayload(cluster, record))
    payloadByVersion.set(recordVersion(record), payload)
    return payload
  }
  const readUses: FactsReader = async (records) => {
    const own = (record: ReleaseRecord) => {
      const payload = payloadByVersion.get(recordVersion(record))
      return payload && 'facts' in payload ? payload.facts : undefined
    }
    const otherFacts = await readFacts(records.filter((record) => !own(record)))
    return (record) => own(record) ?? otherFacts(record)
  }
  /** The log of a pod may contain secrets of other releases of the environment. */
  const environmentMask = async (records: readonly ReleaseRecord[]): Promise<Redact> => {
    const payloads = await mapParallel(records, readPayload)
    const masks = payloads.flatMap((payload) => ('redact' in payload ? [payload.redact] : []))
    return (text) => masks.reduce((cleaned, mask) => mask(cleaned), text)
  }
  return async () => {
    const [seen, held] = await Promise.all([visibleRevisions(cluster, sought), seenLeases(cluster)])
    const last = [...lastRevisions(seen.revisions).values()]
    const releases = selectReleases(subject, last)
    const concerned = new Set(releases)
    const observed = await observedRecords(cluster, last, (release) => concerned.has(release))
    const records = new Map(observed.map((record) => [record.release, record]))
    const payloads = await mapParallel(releases, async (release) => {
      const record = records.get(release)
      return record && readPayload(record)
    })
    const uses = usesOf({
      revisions: seen.revisions,
      factsOf: await readUses(selectLiveRevisions(seen.revisions)),
      wanted: graph,
    })
    const snapshot: StatusSnapshot = {
      ...subject,
      records,
      leases: new Map(held.leases.map((lease) => [lease.release, lease])),
      graph: uses.graph,
      now: cluster.leases.now(),
    }
    const rows = releases.map((release, index) => releaseStatus(snapshot, release, payloads[index]))
    const allowanceOf = (release: ReleaseId) =>
      (subject.prepared?.releases.get(release) ?? subject.settings?.get(releaseName(release)))?.unavailable
    // In parallel, so that requests for the same lists share them.
    const healths = await Promise.all(
      payloads.map((payload, index) =>
        releaseHealth(cluster, rows[index]!, {payload, unavailable: allowanceOf(rows[index]!.release)}),
      ),
    )
    const missingNames = await Promise.all(
      payloads.map((payload, index) => missingObjects(cluster, releases[index]!, payload)),
    )
    const mask = healths.some((health) => health && !passes(health))
      ? await environmentMask(last.filter(({labels}) => readLabels(labels)?.owner === subject.owner))
      : undefined
    const leftOvers = await mapParallel(releases, (release) =>
      leftOver(readLeftovers, release, seen.revisions),
    )
    const lastTest = lastUserTest(
      payloads.flatMap((payload, index) => {
        const {release, revision} = rows[index]!
        return payload && 'tests' in payload ? [[release, revision, payload.tests] as const] : []
      }),
    )
    const unknown = uses.unknown.filter(({name}) => !concerned.has(name as ReleaseId))
    const notes = [
      ...unusableNotes(subject),
      seen.note,
      held.note,
      unreadNote(unknown),
      ...leftOvers.map(({note}) => note),
    ]
    return {
      environment: subject.owner,
      releases: rows.map((row, index) => {
        const {leftovers} = leftOvers[index]!
        const health = healths[index] && mask ? redactHealth(healths[index], mask) : healths[index]
        const missing = missingNames[index]!
        return {
          ...row,
          health,
          ...(leftovers.length > 0 && {leftovers}),
          ...(missing.length > 0 && {missing}),
        }
      }),
      ...(lastTest && {lastTest}),
      notes: notes.filter((note) => note !== undefined),
    }
  }
}

async function loadPayload(cluster: StatusPorts, {release, revision}: ReleaseRecord): Promise<Payload> {
  try {
    const stored = await cluster.records.stored(release, revision)
    if (!stored) return {unreadable: 'its record was deleted while it was read'}
    return {
      chart: stored.chart,
      facts: factsIn(stored),
      objects: parseManifest(stored.manifest),
      tests: recordedTests(stored),
      redact: redactor(stored.values),
    }
  } catch (error) {
    const {code, message} = asKkError(error)
    if (code !== 'KK_RECORD') throw error
    return {unreadable: message}
  }
}

/**
 * Returns `waiting` for a revision that has not passed its gate: the result of Jobs that are gone is unknown.
 */
async function releaseHealth(
  cluster: StatusPorts,
  {release, revision, gate}: Omit<ReleaseStatus, 'health'>,
  {
    payload,
    unavailable,
  }: {readonly payload: Payload | undefined; readonly unavailable: Allowance | undefined},
): Promise<Health | undefined> {
  if (!payload || 'unreadable' in payload) return undefined
  const options = {hasPassed: gate !== 'not-passed', unavailable}
  const observed = await cluster.health.of(releaseNamespace(release), payload.objects, options)
  const health = redactHealth(observed, payload.redact)
  if (!passes(health) || gate !== 'not-passed') return health
  return {state: 'waiting', blames: [{object: `revision ${revision}`, message: 'has not passed its gate'}]}
}

async function missingObjects(cluster: StatusPorts, release: ReleaseId, payload: Payload | undefined) {
  if (!payload || 'unreadable' in payload) return []
  return (await cluster.live.missing(releaseNamespace(release), payload.objects)).map(objectName)
}

/**
 * Returns a note for each release whose inputs cannot be compared because a part of the file is not usable.
 */
function unusableNotes({prepared}: StatusSubject): readonly string[] {
  return [...(prepared?.unusable ?? [])].map(
    ([release, {message}]) => `what ${releaseName(release)} would be made of is unknown: ${message}`,
  )
}

/** Returns the leftovers of a release; or a note if a revision cannot, or may not, be read. */
async function leftOver(
  read: LeftoversReader,
  release: ReleaseId,
  revisions: readonly ReleaseRecord[],
): Promise<{readonly leftovers: readonly Leftover[]; readonly note: string | undefined}> {
  try {
    return {leftovers: await read(release, revisions), note: undefined}
  } catch (error) {
    const {code, message} = asKkError(error)
    if (code !== 'KK_RECORD' && code !== 'KK_FORBIDDEN') throw error
    return {leftovers: [], note: `what failed revisions of ${release} have left is unknown: ${message}`}
  }
}

function unreadNote(unknown: readonly UnknownUser[]): string | undefined {
  if (unknown.length === 0) return undefined
  const names = unknown.map(({name}) => name).join(', ')
  return `the records of other releases cannot be read, and may be of dependents: ${names}`
}

/** Returns the Leases; none and a note if the user may not list them. */
async function seenLeases(
  cluster: StatusPorts,
): Promise<{readonly leases: readonly LeaseView[]; readonly note: string | undefined}> {
  try {
    return {leases: await cluster.leases.list(), note: undefined}
  } catch (error) {
    if (asKkError(error).code !== 'KK_FORBIDDEN') throw error
    return {leases: [], note: 'you may not list leases in kk-system: operations on releases are not shown'}
  }
}

function selectReleases(
  {prepared, owner, names}: StatusSubject,
  records: readonly ReleaseRecord[],
): readonly ReleaseId[] {
  const own = records.filter(({labels}) => readLabels(labels)?.owner === owner).map(({release}) => release)
  if (!prepared) {
    if (own.length === 0) throw noSuchOwner(owner, 'release', ownersOf(records))
    if (names.length === 0) return own
    return names.flatMap((name) => releasesOnCluster(records, name, owner).map(({release}) => release))
  }
  const {graph} = prepared
  const abandoned = own.filter((release) => !graph.requirements.has(release))
  if (names.length === 0) return [...graph.releases, ...abandoned]
  return names.flatMap(
    (name) => abandoned.find((release) => isNamed(release, name)) ?? namedReleases(prepared, [name]),
  )
}
