import {describe, expect, it} from 'vitest'
import {
  replicaSetHealth,
  replicationControllerHealth,
} from '../../../../src/kubernetes/gate/kinds/replica-set.ts'
import {around, pod, STATED, waitingFor, workload} from '../../support/objects.ts'

describe('the health of a ReplicaSet', () => {
  const healthWith = (replicas: number, availableReplicas: number) =>
    replicaSetHealth(
      workload('ReplicaSet', {spec: {replicas}, status: {availableReplicas}}),
      around([pod('api-1', waitingFor('ImagePullBackOff'))]),
      {...STATED, replicas: 1},
    )

  it('is healthy when all replicas are available', () => {
    expect(healthWith(2, 2)).toEqual({state: 'healthy'})
  })

  it('is waiting while one is not, and names the pod', () => {
    expect(healthWith(2, 1)).toMatchObject({
      state: 'waiting',
      blames: [{message: '1 of 2 replicas are available', pod: 'api-1', reason: 'ImagePullBackOff'}],
    })
  })

  it('fails when it is scaled to fewer than its chart states', () => {
    expect(healthWith(0, 0)).toMatchObject({state: 'failed'})
  })
})

it('a ReplicationController names its pod, which it selects by a map of labels', () => {
  const controller = workload('ReplicationController', {
    spec: {replicas: 1, selector: {app: 'api'}},
    status: {availableReplicas: 0},
  })
  const pods = [pod('api-1', waitingFor('ImagePullBackOff'))]

  expect(
    replicationControllerHealth({...controller, spec: {selector: {app: 'api'}}}, around(pods), STATED),
  ).toMatchObject({
    state: 'waiting',
    blames: [{object: 'ReplicationController/api', pod: 'api-1'}],
  })
})
