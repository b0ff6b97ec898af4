import {podStatus} from './pod-status.ts'
import {annotation, exists, is, isAbsent, isNot, type Stage, stage, status} from './stage.ts'

/**
 * How simulated pods behave. By default a pod is Running and Ready as soon as it is scheduled, whatever its init
 * containers wait for, and one that is to end (of a Job, a helm test) succeeds at once.
 *
 * A pod, by annotations in its template, may behave otherwise:
 *
 *   sandbox.kk.openstack.org/ready-after: 5s     Running at once, Ready only then (any duration of Go's: 300ms, 1m30s)
 *   sandbox.kk.openstack.org/complete-after: 5s  a pod that is to end does so this long after it was Ready
 *   sandbox.kk.openstack.org/fail: CrashLoopBackOff   Running; every container waits to be started for the sixth time
 *   sandbox.kk.openstack.org/fail: ImagePullBackOff   Pending; no image can be pulled
 *   sandbox.kk.openstack.org/fail: InitWaiting        Pending; the first init container runs and never ends
 *   sandbox.kk.openstack.org/fail: JobFailed          Failed with exit code 1; with restartPolicy OnFailure the
 *                                                     containers have restarted so often that their Job gives up
 *
 * A pod that no node takes (`nodeSelector`) and a claim that nothing provides for (`storageClassName`) need no stage.
 */
const PREFIX = 'sandbox.kk.openstack.org'
export const READY_AFTER = `${PREFIX}/ready-after`
export const COMPLETE_AFTER = `${PREFIX}/complete-after`
export const FAIL = `${PREFIX}/fail`

const READY = '.status.conditions.[] | select( .type == "Ready" ) | .status'

const alive = isAbsent('.metadata.deletionTimestamp')
/** Nothing has been said of its containers yet. */
const fresh = [alive, is('.status.phase', 'Pending'), isAbsent('.status.containerStatuses')]
const healthy = [...fresh, isAbsent(annotation(FAIL))]
const fails = (how: string) => [...fresh, is(annotation(FAIL), how)]
/** Of Jobs, and bare pods such as those of helm tests. */
const ends = isNot('.spec.restartPolicy', 'Always')

const RUNNING = 'running: {startedAt: {{ Now | Quote }}}'
const COMPLETED =
  'terminated: {exitCode: 0, reason: Completed, startedAt: {{ Now | Quote }}, finishedAt: {{ Now | Quote }}}'
const ERRED =
  'terminated: {exitCode: 1, reason: Error, startedAt: {{ Now | Quote }}, finishedAt: {{ Now | Quote }}}'
const INITIALIZING = 'waiting: {reason: PodInitializing}'
const CRASHING =
  'waiting: {reason: CrashLoopBackOff, message: "back-off 5m0s restarting failed container={{ .name }}"}'
const NOT_PULLED = 'waiting: {reason: ImagePullBackOff, message: "Back-off pulling image \\"{{ .image }}\\""}'

const pod = (
  name: string,
  when: Parameters<typeof stage>[0]['when'],
  template: string,
  delayAnnotation?: string,
) => stage({name, kind: 'Pod', when, steps: [status(template)], ...(delayAnnotation && {delayAnnotation})})

export const podStages: readonly Stage[] = [
  pod(
    'pod-ready',
    [...healthy, isAbsent(annotation(READY_AFTER))],
    podStatus({phase: 'Running', ready: true, container: {state: RUNNING}, init: {state: COMPLETED}}),
  ),
  pod(
    'pod-start',
    [...healthy, exists(annotation(READY_AFTER))],
    podStatus({phase: 'Running', ready: false, container: {state: RUNNING}, init: {state: COMPLETED}}),
  ),
  pod(
    'pod-ready-after',
    [
      alive,
      is('.status.phase', 'Running'),
      isNot(READY, 'True'),
      exists(annotation(READY_AFTER)),
      isAbsent(annotation(FAIL)),
    ],
    podStatus({phase: 'Running', ready: true, container: {state: RUNNING}, init: {state: COMPLETED}}),
    READY_AFTER,
  ),
  pod(
    'pod-complete',
    [alive, is('.status.phase', 'Running'), is(READY, 'True'), ends],
    podStatus({phase: 'Succeeded', ready: false, container: {state: COMPLETED}, init: {state: COMPLETED}}),
    COMPLETE_AFTER,
  ),
  pod(
    'pod-crash-loop',
    fails('CrashLoopBackOff'),
    podStatus({
      phase: 'Running',
      ready: false,
      container: {state: CRASHING, lastState: ERRED, restarts: 5},
      init: {state: COMPLETED},
    }),
  ),
  pod(
    'pod-image-pull-back-off',
    fails('ImagePullBackOff'),
    podStatus({phase: 'Pending', ready: false, container: {state: NOT_PULLED}, init: {state: COMPLETED}}),
  ),
  pod(
    'pod-init-waiting',
    fails('InitWaiting'),
    podStatus({
      phase: 'Pending',
      ready: false,
      container: {state: INITIALIZING},
      init: {state: INITIALIZING, firstState: RUNNING},
    }),
  ),
  pod(
    'pod-job-failed',
    [...fails('JobFailed'), isNot('.spec.restartPolicy', 'OnFailure')],
    podStatus({phase: 'Failed', ready: false, container: {state: ERRED}, init: {state: COMPLETED}}),
  ),
  pod(
    'pod-job-failing',
    [...fails('JobFailed'), is('.spec.restartPolicy', 'OnFailure')],
    podStatus({
      phase: 'Running',
      ready: false,
      container: {state: CRASHING, lastState: ERRED, restarts: 1000},
      init: {state: COMPLETED},
    }),
  ),
  stage({
    name: 'pod-delete',
    kind: 'Pod',
    when: [exists('.metadata.deletionTimestamp')],
    steps: [{delete: true}],
  }),
]
