import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {kubectl} from '../../aio/support/node.ts'
import {waitFor} from '../../e2e/support/cluster.ts'
import {makeCloud} from '../support/own-cloud.ts'

const NODE = 'aio'

let namespace: string
let label: string
let cloud: Awaited<ReturnType<typeof makeCloud>>
beforeAll(async () => {
  cloud = await makeCloud('memcached')
  namespace = cloud.namespace
  label = `test.kk.openstack.org/${namespace}`
})
afterAll(async () => {
  await kubectl(['label', 'node', NODE, `${label}-`])
  await cloud.remove()
})

const deploy = (pod: object, timeout = '10m') =>
  cloud.run('deploy', {
    kk: {releases: {memcached: {timeout}}},
    memcached: {labels: {server: {node_selector_key: label, node_selector_value: 'yes'}}, pod},
  })

interface Pods {
  readonly items: readonly {
    readonly spec: {readonly nodeName?: string}
    readonly status: {readonly conditions?: readonly {readonly type: string; readonly message?: string}[]}
  }[]
}

/** What the scheduler says of the pods that have no node. */
async function unplaced(): Promise<readonly string[]> {
  const {items} = JSON.parse(
    await kubectl(['get', 'pods', '--namespace', namespace, '--output', 'json']),
  ) as Pods
  const waiting = items.filter(({spec}) => spec.nodeName === undefined)
  return waiting.map(
    ({status}) => status.conditions?.find(({type}) => type === 'PodScheduled')?.message ?? '',
  )
}

describe('pods of a release', {timeout: 600_000}, () => {
  it('wait for a node with their label, and run on it', async () => {
    const deployed = deploy({})
    await waitFor(async () => /node affinity\/selector/.test((await unplaced()).join()), {
      until: 'the scheduler says that no node has the label',
      seconds: 120,
    })

    await kubectl(['label', 'node', NODE, `${label}=yes`])

    await deployed
    expect(await unplaced()).toEqual([])
  })

  it('of one component run on different nodes if required', async () => {
    const anti = {type: {default: 'requiredDuringSchedulingIgnoredDuringExecution'}}

    const deployed = deploy({replicas: {server: 2}, affinity: {anti}}, '60s')

    await expect(deployed).rejects.toThrow(/anti-affinity/)
    expect(await unplaced()).toHaveLength(1)
  })
})
