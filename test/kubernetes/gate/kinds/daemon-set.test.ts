import {describe, expect, it} from 'vitest'
import {daemonSetHealth} from '../../../../src/kubernetes/gate/kinds/daemon-set.ts'
import {around, STATED, workload} from '../../support/objects.ts'

const done = {desiredNumberScheduled: 3, updatedNumberScheduled: 3, numberAvailable: 3}

describe('the health of a DaemonSet', () => {
  it.each([['a pod of the new template is available on every node', {status: done}]])(
    'is healthy when %s',
    (_, given) => {
      expect(daemonSetHealth(workload('DaemonSet', given), around(), STATED)).toEqual({state: 'healthy'})
    },
  )

  it('is healthy without a matching node, with a note', () => {
    const set = workload('DaemonSet', {status: {desiredNumberScheduled: 0}})

    expect(daemonSetHealth(set, around(), STATED)).toEqual({
      state: 'healthy',
      notes: [
        {
          object: 'DaemonSet/api',
          namespace: 'openstack',
          message: 'no node matches it, so it has no pods',
          reason: 'NoNodes',
        },
      ],
    })
  })

  it('is partial while pods that no controller replaces are of an older version', () => {
    const status = {...done, updatedNumberScheduled: 1}
    const set = workload('DaemonSet', {spec: {updateStrategy: {type: 'OnDelete'}}, status})

    expect(daemonSetHealth(set, around(), STATED)).toMatchObject({
      state: 'partial',
      notes: [{message: '1 of 3 pods are of its current version (OnDelete)'}],
    })
  })

  it.each([
    ['its controller has not seen the change yet', {status: done, observed: 1}],
    ['1 of 3 pods are updated', {status: {...done, updatedNumberScheduled: 1}}],
    ['2 of 3 pods are available', {status: {...done, numberAvailable: 2}}],
  ])('is waiting while %s', (message, given) => {
    expect(daemonSetHealth(workload('DaemonSet', given), around(), STATED)).toMatchObject({
      state: 'waiting',
      blames: [{message}],
    })
  })
})
