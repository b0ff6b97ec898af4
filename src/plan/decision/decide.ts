import type {ReleaseRecord} from '../../kubernetes/records/release-record.ts'
import type {DesiredRelease} from '../desired.ts'
import {inputsDigest} from '../digest.ts'
import {hasPassed, type KkLabels, readLabels} from '../labels.ts'
import type {ObservedRecord} from '../pending/evidence.ts'
import {recovery, reinstall} from '../pending/recovery.ts'
import {foreign, handedOver, namedElsewhere, ownedByOthers, unfinished} from '../refusals.ts'
import type {Decision} from './decision.ts'
import {labelReasons, requirementsReason, upgradeReasons} from './reasons.ts'

/**
 * Returns the decision that takes a wanted release from its record to its desired state. Throws `KK_FOREIGN`,
 * `KK_OWNER`, `KK_PENDING`.
 */
export function decide(desired: DesiredRelease, record: ObservedRecord | undefined, file: string): Decision {
  if (!record) return {kind: 'install', reasons: ['not installed']}
  const labels = ownership(desired, record, file)
  if (labels.owner !== desired.owner) return checkOnly(record, `belongs to the environment "${labels.owner}"`)
  return recovery(record) ?? reinstall(record) ?? compare(desired, record, labels, file)
}

/**
 * Returns the check of an installed release that must not be changed, but must be healthy. Throws
 * `KK_PENDING`.
 */
export function checkOnly(record: ObservedRecord, reason: string): Decision {
  const refusal = unfinished(record)
  if (refusal) throw refusal
  return {kind: 'check', reasons: [reason]}
}

/**
 * Returns the labels that kk wrote on the record. Throws `KK_FOREIGN` if kk did not install the release, and
 * `KK_OWNER` if the file or a flag sets values of a release of another environment.
 */
export function ownership(desired: DesiredRelease, record: ReleaseRecord, file: string): KkLabels {
  const labels = readLabels(record.labels)
  if (!labels) throw foreign(record)
  if (labels.owner === desired.owner) return labels
  if (desired.stated) throw ownedByOthers([{release: record.release, owner: labels.owner}], file)
  const hasFlagValues = desired.layers.some(({name}) => name === 'values' || name === 'set')
  if (hasFlagValues) throw namedElsewhere(record, labels.owner)
  return labels
}

/**
 * Throws `KK_FOREIGN`, `KK_OWNER` or `KK_HANDED_OVER` if the named release is not this environment's to
 * change.
 */
export function expectOwned(record: ReleaseRecord, environment: string): void {
  const labels = readLabels(record.labels)
  if (!labels) throw foreign(record)
  if (labels.owner !== environment) throw namedElsewhere(record, labels.owner)
  const tool = labels.exportedTo
  if (tool !== undefined) throw handedOver([{release: record.release, tool}])
}

function compare(desired: DesiredRelease, record: ObservedRecord, labels: KkLabels, file: string): Decision {
  const upgrade = upgradeReasons(desired, record, labels, file)
  const requirements = requirementsReason(desired, labels)
  const relabel = [...(requirements === undefined ? [] : [requirements]), ...labelReasons(desired, labels)]
  if (upgrade.length > 0) return {kind: 'upgrade', reasons: [...upgrade, ...relabel]}
  if (relabel.length > 0) return {kind: 'relabel', reasons: relabel}
  if (inputsDigest(desired) !== labels.inputs) return {kind: 'upgrade', reasons: ['inputs digest changed']}
  if (hasPassed(record)) return decideDependents(labels, record)
  return {kind: 'await', reasons: [`revision ${record.revision} has not passed its gate`]}
}

/**
 * Returns an await if the label of the revision shows that a run was interrupted before it checked its
 * dependents.
 */
function decideDependents({unchecked}: KkLabels, {revision}: ReleaseRecord): Decision {
  if (unchecked !== revision) return {kind: 'unchanged', reasons: []}
  return {kind: 'await', reasons: [`its dependents were not checked after revision ${revision}`]}
}
