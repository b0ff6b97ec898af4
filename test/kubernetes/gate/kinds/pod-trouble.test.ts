import {describe, expect, it} from 'vitest'
import {podTrouble} from '../../../../src/kubernetes/gate/kinds/pod-trouble.ts'
import {pod, READY_POD, type StatedStatus, waitingFor} from '../../support/objects.ts'

const running = {running: {}}
const init = (name: string, restartPolicy?: string) => ({name, ...(restartPolicy && {restartPolicy})})

describe('the trouble of a pod', () => {
  it.each<[string, StatedStatus, object]>([
    [
      'CrashLoopBackOff',
      waitingFor('CrashLoopBackOff', 'back-off 10s'),
      {container: 'api', reason: 'CrashLoopBackOff', detail: 'back-off 10s'},
    ],
    ['ErrImagePull', waitingFor('ErrImagePull'), {container: 'api', reason: 'ErrImagePull'}],
    [
      'CreateContainerConfigError',
      waitingFor('CreateContainerConfigError', 'secret "x" not found'),
      {reason: 'CreateContainerConfigError', detail: 'secret "x" not found'},
    ],
    ['ContainerCreating', waitingFor('ContainerCreating'), {reason: 'ContainerCreating'}],
    [
      'no node takes it',
      {
        phase: 'Pending',
        conditions: [
          {
            type: 'PodScheduled',
            status: 'False',
            reason: 'Unschedulable',
            message: '0/3 nodes are available',
          },
        ],
      },
      {reason: 'Unschedulable', detail: '0/3 nodes are available'},
    ],
    [
      'it was evicted',
      {phase: 'Failed', reason: 'Evicted', message: 'low on memory'},
      {reason: 'Evicted', detail: 'low on memory'},
    ],
    [
      'a container was killed for its memory',
      {
        phase: 'Running',
        containerStatuses: [{name: 'api', state: {terminated: {exitCode: 137, reason: 'OOMKilled'}}}],
      },
      {container: 'api', reason: 'OOMKilled', detail: 'exited with 137'},
    ],
    [
      'its readiness probe does not pass',
      {phase: 'Running', containerStatuses: [{name: 'api', ready: false, started: true, state: running}]},
      {container: 'api', reason: 'ContainersNotReady', detail: 'it is running but not ready'},
    ],
    [
      'it starts again and again',
      {
        phase: 'Running',
        containerStatuses: [
          {
            name: 'api',
            ready: false,
            started: false,
            restartCount: 3,
            state: running,
            lastState: {terminated: {exitCode: 1}},
          },
        ],
      },
      {detail: 'its startup probe has not passed; restarted 3 times, the last time after exit code 1'},
    ],
    ['nothing is known yet', {phase: 'Pending'}, {reason: 'Pending'}],
  ])('is named when it is: %s', (_, status, expected) => {
    expect(podTrouble(pod('api-1', status))).toMatchObject({pod: 'api-1', ...expected})
  })

  it.each<[string, StatedStatus]>([
    ['ready', READY_POD],
    ['done', {phase: 'Succeeded'}],
  ])('is nothing when the pod is %s', (_, status) => {
    expect(podTrouble(pod('api-1', status))).toBeUndefined()
  })

  it('is the first init container that has not succeeded', () => {
    const status = {
      phase: 'Pending',
      initContainerStatuses: [
        {name: 'one', state: {terminated: {exitCode: 0}}},
        {name: 'two', state: running},
        {name: 'three', state: {waiting: {reason: 'PodInitializing'}}},
      ],
      containerStatuses: [{name: 'api', state: {waiting: {reason: 'PodInitializing'}}}],
    }

    const trouble = podTrouble(
      pod('api-1', status, {spec: {initContainers: [init('one'), init('two'), init('three')]}}),
    )

    expect(trouble).toMatchObject({
      container: 'two',
      reason: 'PodInitializing',
      detail: 'init container is still running',
    })
  })

  it('is the init container that crashes, with its own reason', () => {
    const status = {
      phase: 'Pending',
      initContainerStatuses: [{name: 'wait', state: {waiting: {reason: 'CrashLoopBackOff'}}}],
    }

    const trouble = podTrouble(pod('api-1', status, {spec: {initContainers: [init('wait')]}}))

    expect(trouble).toMatchObject({container: 'wait', reason: 'CrashLoopBackOff'})
  })

  it('ignores a sidecar among the init containers after it has started', () => {
    const status = {
      phase: 'Running',
      initContainerStatuses: [{name: 'proxy', started: true, ready: true, state: running}],
      containerStatuses: [{name: 'api', ready: false, state: {waiting: {reason: 'CrashLoopBackOff'}}}],
    }

    const trouble = podTrouble(pod('api-1', status, {spec: {initContainers: [init('proxy', 'Always')]}}))

    expect(trouble).toMatchObject({container: 'api', reason: 'CrashLoopBackOff'})
  })

  it('is the container in the worst trouble when several are', () => {
    const containerStatuses = [
      {name: 'slow', ready: false, state: running},
      {name: 'broken', ready: false, state: {waiting: {reason: 'ImagePullBackOff'}}},
    ]

    expect(podTrouble(pod('api-1', {phase: 'Pending', containerStatuses}))).toMatchObject({
      container: 'broken',
    })
  })
})
