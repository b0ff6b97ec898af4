import {mapParallel} from '../../../base/parallel.ts'
import {type Cause, failureCauses} from '../../../kubernetes/gate/health.ts'
import {isServiceReport, reportsStatus, SERVICE_REASON} from '../../../kubernetes/gate/service-status.ts'
import type {KubernetesObject} from '../../../kubernetes/manifest/kubernetes-object.ts'
import {pollCluster} from '../../../kubernetes/poll-cluster.ts'
import {type ReleaseId, releaseNamespace} from '../../../release.ts'
import type {Change, CheckResult} from '../change.ts'
import type {Check} from '../checks.ts'
import {serviceUpgrades} from './check-pod.ts'

interface ReportedStatesOptions {
  readonly signal?: AbortSignal | undefined
  readonly patience?: Patience
}

/** How long a service that is not healthy is awaited, and how often it is asked, in milliseconds. */
interface Patience {
  readonly longest: number
  readonly interval: number
}

/** Longer than a service needs to report again after a pod of it was replaced. */
const PATIENCE: Patience = {longest: 60_000, interval: 3_000}

/**
 * Asks what the services report of themselves that an upgrade changes, that those require, or that require
 * them.
 */
export function reportedStates({signal, patience = PATIENCE}: ReportedStatesOptions): Check {
  return {
    name: 'services before an upgrade',
    changing: ['deploy'],
    outcome:
      'refuses if a service reports that it is not healthy: KK_UPGRADE_CHECK; notes it if an earlier change has not ended',
    cost: 'if the image of a service with a database is replaced: those of kk status, for the services that it changes, requires, or that require it',
    async find(change) {
      if (serviceUpgrades(change).length === 0) return []
      const {releases, unread} = await change.staying()
      const reporting = [
        ...[...change.next].map(([release, {before}]) => ({release, objects: before})),
        ...releases.map(({release, objects}) => ({release, objects: objects.map(({object}) => object)})),
      ].map(({release, objects}) => ({release, objects: objects.filter(reportsStatus)}))
      const found = await mapParallel(reporting, (each) => settled(each, change, {signal, patience}))
      return [...found.flat(), ...unread.map((message) => ({what: `not checked: ${message}`}))]
    },
  }
}

interface Reporting {
  readonly release: ReleaseId
  /** The objects that report the status of its services. */
  readonly objects: readonly KubernetesObject[]
}

/** Returns what a release reports when it is healthy, or has not become so in time. */
async function settled(
  {release, objects}: Reporting,
  {cluster, unfinished = []}: Change,
  {signal, patience: {longest, interval}}: ReportedStatesOptions & {readonly patience: Patience},
): Promise<readonly CheckResult[]> {
  if (objects.length === 0) return []
  let causes: readonly Cause[] = []
  await pollCluster(
    async () => {
      causes = failureCauses(await cluster.health.of(releaseNamespace(release), objects))
      return causes.length === 0
    },
    {interval, deadline: Date.now() + longest, signal},
  )
  return causes.map((cause) => judge(cause, release, unfinished))
}

function judge(cause: Cause, release: ReleaseId, unfinished: readonly ReleaseId[]): CheckResult {
  const {reason, message, detail} = cause
  if (reason !== SERVICE_REASON) {
    const why = isServiceReport(cause) ? [message] : [message, reason, detail]
    return {what: `not checked: the state of ${release}: ${why.filter(Boolean).join(': ')}`}
  }
  const what = `${release} reports that it is not healthy: ${message}`
  // What this change continues may be what heals it.
  if (unfinished.length > 0)
    return {what: `${what} (the last change of ${unfinished.join(', ')} has not ended)`}
  return {
    what,
    advice:
      'correct that, and repeat the command; if this change corrects it: --skip-upgrade-checks upgrades all the same',
    refusal: 'KK_UPGRADE_CHECK',
  }
}
