import type {Environment} from '../../environment/environment.ts'
import type {Graph} from '../../graph/graph.ts'
import {assessLease, type LeaseView, staleness} from '../../kubernetes/lease/view.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import {helmReleaseOf} from '../../kubernetes/objects/helm-release.ts'
import type {DesiredRelease} from '../../plan/desired.ts'
import {inputsDigest} from '../../plan/digest.ts'
import {gateOf, readLabels} from '../../plan/labels.ts'
import {isUnfinished, type ObservedRecord} from '../../plan/pending/evidence.ts'
import {reinstallReason} from '../../plan/pending/recovery.ts'
import {unfinished} from '../../plan/refusals.ts'
import type {RecordFacts} from '../../plan/uses/observed.ts'
import {usersOf} from '../../plan/uses/uses.ts'
import type {Prepared} from '../../prepare/prepare.ts'
import type {Redact} from '../../redact/redact.ts'
import {type ReleaseId, releaseName} from '../../release.ts'
import type {RecordedTests} from './last-test.ts'
import type {ReleaseHolder, ReleaseStatus} from './release-status.ts'

/** The releases to inspect: those of a file, or those of an environment without a file. */
export interface StatusSubject {
  readonly owner: string
  readonly prepared: Prepared | undefined
  /** The releases that the command line names; all if empty. */
  readonly names: readonly string[]
  /** The settings of releases, if it has no `prepared`. */
  readonly settings?: Environment['releases']
}

/** The cached parts of a record's payload. */
export type Payload =
  | {
      readonly chart: {readonly name: string; readonly version: string}
      /** The facts that show which releases it uses. */
      readonly facts: RecordFacts
      readonly objects: readonly KubernetesObject[]
      readonly tests: RecordedTests
      /** Masks the secrets in the values of the release. */
      readonly redact: Redact
    }
  | {readonly unreadable: string}

/** A snapshot of the cluster. */
export interface StatusSnapshot extends StatusSubject {
  readonly records: ReadonlyMap<ReleaseId, ObservedRecord>
  readonly leases: ReadonlyMap<ReleaseId, LeaseView>
  /** The requirements of the environment and of all releases on the cluster. */
  readonly graph: Graph
  readonly now: number
}

/** Returns the status of a release without its health. */
export function releaseStatus(
  snapshot: StatusSnapshot,
  release: ReleaseId,
  payload: Payload | undefined,
): Omit<ReleaseStatus, 'health'> {
  const {prepared, records, graph} = snapshot
  const record = records.get(release)
  const wanted = prepared?.releases.get(release)
  const {name = releaseName(release), version = ''} =
    payload && 'chart' in payload ? payload.chart : (wanted?.chart ?? {})
  const labels = record && readLabels(record.labels)
  const owner = labels?.owner
  const lease = snapshot.leases.get(release)
  const advice = record && (unfinished(record)?.hint ?? lostRevision(record) ?? lostInstall(record))
  const isOriginal = record !== undefined && !isUnfinished(record) && record.copiedBy === undefined
  const maker = isOriginal ? foreignMaker(record, payload) : undefined
  return {
    release,
    chart: name,
    version,
    revision: record?.revision ?? 0,
    status: record?.status ?? 'not installed',
    gate: record && gateOf(record),
    inputs: record && wanted && owner === snapshot.owner ? compareInputs(wanted.desired, record) : 'unknown',
    wanted: !prepared || prepared.graph.requirements.has(release),
    owner,
    ...(lease?.holder !== undefined && {holder: leaseHolder(lease, snapshot.now)}),
    ...(labels?.exportedTo !== undefined && {exportedTo: labels.exportedTo}),
    ...(maker !== undefined && {madeBy: maker}),
    requires: (graph.requirements.get(release) ?? []).map(({to}) => releaseName(to)),
    dependents: usersOf(snapshot, [release]).map((each) => ({
      release: each,
      environment: recordOwner(records.get(each)),
      ...(isForeign(records.get(each)) && {isForeign: true as const}),
    })),
    ...(payload && 'tests' in payload && payload.tests.own && {lastTest: payload.tests.own}),
    ...(payload && 'unreadable' in payload && {unreadable: payload.unreadable}),
    ...(advice !== undefined && {advice}),
  }
}

/**
 * Returns advice for a superseded last revision: helm marks a revision superseded only when it makes the next
 * one.
 */
function lostRevision({status, revision}: ObservedRecord): string | undefined {
  if (status !== 'superseded') return undefined
  return `the record of a later revision than ${revision} was deleted, so what runs is unknown; kk deploy upgrades it`
}

function lostInstall(record: ObservedRecord): string | undefined {
  return record.lostHooks && `${reinstallReason(record, record.lostHooks)} by kk deploy`
}

function recordOwner(record: ObservedRecord | undefined): string | undefined {
  return record && readLabels(record.labels)?.owner
}

function isForeign(record: ObservedRecord | undefined): boolean {
  return record !== undefined && !readLabels(record.labels)
}

/** Returns the maker of the last revision if it was not kk; undefined for an unknown helm. */
function foreignMaker({labels, revision}: ObservedRecord, payload: Payload | undefined): string | undefined {
  const kkLabels = readLabels(labels)
  if (kkLabels?.revision === revision) return undefined
  const flux = payload && 'objects' in payload ? helmReleaseOf(payload.objects) : undefined
  return flux ?? (kkLabels && 'another helm')
}

function compareInputs(desired: DesiredRelease, record: ObservedRecord): 'current' | 'changed' {
  const labels = readLabels(record.labels)
  const same = labels?.inputs === inputsDigest(desired) && labels.revision === record.revision
  return same ? 'current' : 'changed'
}

function leaseHolder(lease: LeaseView, now: number): ReleaseHolder {
  const {acquiredAt, isRemoval, operation} = lease
  const stale = staleness(lease, now)
  return {
    holder: assessLease(lease).by,
    since: acquiredAt,
    operation: isRemoval ? 'remove' : operation?.verb,
    ...(stale !== undefined && {stale}),
  }
}
