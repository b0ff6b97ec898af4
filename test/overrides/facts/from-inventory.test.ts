import {describe, expect, it} from 'vitest'
import type {SeenNode} from '../../../src/kubernetes/inventory/inventory.ts'
import {factsOfInventory, partsFor} from '../../../src/overrides/facts/from-inventory.ts'

const CONTROLLER = {'openstack-control-plane': 'enabled'}
const COMPUTE = {'openstack-compute-node': 'enabled'}

function node(labels: Record<string, string>, more: Partial<SeenNode> = {}): SeenNode {
  return {name: 'n', labels, cpus: 16, memory: 65536, addresses: ['10.0.0.1'], ...more}
}
const zone = (name: string) => ({'topology.kubernetes.io/zone': name})

describe('the facts of an inventory', () => {
  it('count nodes by their labels, and use the smallest controller', () => {
    const facts = factsOfInventory({
      nodes: [
        node({...CONTROLLER, ...zone('b')}),
        node({...CONTROLLER, ...zone('a')}, {cpus: 8, memory: 32000}),
        node({...COMPUTE, ...zone('c')}, {cpus: 2, memory: 4000}),
      ],
    })

    expect(facts).toEqual({
      nodes: 3,
      controllers: 2,
      computes: 1,
      cpus: 8,
      memory: 32000,
      zones: ['a', 'b'],
      ipFamily: 'ipv4',
    })
  })

  it('contain no numbers of controllers if no node has a label', () => {
    expect(factsOfInventory({nodes: [node({})]})).toEqual({nodes: 1, ipFamily: 'ipv4'})
  })

  it('have no compute node if there are only controllers', () => {
    expect(factsOfInventory({nodes: [node(CONTROLLER)]})).toMatchObject({controllers: 1, computes: 0})
  })

  it.each([
    [['fd00::1'], 'ipv6'],
    [['10.0.0.1', 'fd00::1'], undefined],
    [[], undefined],
  ])('take %j for the family %s', (addresses, family) => {
    expect(factsOfInventory({nodes: [node({}, {addresses})]}).ipFamily).toBe(family)
  })

  it('never contain the storage', () => {
    const facts = factsOfInventory({
      version: 'v1.36.3',
      storageClasses: [
        {name: 'slow', isDefault: false},
        {name: 'fast', isDefault: true},
      ],
      dnsDomain: 'cluster.local',
    })

    expect(facts).toEqual({
      kubernetesVersion: 'v1.36.3',
      storageClasses: ['fast', 'slow'],
      defaultStorageClass: 'fast',
      dnsDomain: 'cluster.local',
    })
  })
})

it('only the parts of the inventory that wanted facts need are read', () => {
  expect([...partsFor([])]).toEqual([])
  expect([...partsFor(['region', 'tls', 'storage', 'allInOne'])]).toEqual([])
  expect([...partsFor(['controllers', 'region', 'zones', 'dnsDomain'])]).toEqual([
    ['nodes', ['controllers', 'zones']],
    ['dnsDomain', ['dnsDomain']],
  ])
})
