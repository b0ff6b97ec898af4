import {describe, expect, it} from 'vitest'
import {statefulSetHealth} from '../../../../src/kubernetes/gate/kinds/stateful-set.ts'
import {around, claim, STATED, workload} from '../../support/objects.ts'

const done = {readyReplicas: 3, availableReplicas: 3, updatedReplicas: 3}

describe('the health of a StatefulSet', () => {
  it.each([
    ['all replicas are available and updated', {spec: {replicas: 3}, status: done}],
    ['it is scaled to none', {spec: {replicas: 0}, status: {}}],
    [
      'the server does not count available replicas',
      {spec: {replicas: 3}, status: {readyReplicas: 3, updatedReplicas: 3}},
    ],
  ])('is healthy when %s', (_, given) => {
    expect(statefulSetHealth(workload('StatefulSet', given), around(), STATED)).toEqual({state: 'healthy'})
  })

  it.each([
    [
      '1 of 3 pods are of its current version (partition 2)',
      {type: 'RollingUpdate', rollingUpdate: {partition: 2}},
      1,
    ],
    ['0 of 3 pods are of its current version (OnDelete)', {type: 'OnDelete'}, 0],
  ])('is partial while %s', (message, updateStrategy, updatedReplicas) => {
    const spec = {replicas: 3, updateStrategy}
    const set = workload('StatefulSet', {spec, status: {...done, updatedReplicas}})

    expect(statefulSetHealth(set, around(), STATED)).toMatchObject({state: 'partial', notes: [{message}]})
  })

  it('fails when it is scaled to fewer replicas than its chart states', () => {
    const set = workload('StatefulSet', {spec: {replicas: 0}, status: {}})

    expect(statefulSetHealth(set, around(), {...STATED, replicas: 1})).toMatchObject({
      state: 'failed',
      blames: [{message: 'it is scaled to 0, and its chart states 1'}],
    })
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
    expect(statefulSetHealth(workload('StatefulSet', given), around(), STATED)).toMatchObject({
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

    const health = statefulSetHealth(set, around([], [claim('data-api-1', 'Bound')]), STATED)

    expect(health).toMatchObject({
      state: 'waiting',
      blames: [{object: 'PersistentVolumeClaim/data-api-2', reason: 'NotFound'}],
    })
  })
})
