import {INITIALIZING, podStatus} from './pod-status.ts'
import {annotation, exists, is, isAbsent, isNot, type Stage, stage, status} from './stage.ts'

/**
 * The behaviour of simulated pods. By default a pod is Running and Ready as soon as it is scheduled, whatever
 * its init containers wait for. A finite pod (of a Job, or a helm test) succeeds immediately.
 *
 * The image of a container makes the pod fail as in a real cluster; only that container is the cause:
 *
 *   registry.invalid/NAME:TAG                 cannot be pulled, as all images of hosts in .invalid (RFC 2606)
 *   sandbox.kk.openstack.org/crash-loop:TAG   exits with code 1 at each start; its Job fails
 *   sandbox.kk.openstack.org/never-ready:TAG  runs, and never becomes ready
 *   sandbox.kk.openstack.org/slow:5s          becomes ready after the duration in its tag (Go: 300ms, 1m30s)
 *
 * An annotation in its template applies to the whole pod:
 *
 *   sandbox.kk.openstack.org/ready-after: 5s          Running immediately, Ready after the duration
 *   sandbox.kk.openstack.org/complete-after: 5s       a finite pod completes this long after it was Ready
 *   sandbox.kk.openstack.org/fail: CrashLoopBackOff   Running; all containers in back-off after 5 restarts
 *   sandbox.kk.openstack.org/fail: ImagePullBackOff   Pending; no image can be pulled
 *   sandbox.kk.openstack.org/fail: NeverReady         Running, and never Ready
 *   sandbox.kk.openstack.org/fail: InitWaiting        Pending; the first init container never finishes
 *   sandbox.kk.openstack.org/fail: JobFailed          Failed with exit code 1; with restartPolicy OnFailure
 *                                                     the containers exceed the backoffLimit of their Job
 *
 * An unschedulable pod (`nodeSelector`) and a claim of a missing class need no stage. A pod whose ConfigMap
 * or Secret is missing waits for it as with a kubelet, and starts once it exists; with the project's own
 * kwok, it does not wait. `docs/sandbox.md` documents this for users.
 */
const PREFIX = 'sandbox.kk.openstack.org'
const READY_AFTER = `${PREFIX}/ready-after`
const COMPLETE_AFTER = `${PREFIX}/complete-after`
const FAIL = `${PREFIX}/fail`

/** The images whose containers fail, as patterns valid in both Go and jq. */
const IMAGES = {
  ImagePullBackOff: '^[^/]+[.]invalid(:[0-9]+)?/',
  CrashLoopBackOff: '^sandbox[.]kk[.]openstack[.]org/crash-loop[:@]',
  NeverReady: '^sandbox[.]kk[.]openstack[.]org/never-ready[:@]',
} as const
const SLOW = '^sandbox[.]kk[.]openstack[.]org/slow:(?<time>[0-9a-z.]+)$'

const READY = '.status.conditions.[] | select( .type == "Ready" ) | .status'

const has = (images: string, pattern: string) => `any(${images}; test("${pattern}"))`
const MAIN = '(.spec.containers[] | .image)'
const INIT = '((.spec.initContainers // [])[] | .image)'

/**
 * The jq expression for how the pod fails, or null: from its annotation, otherwise from its images. An image
 * that cannot be pulled takes precedence over failures of running containers.
 */
const FAILURE = `(${annotation(FAIL)} // (
  if ${has(INIT, IMAGES.ImagePullBackOff)} then "InitImagePullBackOff"
  elif ${has(MAIN, IMAGES.ImagePullBackOff)} then "ImagePullBackOff"
  elif ${has(MAIN, IMAGES.CrashLoopBackOff)} then
    (if .spec.restartPolicy == "Always" then "CrashLoopBackOff" else "JobFailed" end)
  elif ${has(MAIN, IMAGES.NeverReady)} then "NeverReady"
  else null end))`.replaceAll(/\s+/g, ' ')

/** The jq expression for the time until the pod is ready, or null. */
const READY_DELAY = `(${annotation(READY_AFTER)} // ([${MAIN} | capture("${SLOW}") | .time] | max))`

const alive = isAbsent('.metadata.deletionTimestamp')
/**
 * The condition kwok-kubelet sets once all ConfigMaps and Secrets of a pod exist (toolbox/kubebox/hold.go).
 */
const READY_TO_START = '.status.conditions.[] | select( .type == "PodReadyToStartContainers" ) | .status'
/** Selects pods whose containers may start and have no status yet. */
const fresh = [
  alive,
  is('.status.phase', 'Pending'),
  is(READY_TO_START, 'True'),
  isAbsent('.status.containerStatuses'),
]
const healthy = [...fresh, isAbsent(FAILURE)]
const fails = (how: string) => [...fresh, is(FAILURE, how)]
/** Selects finite pods: those of Jobs, and bare pods such as those of helm tests. */
const ends = isNot('.spec.restartPolicy', 'Always')

const RUNNING = {state: 'running: {startedAt: {{ Now | Quote }}}', ready: true}
const STARTING = {...RUNNING, ready: false}
const COMPLETED =
  'terminated: {exitCode: 0, reason: Completed, startedAt: {{ Now | Quote }}, finishedAt: {{ Now | Quote }}}'
const ERRED =
  'terminated: {exitCode: 1, reason: Error, startedAt: {{ Now | Quote }}, finishedAt: {{ Now | Quote }}}'
const WAITING = {state: INITIALIZING, ready: false}
const CRASHING =
  'waiting: {reason: CrashLoopBackOff, message: "back-off 5m0s restarting failed container={{ .name }}"}'
const NOT_PULLED = 'waiting: {reason: ImagePullBackOff, message: "Back-off pulling image \\"{{ .image }}\\""}'

const crashing = (restarts: number) => ({state: CRASHING, lastState: ERRED, restarts, ready: false})
const done = {state: COMPLETED}

const pod = (
  name: string,
  when: Parameters<typeof stage>[0]['when'],
  of: Parameters<typeof podStatus>[0],
  delay?: string,
) => stage({name, kind: 'Pod', when, steps: [status(podStatus(of, FAIL))], ...(delay && {delay})})

/** Lets each pod start, without a kwok-kubelet that would check its references. */
export const startsUnchecked: Stage = stage({
  name: 'pod-start-unchecked',
  kind: 'Pod',
  when: [alive, is('.status.phase', 'Pending'), isAbsent(READY_TO_START)],
  steps: [
    status(
      'conditions:\n- {type: PodReadyToStartContainers, status: "True", lastTransitionTime: {{ Now | Quote }}}\n',
    ),
  ],
})

export const podStages: readonly Stage[] = [
  pod('pod-ready', [...healthy, isAbsent(READY_DELAY)], {phase: 'Running', container: RUNNING, init: done}),
  pod('pod-start', [...healthy, exists(READY_DELAY)], {phase: 'Running', container: STARTING, init: done}),
  pod(
    'pod-ready-after',
    [alive, is('.status.phase', 'Running'), isNot(READY, 'True'), exists(READY_DELAY), isAbsent(FAILURE)],
    {phase: 'Running', container: RUNNING, init: done},
    READY_DELAY,
  ),
  pod(
    'pod-complete',
    [alive, is('.status.phase', 'Running'), is(READY, 'True'), ends],
    {phase: 'Succeeded', container: {state: COMPLETED, ready: false}, init: done},
    annotation(COMPLETE_AFTER),
  ),
  pod('pod-crash-loop', fails('CrashLoopBackOff'), {
    phase: 'Running',
    container: crashing(5),
    unmatched: {unlike: IMAGES.CrashLoopBackOff, container: RUNNING},
    init: done,
  }),
  pod('pod-image-pull-back-off', fails('ImagePullBackOff'), {
    phase: 'Pending',
    container: {state: NOT_PULLED, ready: false},
    unmatched: {unlike: IMAGES.ImagePullBackOff, container: RUNNING},
    init: done,
  }),
  pod('pod-init-image-pull-back-off', fails('InitImagePullBackOff'), {
    phase: 'Pending',
    container: WAITING,
    init: {...done, blocked: {state: NOT_PULLED, image: IMAGES.ImagePullBackOff}},
  }),
  pod('pod-never-ready', fails('NeverReady'), {
    phase: 'Running',
    container: STARTING,
    unmatched: {unlike: IMAGES.NeverReady, container: RUNNING},
    init: done,
  }),
  pod('pod-init-waiting', fails('InitWaiting'), {
    phase: 'Pending',
    container: WAITING,
    init: {...done, blocked: {state: RUNNING.state}},
  }),
  pod('pod-job-failed', [...fails('JobFailed'), isNot('.spec.restartPolicy', 'OnFailure')], {
    phase: 'Failed',
    container: {state: ERRED, ready: false},
    init: done,
  }),
  pod('pod-job-failing', [...fails('JobFailed'), is('.spec.restartPolicy', 'OnFailure')], {
    phase: 'Running',
    container: crashing(1000),
    init: done,
  }),
  stage({
    name: 'pod-delete',
    kind: 'Pod',
    when: [exists('.metadata.deletionTimestamp')],
    steps: [{delete: true}],
  }),
]
