import {type ContainerStatus, findCondition, type Pod} from './observed.ts'
import {countTimes} from './restarts.ts'

/** The reason why a pod is not ready. */
export interface PodTrouble {
  readonly pod: string
  readonly container?: string
  /** Kubernetes' reason. */
  readonly reason: string
  readonly detail?: string
  /** The higher, the less waiting helps; of several pods the one with the highest severity is reported. */
  readonly severity: number
}

const SEVERITY = {stuck: 5, unplaced: 4, ended: 3, initialising: 2, unready: 1, starting: 0}

type Trouble = Omit<PodTrouble, 'pod'>

/** Returns the trouble of a pod; undefined if it is ready or has succeeded. */
export function podTrouble(pod: Pod): PodTrouble | undefined {
  if (pod.status?.phase === 'Succeeded' || findCondition(pod, 'Ready')?.status === 'True') return undefined
  const trouble =
    failure(pod) ?? unscheduled(pod) ?? initialisation(pod) ?? worstContainer(pod) ?? startingTrouble(pod)
  return {pod: pod.metadata.name, ...trouble}
}

/**
 * Returns the trouble of a pod that was evicted, preempted, or lost with its node; its containers do not
 * report that.
 */
function failure({status}: Pod): Trouble | undefined {
  if (status?.phase !== 'Failed' || !status.reason) return undefined
  return {reason: status.reason, ...detail(status.message), severity: SEVERITY.ended}
}

function unscheduled(pod: Pod): Trouble | undefined {
  const condition = findCondition(pod, 'PodScheduled')
  if (condition?.status !== 'False') return undefined
  return {
    reason: condition.reason ?? 'Unschedulable',
    ...detail(condition.message),
    severity: SEVERITY.unplaced,
  }
}

/**
 * Returns the trouble of the first init container that has not completed: they run in sequence, and it blocks
 * the rest.
 */
function initialisation(pod: Pod): Trouble | undefined {
  const containers = pod.spec?.initContainers ?? []
  const statuses = pod.status?.initContainerStatuses ?? []
  for (const {name, restartPolicy} of containers) {
    const status = statuses.find((candidate) => candidate.name === name)
    const isSidecar = restartPolicy === 'Always'
    const done = isSidecar ? status?.started : status?.state?.terminated?.exitCode === 0
    if (done) continue
    if (!status && findCondition(pod, 'Initialized')?.status !== 'False') continue
    const trouble = containerTrouble(status ?? {name})
    const running = !isSidecar && status?.state?.running !== undefined
    if (!running && trouble.severity > SEVERITY.initialising) return trouble
    return {
      container: name,
      reason: 'PodInitializing',
      detail: `init container ${running ? 'is still running' : 'has not started'}${restarts(status)}`,
      severity: SEVERITY.initialising,
    }
  }
  return undefined
}

function worstContainer({status}: Pod): Trouble | undefined {
  const troubles = (status?.containerStatuses ?? [])
    .filter((container) => !container.ready)
    .map(containerTrouble)
  return troubles.sort((one, other) => other.severity - one.severity)[0]
}

function containerTrouble(status: Pick<ContainerStatus, 'name'> & Partial<ContainerStatus>): Trouble {
  const {waiting, terminated, running} = status.state ?? {}
  const container = status.name
  if (terminated) {
    return {
      container,
      reason: terminated.reason ?? 'Error',
      detail: [`exited with ${terminated.exitCode}`, terminated.message?.trim()].filter(Boolean).join(': '),
      severity: SEVERITY.ended,
    }
  }
  if (running) {
    const probe =
      status.started === false ? 'its startup probe has not passed' : 'it is running but not ready'
    return {
      container,
      reason: 'ContainersNotReady',
      detail: `${probe}${restarts(status)}`,
      severity: SEVERITY.unready,
    }
  }
  const reason = waiting?.reason ?? 'ContainerCreating'
  const isStarting = reason === 'ContainerCreating' || reason === 'PodInitializing'
  return {
    container,
    reason,
    ...detail(waiting?.message),
    severity: isStarting ? SEVERITY.starting : SEVERITY.stuck,
  }
}

function restarts(status: Partial<ContainerStatus> | undefined): string {
  const {restartCount = 0, lastState} = status ?? {}
  if (restartCount === 0) return ''
  const last = lastState?.terminated
  return `; restarted ${countTimes(restartCount)}${last ? `, the last time after exit code ${last.exitCode}` : ''}`
}

function startingTrouble(pod: Pod): Trouble {
  if (pod.metadata.deletionTimestamp) return {reason: 'Terminating', severity: SEVERITY.starting}
  const ready = findCondition(pod, 'Ready')
  const reason = ready?.reason ?? pod.status?.phase ?? 'Pending'
  return {reason, ...detail(ready?.message), severity: SEVERITY.starting}
}

function detail(message: string | undefined): {readonly detail?: string} {
  const text = message?.trim()
  return text ? {detail: text} : {}
}
