import {upgradedObjects} from '../../kubernetes/manifest/manifest.ts'
import {helmReleaseOf} from '../../kubernetes/objects/helm-release.ts'
import {isInstalled} from '../../kubernetes/records/record.ts'
import type {ReleaseRecord} from '../../kubernetes/records/release-record.ts'
import type {DesiredRelease} from '../../plan/desired.ts'
import {installationOf} from '../../plan/installation.ts'
import {
  adoptionLabels,
  EXPORTED_LABEL,
  GATED_LABEL,
  INPUTS_LABEL,
  INSTALLATION_LABEL,
  LEFT_BEHIND_LABEL,
  labelChanges,
  labelsOf,
  RUN_LABEL,
  readLabels,
  UNCHECKED_LABEL,
  usesLabel,
} from '../../plan/labels.ts'
import {releaseNamespace} from '../../release.ts'
import type {DesiredWork} from '../task.ts'
import type {Execution} from './execution.ts'
import {takeLease} from './lease.ts'
import {expectNotHandedOver, expectRevision, raced} from './races.ts'
import {reserve} from './reservations.ts'

/**
 * Patches the requirements on the last record, under the release's Lease: a change of edges makes no
 * revision. Resolves with the deadline of its gate. Throws `KK_HELD`, `KK_RACED`.
 */
export async function relabel(
  execution: Execution<'relabel'>,
  {desired}: DesiredWork,
): Promise<{readonly deadline: number}> {
  const {
    action: {revision},
    cluster,
  } = execution
  await using taken = await takeLease(execution)
  const record = await installedRecord(execution)
  expectNotHandedOver(record)
  const marks = Object.entries(record.labels).filter(([name]) => name === GATED_LABEL || name === RUN_LABEL)
  const labels = {...labelsOf(desired, revision), ...Object.fromEntries(marks)}
  await using _reservations = await reserve(execution, {requirements: desired.requirements, before: record})
  await cluster.records.label(record, labelChanges(labels, record.labels))
  return {deadline: taken.deadline}
}

/**
 * Writes this environment's labels on the last record of a release that it did not install, or that another
 * environment hands over, under the release's Lease and the record's resourceVersion. Changes nothing else
 * except Flux's leftover field manager. Digests are written only if the plan found the inputs equal. Throws
 * `KK_HELD`, `KK_RACED`, `KK_PENDING`, `KK_NOT_INSTALLED`.
 */
export async function adopt(
  execution: Execution<'adopt'>,
  {desired}: DesiredWork,
): Promise<{readonly revision: number}> {
  const {action, cluster, run} = execution
  const {release, revision, inputs, from} = action
  await using _lease = await takeLease(execution)
  const record = await installedRecord(execution)
  if (readLabels(record.labels)?.owner !== from) throw raced(release, 'another environment has adopted it')
  const {requirements, missing} = await installedAmong(desired.requirements, cluster)
  const all = inputs === '' ? adoptionLabels(desired, revision) : labelsOf(desired, revision)
  const labels = Object.fromEntries(Object.entries(all).filter(([name]) => !missing.has(name)))
  await using _reservations = await reserve(execution, {requirements, before: record})
  await takeFieldsOfFlux(execution)
  await cluster.records.label(record, {
    ...labelChanges(labels, record.labels),
    [INSTALLATION_LABEL]: installationOf(record, run),
    // The inputs of the previous environment are not those of this one.
    ...(from !== undefined && inputs === '' && {[INPUTS_LABEL]: null}),
    // The revision is the same, and has passed its gate regardless of its owner.
    ...(from !== undefined && gateMarks(record)),
  })
  return {revision}
}

/**
 * Takes over Flux's fields. Otherwise the next deploy would be refused because of a conflict for each field.
 */
async function takeFieldsOfFlux({action: {release, revision}, cluster}: Execution<'adopt'>): Promise<void> {
  const stored = await cluster.records.stored(release, revision)
  const objects = stored ? upgradedObjects(stored) : []
  if (helmReleaseOf(objects) !== undefined)
    await cluster.live.takeFluxFields(releaseNamespace(release), objects)
}

/**
 * Marks the last record of a release as managed by another tool, under the release's Lease and the record's
 * resourceVersion. Throws `KK_HELD`, `KK_RACED`, `KK_PENDING`, `KK_HANDED_OVER`.
 */
export async function handOver(execution: Execution<'hand-over'>): Promise<{readonly revision: number}> {
  const {action, cluster, environment} = execution
  const {release, revision, tool} = action
  await using _lease = await takeLease(execution)
  const record = await installedRecord(execution)
  if (readLabels(record.labels)?.owner !== environment)
    throw raced(release, 'another environment has adopted it')
  expectNotHandedOver(record)
  await cluster.records.label(record, {[EXPORTED_LABEL]: tool})
  return {revision}
}

const GATE_LABELS = new Set([GATED_LABEL, LEFT_BEHIND_LABEL, UNCHECKED_LABEL])

function gateMarks({labels}: ReleaseRecord): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(labels).filter(([name]) => GATE_LABELS.has(name)))
}

/**
 * Returns the last record, which must have the revision that the plan saw. Throws `KK_RACED`, `KK_PENDING`.
 */
async function installedRecord({
  action,
  cluster,
}: Execution<'relabel' | 'adopt' | 'hand-over'>): Promise<ReleaseRecord> {
  const {release, revision} = action
  const record = expectRevision(action, await cluster.records.last(release, revision))
  if (!record) throw raced(release, 'it is no longer installed')
  return record
}

/**
 * Returns the installed requirements. Missing ones cannot be declared as used: the next deploy installs and
 * declares them.
 */
async function installedAmong(
  requirements: DesiredRelease['requirements'],
  {records}: Execution['cluster'],
): Promise<{readonly requirements: DesiredRelease['requirements']; readonly missing: ReadonlySet<string>}> {
  const installed: DesiredRelease['requirements'][number][] = []
  const missing = new Set<string>()
  for (const requirement of requirements) {
    const record = await records.last(requirement.to)
    if (record && isInstalled(record)) installed.push(requirement)
    else missing.add(usesLabel(requirement.to))
  }
  return {requirements: installed, missing}
}
