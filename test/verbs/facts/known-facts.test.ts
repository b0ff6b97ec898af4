import {join} from 'node:path'
import {describe, expect, it} from 'vitest'
import {KkError} from '../../../src/base/errors.ts'
import type {Inventory, InventoryPart} from '../../../src/kubernetes/inventory/inventory.ts'
import {FACT_NAMES} from '../../../src/overrides/facts/schema.ts'
import {knownFacts} from '../../../src/verbs/facts/known-facts.ts'
import {writeFiles} from '../../charts/support/write-files.ts'

const ANSWERS: Record<InventoryPart, Inventory> = {
  nodes: {
    nodes: [
      {name: 'n', labels: {'openstack-control-plane': 'enabled'}, cpus: 8, memory: 16000, addresses: []},
    ],
  },
  version: {version: 'v1.36.3'},
  storageClasses: {storageClasses: [{name: 'fast', isDefault: true}]},
  dnsDomain: {dnsDomain: 'cluster.local'},
}

function clusterAsked(refused: readonly InventoryPart[] = []) {
  const asked: string[] = []
  const read = async (part: InventoryPart) => {
    asked.push(part)
    if (refused.includes(part)) throw new KkError('KK_FORBIDDEN', `you may not list ${part}`)
    return ANSWERS[part]
  }
  return {asked, cluster: async () => ({inventory: {read}})}
}

function fileOf(text: string): string {
  return join(writeFiles({'facts.yaml': text}), 'facts.yaml')
}

const environment = {global: {region: 'north', storage: {ephemeral: true}}}

describe('facts', () => {
  it('of the file win over the environment, which wins over the cluster', async () => {
    const file = fileOf('region: south\ncontrollers: 5\n')
    const {cluster} = clusterAsked()

    const {facts, sources} = await knownFacts({file, environment, cluster, names: FACT_NAMES})

    expect(facts).toMatchObject({
      region: 'south',
      controllers: 5,
      storage: 'ephemeral',
      defaultStorageClass: 'fast',
      dnsDomain: 'cluster.local',
    })
    expect(sources).toMatchObject({
      region: file,
      controllers: file,
      storage: 'environment',
      defaultStorageClass: 'cluster',
    })
  })

  it('that are not needed cost no request', async () => {
    const {asked, cluster} = clusterAsked()

    await knownFacts({environment, cluster, names: []})
    await knownFacts({environment, cluster, names: ['region', 'tls']})

    expect(asked).toEqual([])
  })

  it('that are stated are not read from the cluster, and each part is read once', async () => {
    const file = fileOf('controllers: 5\n')
    const {asked, cluster} = clusterAsked()

    const {facts} = await knownFacts({file, cluster, names: ['controllers', 'cpus', 'memory']})

    expect(asked).toEqual(['nodes'])
    expect(facts).toEqual({controllers: 5, cpus: 8, memory: 16000})
  })

  it('that may not be read cause an error with their names and a hint', async () => {
    const {cluster} = clusterAsked(['nodes'])

    const facts = knownFacts({cluster, names: ['controllers', 'zones']})

    await expect(facts).rejects.toMatchObject({
      code: 'KK_FORBIDDEN',
      message: 'you may not list nodes; from the nodes kk reads the facts controllers, zones',
      hint: expect.stringContaining('--facts FILE'),
    })
  })
})
