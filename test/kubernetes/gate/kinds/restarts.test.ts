import {describe, expect, it} from 'vitest'
import {deploymentHealth} from '../../../../src/kubernetes/gate/kinds/deployment.ts'
import type {ContainerStatus, Pod} from '../../../../src/kubernetes/gate/kinds/observed.ts'
import {around, NOW, pod, READY_POD, STATED, workload} from '../../support/objects.ts'

const DONE = {replicas: 1, updatedReplicas: 1, availableReplicas: 1}
const SECOND = 1000
const MINUTE = 60 * SECOND

const ago = (milliseconds: number) => new Date(NOW - milliseconds).toISOString()

interface Run {
  /** How long ago the container was started for the last time, in milliseconds. */
  readonly up: number
  readonly restarts?: number
  /** How long ago the run before that began. */
  readonly before?: number
  readonly ended?: object
}

const container = ({up, restarts = 0, before = up + MINUTE, ended = {exitCode: 1}}: Run) =>
  ({
    name: 'api',
    ready: true,
    restartCount: restarts,
    state: {running: {startedAt: ago(up)}},
    ...(restarts > 0 && {lastState: {terminated: {startedAt: ago(before), reason: 'Error', ...ended}}}),
  }) as Partial<ContainerStatus>

/** A ready pod that was started an hour ago. */
function running(run: Run, {stableAfter, ...more}: Partial<Pod> & {stableAfter?: string} = {}): Pod {
  const made = pod('api-1', {
    ...READY_POD,
    startTime: ago(60 * MINUTE),
    containerStatuses: [container(run)],
  })
  const annotations: Record<string, string> =
    stableAfter === undefined ? {} : {'kk.openstack.org/stable-after': stableAfter}
  return {...made, ...more, metadata: {...made.metadata, annotations, ...more.metadata}}
}

const healthOf = (...pods: readonly Pod[]) =>
  deploymentHealth(workload('Deployment', {spec: {replicas: 1}, status: DONE}), around(pods), STATED)

describe('the health of a workload whose pods are ready', () => {
  it.each([
    ['has never restarted, and states no time to failure', running({up: SECOND})],
    ['has restarted more than a day ago', running({up: 25 * 60 * MINUTE, restarts: 1})],
    ['has run for its longest time to failure', running({up: 200 * SECOND}, {stableAfter: '200s'})],
    [
      'restarts while it is being deleted',
      running({up: SECOND, restarts: 3}, {metadata: {name: 'api-1', deletionTimestamp: ago(0)}}),
    ],
  ])('is healthy without a note when a container %s', (_, one) => {
    expect(healthOf(one)).toEqual({state: 'healthy'})
  })

  it('is restarting when a container was started twice within ten minutes', () => {
    const ended = {exitCode: 1, message: 'Traceback:\n  sudo: a password is required\n'}

    expect(healthOf(running({up: 3 * MINUTE, restarts: 4, before: 6 * MINUTE, ended}))).toEqual({
      state: 'waiting',
      until: NOW + 4 * MINUTE,
      blames: [
        {
          object: 'Deployment/api',
          namespace: 'openstack',
          pod: 'api-1',
          container: 'api',
          reason: 'Restarting',
          message: "restarting (4 times in 60 min, last: exit 1, 'sudo: a password is required')",
        },
      ],
    })
  })

  it.each([
    ['after 200 s if the pod says that it may fail so late', {stableAfter: '200s'}, 200],
    ['after 30 s if the pod says nothing', {}, 30],
  ])('is restarting after one restart, and stable again %s', (_, more, seconds) => {
    const health = healthOf(
      running({up: 20 * SECOND, restarts: 1, ended: {exitCode: 137, reason: 'OOMKilled'}}, more),
    )

    expect(health).toMatchObject({
      state: 'waiting',
      until: NOW + (seconds - 20) * SECOND,
      blames: [{reason: 'Restarting', message: 'restarting (once in 60 min, last: exit 137, OOMKilled)'}],
    })
  })

  it.each<[string, Partial<ContainerStatus>, string]>([
    [
      'has just ended for the first time',
      {state: {terminated: {exitCode: 1, startedAt: ago(9 * SECOND), finishedAt: ago(0)}}, restartCount: 0},
      'restarting (once in 60 min, last: exit 1)',
    ],
    [
      'waits to be started again',
      {
        state: {waiting: {reason: 'CrashLoopBackOff'}},
        restartCount: 2,
        lastState: {terminated: {exitCode: 137, startedAt: ago(MINUTE), finishedAt: ago(SECOND)}},
      },
      'restarting (2 times in 60 min, last: exit 137)',
    ],
  ])(
    'is restarting, although its controller still counts the pod, when a container %s',
    (_, now, message) => {
      const one = running({up: SECOND})
      const crashed = {
        ...one,
        status: {...one.status, phase: 'Running', containerStatuses: [{...container({up: 0}), ...now}]},
      } as Pod
      const failed = {...crashed, status: {...crashed.status, phase: 'Failed'}} as Pod

      expect(healthOf(crashed)).toEqual({
        state: 'waiting',
        blames: [expect.objectContaining({reason: 'Restarting', pod: 'api-1', message})],
      })
      // Such as an evicted pod, which its controller has replaced.
      expect(healthOf(failed)).toEqual({state: 'healthy'})
    },
  )

  it('is partial when a pod crashes that may be unavailable', () => {
    const spec = {replicas: 2}
    const status = {replicas: 2, updatedReplicas: 2, availableReplicas: 1}
    const one = running({up: 60 * MINUTE})
    const waiting = {
      state: {waiting: {reason: 'CrashLoopBackOff'}},
      restartCount: 2,
    } as Partial<ContainerStatus>
    const crashing = {
      ...one,
      status: {...one.status, containerStatuses: [{...container({up: 0}), ...waiting}]},
    } as Pod

    const health = deploymentHealth(workload('Deployment', {spec, status}), around([one, crashing]), {
      ...STATED,
      replicas: 2,
      unavailable: 1,
    })

    expect(health).toMatchObject({state: 'partial', notes: [{reason: 'Unavailable'}]})
  })

  it('is waiting while a container has run shorter than its pod may take to fail', () => {
    expect(healthOf(running({up: 20 * SECOND}, {stableAfter: '200s'}))).toMatchObject({
      state: 'waiting',
      until: NOW + 180 * SECOND,
      blames: [{reason: 'Stabilizing', message: 'it started at 23:59:40, and may fail until 00:03:00 UTC'}],
    })
  })

  it('is healthy with a note of one older restart', () => {
    expect(healthOf(running({up: 35 * MINUTE, restarts: 1}))).toEqual({
      state: 'healthy',
      notes: [
        {
          object: 'Deployment/api',
          namespace: 'openstack',
          pod: 'api-1',
          container: 'api',
          reason: 'Restarted',
          message: 'it restarted 35 min ago (once in 60 min, last: exit 1)',
        },
      ],
    })
  })

  it('names restarting pods before young ones, and waits for the first stable one', () => {
    const young = {
      ...running({up: SECOND}, {stableAfter: '1m'}),
      metadata: {name: 'api-2', labels: {app: 'api'}, annotations: {'kk.openstack.org/stable-after': '1m'}},
    }

    const health = healthOf(young, running({up: SECOND, restarts: 2}))

    expect(health).toMatchObject({
      until: NOW + 59 * SECOND,
      blames: [{reason: 'Restarting'}, {pod: 'api-2', reason: 'Stabilizing'}],
    })
  })

  it('counts the restarts of sidecars, and not those of init containers that have ended', () => {
    const statuses = [
      {...container({up: SECOND, restarts: 5}), name: 'init'},
      {...container({up: SECOND, restarts: 5}), name: 'sidecar'},
    ]
    const one = running({up: 60 * MINUTE})
    const spec = {
      initContainers: [{name: 'init'}, {name: 'sidecar', restartPolicy: 'Always'}],
      containers: [{name: 'api'}],
    }
    const withInit = {...one, spec, status: {...one.status, initContainerStatuses: statuses}} as Pod

    expect(healthOf(withInit)).toMatchObject({state: 'waiting', blames: [{container: 'sidecar'}]})
  })
})
