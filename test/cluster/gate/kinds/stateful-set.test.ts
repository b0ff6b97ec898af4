import {describe, expect, it} from 'vitest'
import {statefulSetHealth} from '../../../../src/cluster/gate/kinds/stateful-set.ts'
import {around, claim, workload} from '../../support/objects.ts'

const done = {readyReplicas: 3, availableReplicas: 3, updatedReplicas: 3}

describe('the health of a StatefulSet', () => {
  it.each([
    ['all replicas are available and updated', {spec: {replicas: 3}, status: done}],
    ['it is scaled to none', {spec: {replicas: 0}, status: {}}],
    [
      'those above the partition are updated',
      {
        spec: {replicas: 3, updateStrategy: {type: 'RollingUpdate', rollingUpdate: {partition: 2}}},
        status: {...done, updatedReplicas: 1},
      },
    ],
    [
      'it is updated by hand only',
      {spec: {replicas: 3, updateStrategy: {type: 'OnDelete'}}, status: {...done, updatedReplicas: 0}},
    ],
    [
      'the server does not count available replicas',
      {spec: {replicas: 3}, status: {readyReplicas: 3, updatedReplicas: 3}},
    ],
  ])('is healthy when %s', (_, given) => {
    expect(statefulSetHealth(workload('StatefulSet', given), around())).toEqual({state: 'healthy'})
  })

  it.each([
    ['its controller has not seen the change yet', {spec: {replicas: 3}, status: done, observed: 1}],
    ['2 of 3 replicas are available', {spec: {replicas: 3}, status: {...done, availableReplicas: 2}}],
    ['1 of 3 replicas are updated', {spec: {replicas: 3}, status: {...done, updatedReplicas: 1}}],
    [
      '0 of 1 replicas are updated',
      {
        spec: {replicas: 3, updateStrategy: {rollingUpdate: {partition: 2}}},
        status: {...done, updatedReplicas: 0},
      },
    ],
  ])('is waiting while %s', (message, given) => {
    expect(statefulSetHealth(workload('StatefulSet', given), around())).toMatchObject({
      state: 'waiting',
      blames: [{message}],
    })
  })

  it('awaits the claim of each ordinal', () => {
    const volumeClaimTemplates = [{metadata: {name: 'data'}}]
    const set = workload('StatefulSet', {
      spec: {replicas: 2, ordinals: {start: 1}, volumeClaimTemplates},
      status: {availableReplicas: 2, updatedReplicas: 2},
    })

    const health = statefulSetHealth(set, around([], [claim('data-api-1', 'Bound')]))

    expect(health).toMatchObject({
      state: 'waiting',
      blames: [{object: 'PersistentVolumeClaim/data-api-2', reason: 'NotFound'}],
    })
  })
})
