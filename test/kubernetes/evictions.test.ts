import {describe, expect, it} from 'vitest'
import {openEvictions} from '../../src/kubernetes/evictions.ts'
import {json, refuse, scriptedServer} from './support/api-server.ts'

const POD = {
  ...{namespace: 'openstack', name: 'web-1', uid: 'u1', controller: 'ReplicaSet'},
  ...{selector: {disk: 'ssd'}, isBeingDeleted: false},
}

describe('the pods of a node', () => {
  it('are those that run there, with their controllers, without those of the kubelet', async () => {
    const owners = [
      {kind: 'Other', name: 'x'},
      {kind: 'ReplicaSet', name: 'web', controller: true},
    ]
    const items = [
      {
        metadata: {namespace: 'openstack', name: 'web-1', uid: 'u1', ownerReferences: owners},
        spec: {nodeSelector: {disk: 'ssd'}},
      },
      {metadata: {namespace: 'default', name: 'alone', uid: 'u2', deletionTimestamp: '2026-11-29T10:00:00Z'}},
      {metadata: {namespace: 'kube-system', name: 'etcd', annotations: {'kubernetes.io/config.mirror': 'x'}}},
    ]
    const {client, asked} = await scriptedServer((_, response) => json(response, {metadata: {}, items}))

    const pods = await openEvictions(client).pods('node-1')

    const alone = {namespace: 'default', name: 'alone', uid: 'u2', controller: undefined, selector: {}}
    expect(pods).toEqual([POD, {...alone, isBeingDeleted: true}])
    expect(asked[0]!.query.get('fieldSelector')).toBe(
      'spec.nodeName=node-1,status.phase!=Succeeded,status.phase!=Failed',
    )
  })

  it('have a mark if they block a drain', async () => {
    const labels = {'kk.openstack.org/blocks-drain': 'nova-use-kk-node-drain-node-1'}
    const items = [{metadata: {namespace: 'openstack', name: 'blocker', uid: 'u', labels}}]
    const {client} = await scriptedServer((_, response) => json(response, {metadata: {}, items}))

    expect(await openEvictions(client).pods('node-1')).toMatchObject([{name: 'blocker', blocksDrain: true}])
  })
})

describe('an eviction', () => {
  it('is requested for the pod that was seen, not for another of its name', async () => {
    const {client, asked} = await scriptedServer((_, response) => json(response, {}, 201))

    expect(await openEvictions(client).evict(POD)).toBeUndefined()

    expect(asked[0]!.path).toBe('/api/v1/namespaces/openstack/pods/web-1/eviction')
    expect(JSON.parse(asked[0]!.body)).toMatchObject({
      kind: 'Eviction',
      deleteOptions: {preconditions: {uid: 'u1'}},
    })
  })

  it('returns at once why a budget refuses it', async () => {
    const message = 'Cannot evict pod as it would violate the pod disruption budget.'
    const details = {causes: [{reason: 'DisruptionBudget', message: 'needs 2 healthy pods'}]}
    const {client, asked} = await scriptedServer((_, response) => {
      response.setHeader('retry-after', '10')
      json(response, {kind: 'Status', status: 'Failure', message, details, code: 429}, 429)
    })

    expect(await openEvictions(client).evict(POD)).toBe(message)
    expect(asked).toHaveLength(1)
  })

  it.each([404, 409])('is over if the pod is gone or replaced (%d)', async (status) => {
    const {client} = await scriptedServer((_, response) => refuse(response, status, 'gone'))

    expect(await openEvictions(client).evict(POD)).toBeUndefined()
  })

  it('repeats a request that the server throttles', async () => {
    let count = 0
    const {client} = await scriptedServer((_, response) => {
      if (count++ === 0) refuse(response, 429, 'too many requests', {'retry-after': '0'})
      else json(response, {}, 201)
    })

    expect(await openEvictions(client).evict(POD)).toBeUndefined()
    expect(count).toBe(2)
  })
})
