import {describe, expect, it} from 'vitest'
import {daemonSetHealth} from '../../../../src/cluster/gate/kinds/daemon-set.ts'
import {around, workload} from '../../support/objects.ts'

const done = {desiredNumberScheduled: 3, updatedNumberScheduled: 3, numberAvailable: 3}

describe('the health of a DaemonSet', () => {
  it.each([
    ['a pod of the new template is available on every node', {status: done}],
    ['no node wants it', {status: {desiredNumberScheduled: 0}}],
    [
      'it is updated by hand only',
      {spec: {updateStrategy: {type: 'OnDelete'}}, status: {...done, updatedNumberScheduled: 0}},
    ],
  ])('is healthy when %s', (_, given) => {
    expect(daemonSetHealth(workload('DaemonSet', given), around())).toEqual({state: 'healthy'})
  })

  it.each([
    ['its controller has not seen the change yet', {status: done, observed: 1}],
    ['1 of 3 pods are updated', {status: {...done, updatedNumberScheduled: 1}}],
    ['2 of 3 pods are available', {status: {...done, numberAvailable: 2}}],
  ])('is waiting while %s', (message, given) => {
    expect(daemonSetHealth(workload('DaemonSet', given), around())).toMatchObject({
      state: 'waiting',
      blames: [{message}],
    })
  })
})
