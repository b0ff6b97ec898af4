import {mapParallel} from '../../../base/parallel.ts'
import {type Cause, partialNotes, passes} from '../../../kubernetes/gate/health.ts'
import {isServiceReport, reportsStatus, SERVICE_REASON} from '../../../kubernetes/gate/service-status.ts'
import type {KubernetesObject} from '../../../kubernetes/manifest/kubernetes-object.ts'
import {pollCluster} from '../../../kubernetes/poll-cluster.ts'
import {type ReleaseId, releaseNamespace} from '../../../release.ts'
import type {Change, CheckResult, UpgradeScope} from '../change.ts'
import type {Check} from '../checks.ts'

interface ReportedStatesOptions {
  readonly onProgress: (line: string) => void
  readonly signal?: AbortSignal | undefined
  readonly patience?: Patience
}

/** How long services that are not healthy are awaited, and how often they are asked, in milliseconds. */
interface Patience {
  readonly longest: number
  readonly interval: number
}

/** Longer than a service needs to report again after a pod of it was replaced. */
const PATIENCE: Patience = {longest: 60_000, interval: 5_000}

/**
 * Asks what the services report of themselves that an upgrade changes, that those require, or that require
 * them.
 */
export function reportedStates({onProgress, signal, patience = PATIENCE}: ReportedStatesOptions): Check {
  return {
    name: 'services before an upgrade',
    changing: ['deploy'],
    outcome:
      'refuses if a service reports that it is not healthy: KK_UPGRADE_CHECK; notes it if an earlier change has not ended',
    cost: 'if an image is replaced: those of kk status, for the services that are changed, required, or require them; again while one is not healthy',
    async find(change) {
      const {upgrade} = change
      if (!upgrade) return []
      const reporting = await reportingOf(change, upgrade)
      let results: readonly CheckResult[] = []
      let isAwaited = false
      await pollCluster(
        async () => {
          results = (await mapParallel(reporting, (each) => resultsOf(each, change.cluster, upgrade))).flat()
          const refusals = results.filter(({refusal}) => refusal !== undefined)
          if (!isAwaited) for (const {what} of refusals) onProgress(`${what}; waiting for a minute at most`)
          isAwaited = refusals.length > 0
          return !isAwaited
        },
        {interval: patience.interval, deadline: Date.now() + patience.longest, signal},
      )
      signal?.throwIfAborted()
      return results
    },
  }
}

interface Reporting {
  readonly release: ReleaseId
  /** The objects that report the status of its services. */
  readonly objects: readonly KubernetesObject[]
}

async function reportingOf({next, staying}: Change, {near}: UpgradeScope): Promise<readonly Reporting[]> {
  const {releases} = await staying()
  const all = [
    ...[...next].map(([release, {before}]) => ({release, objects: before})),
    ...releases.map(({release, objects}) => ({release, objects: objects.map(({object}) => object)})),
  ]
  return all
    .filter(({release}) => near.has(release))
    .map(({release, objects}) => ({release, objects: objects.filter(reportsStatus)}))
    .filter(({objects}) => objects.length > 0)
}

/** Returns what a release reports now, unless it is healthy. */
async function resultsOf(
  {release, objects}: Reporting,
  {health: checks}: Change['cluster'],
  {unfinished}: UpgradeScope,
): Promise<readonly CheckResult[]> {
  const health = await checks.of(releaseNamespace(release), objects)
  if (passes(health)) {
    const away = partialNotes(health).filter(isServiceReport)
    return away.map(({message}) => ({what: `${release} reports of nodes that are away: ${message}`}))
  }
  return health.blames.map((cause) => judge(cause, release, unfinished.has(release)))
}

function judge(cause: Cause, release: ReleaseId, isUnfinished: boolean): CheckResult {
  const {reason, message, detail} = cause
  if (reason !== SERVICE_REASON) {
    const why = isServiceReport(cause) ? [message] : [message, reason, detail]
    return {what: `not checked: the state of ${release}: ${why.filter(Boolean).join(': ')}`}
  }
  const what = `${release} reports that it is not healthy: ${message}`
  // What this change continues may be what heals it.
  if (isUnfinished) return {what: `${what} (its last change, or one of what it requires, has not ended)`}
  return {
    what,
    advice:
      'correct that, and repeat the command; if this change corrects it: --skip-upgrade-checks upgrades all the same',
    refusal: 'KK_UPGRADE_CHECK',
  }
}
