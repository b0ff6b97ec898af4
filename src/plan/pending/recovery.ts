import {hookEvents} from '../../kubernetes/manifest/helm-view.ts'
import {hookObjects, objectName} from '../../kubernetes/manifest/manifest.ts'
import type {ReleaseRecord, StoredRelease} from '../../kubernetes/records/release-record.ts'
import type {Decision} from '../decision/decision.ts'
import {unfinished} from '../refusals.ts'
import {type Evidence, isUnfinished, type ObservedRecord} from './evidence.ts'

/**
 * Returns how to continue a release whose record helm would refuse, if any. Throws `KK_PENDING` if it may be
 * in use.
 */
export function recovery(record: ObservedRecord): Decision | undefined {
  const {revision, status, evidence} = record
  if (status === 'uninstalled')
    return {kind: 'install', reasons: [`only its history is left (revision ${revision}): installed again`]}
  if (isUnfinished(record) && evidence && isRecoverable(evidence)) {
    const {lostHooks: hooks = []} = record
    if (hooks.length === 0)
      return {kind: 'upgrade', reasons: [upgradeReason(record, evidence)], recovers: status}
    const reasons = [recoveryReason(record, evidence), reinstallReason(record, hooks)]
    return {kind: 'install', reasons, recovers: status}
  }
  const refusal = unfinished(record)
  if (refusal) throw refusal
  return undefined
}

/**
 * Returns the install that a release needs if its install failed before its hooks had completed; undefined
 * for any other release. Helm installs over the rest of a failed install (Helm 4.2: install.go availableName,
 * `--replace`).
 */
export function reinstall(record: ObservedRecord): Decision | undefined {
  const {status, lostHooks: hooks = []} = record
  if (status !== 'failed' || hooks.length === 0) return undefined
  return {kind: 'install', reasons: [reinstallReason(record, hooks)]}
}

/** Returns why helm has to install again instead of upgrading after an install. */
export function reinstallReason(
  {revision}: Pick<ReleaseRecord, 'revision'>,
  hooks: readonly string[],
): string {
  return `hooks of the install were not seen to complete in revision ${revision} (${hooks.join(', ')}), and an upgrade does not run them: installed over what is there`
}

/** Returns the hooks of an install that have not succeeded, and that helm does not run in an upgrade. */
export function lostHooks({
  isInstall = false,
  openHooks = [],
}: Pick<StoredRelease, 'isInstall' | 'openHooks'>): readonly string[] {
  if (!isInstall) return []
  const isOf = (verb: string) => (event: string) => event.endsWith(`-${verb}`)
  return hookObjects({hooks: openHooks})
    .filter((hook) => hookEvents(hook).some(isOf('install')) && !hookEvents(hook).some(isOf('upgrade')))
    .map(objectName)
}

type Recoverable = Extract<Evidence, {state: 'stale' | 'running'}>

/**
 * Returns true if kk may recover the record automatically. It waits for a helm process whose kk has ended.
 */
export function isRecoverable(evidence: Evidence): evidence is Recoverable {
  return evidence.state === 'stale' || (evidence.state === 'running' && evidence.alone)
}

/** Returns why a recovery is needed, and how it begins. */
export function recoveryReason(
  {revision, status}: Pick<ReleaseRecord, 'revision' | 'status'>,
  evidence: Recoverable,
): string {
  const {run} = evidence
  if (evidence.state === 'running')
    return `revision ${revision} is ${status} by run ${run}, which is gone; its helm (process ${evidence.pid}) still works and is waited for`
  return `revision ${revision} was left ${status} by run ${run}, ${evidence.why}: marked failed`
}

function upgradeReason(record: ReleaseRecord, evidence: Recoverable): string {
  const reason = recoveryReason(record, evidence)
  if (evidence.state === 'running') return reason
  const effect = record.status === 'uninstalling' ? ', which re-creates what was deleted' : ''
  return `${reason}, then upgraded${effect}`
}
