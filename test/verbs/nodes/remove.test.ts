import {join} from 'node:path'
import {describe, expect, it} from 'vitest'
import {palette} from '../../../src/report/colour.ts'
import {addedText, addPlanText, removalPlanText, removedText} from '../../../src/report/nodes-text.ts'
import {viewText} from '../../../src/report/text/view.ts'
import {add, planAdd} from '../../../src/verbs/nodes/add.ts'
import {planRemove, remove} from '../../../src/verbs/nodes/remove.ts'
import {ENVIRONMENT, type FakeCloud, fakeCloud, host, portsOf, server} from './support/cloud.ts'

const plain = palette(0)
const AGENTS = [
  {chart: 'nova', component: 'compute', label: 'compute'},
  {chart: 'ovn', component: 'controller', label: 'switch'},
  {chart: 'ovn', component: 'sb', label: 'control', isService: true},
  {chart: 'nova', component: 'conductor', label: 'control', isService: true},
] as const

const options = (node = 'a') => ({
  ...{environment: ENVIRONMENT, node, files: join(import.meta.dirname, '../../..')},
  ...{deadline: Date.now() + 60_000, onProgress: () => undefined},
})

/** Node `a` is a hypervisor, and `b` is one with the databases. */
function cloudOf(more: Partial<FakeCloud> = {}): FakeCloud {
  const cloud = fakeCloud({
    ...{hosts: [host('a', {isEnabled: false}), host('b')], agents: AGENTS},
    ...{chassis: new Map(['a', 'b'].map((node) => [node, `c-${node}`])), ...more},
  })
  const [a, b] = cloud.nodes
  a!.metadata.labels = {compute: 'enabled', switch: 'enabled', rack: '7'}
  b!.metadata.labels = {compute: 'enabled', switch: 'enabled', control: 'enabled'}
  return cloud
}

describe('kk node remove', () => {
  it('removes labels, then the chassis, then the host, and leaves nothing', async () => {
    const cloud = cloudOf()

    const plan = await planRemove(portsOf(cloud), options())
    const removed = await remove(portsOf(cloud), {...options(), plan})

    expect(viewText(removalPlanText(plan, plain))).toBe(`to remove a:
  1.  remove compute, switch  no chart selects the node
  2.  wait for 2 pods         they end without the labels
  3.  delete its chassis      OVN forgets its tunnels
  4.  delete its host         with its resource provider, its aggregates and its agents
`)
    expect(cloud.done).toEqual(['label a', 'ovn-sbctl chassis-del c-a', 'remove a'])
    expect(removed).toMatchObject({left: [], operations: [{do: 'remove', event: 'done'}]})
    expect(cloud.nodes[0]!.metadata.labels).toEqual({rack: '7'})
    expect(viewText(removedText(removed, plain))).toContain('a is no longer part of the cloud')
  })

  it('removes only a label that is chosen, and what depends on it', async () => {
    const cloud = cloudOf({hosts: [host('a'), host('b', {isEnabled: false})]})
    const chosen = {...options('b'), labels: ['compute']}

    const plan = await planRemove(portsOf(cloud), chosen)
    const removed = await remove(portsOf(cloud), {...chosen, plan})

    expect(cloud.done).toEqual(['label b', 'remove b'])
    expect(removed.left).toEqual([])
    expect(Object.keys(cloud.nodes[1]!.metadata.labels!)).toEqual(['switch', 'control'])
  })

  it('is refused with all that lives there, and changes nothing', async () => {
    const cloud = cloudOf({servers: [server('web')], hosts: [host('a'), host('b')]})

    const plan = await planRemove(portsOf(cloud), options())

    await expect(remove(portsOf(cloud), {...options(), plan})).rejects.toMatchObject({
      code: 'KK_NODE_IN_USE',
      message:
        'a is in use: instance web (web; project shop, user ann) is here: move or delete it; nova starts instances here: kk node drain ends that',
    })
    expect(cloud.done).toEqual([])
  })

  it('says what is left if nova refuses', async () => {
    const cloud = cloudOf({refuse: new Map([['a', 'it has allocations']])})

    const plan = await planRemove(portsOf(cloud), options())
    const removed = await remove(portsOf(cloud), {...options(), plan})

    expect(viewText(removedText(removed, plain))).toBe(
      'a is not removed\n✘ nova: it has allocations\n✘ left: the host in nova\n',
    )
  })

  it('removes a node that Kubernetes no longer has', async () => {
    const cloud = cloudOf({hosts: [host('a', {isEnabled: false, isUp: false}), host('b')]})
    const only = {...cloud, nodes: cloud.nodes.slice(1)}

    const plan = await planRemove(portsOf(only), options())

    expect(plan).toMatchObject({labels: [], ends: [], chassis: ['c-a'], removesHost: true, residents: []})
    expect(only.avoided).toEqual(['a'])
  })

  it.each([
    ['a node that nothing knows', 'c', undefined, 'KK_NO_NODE'],
    ['a label by which no chart selects nodes', 'a', ['rack'], 'KK_USAGE'],
  ])('is refused for %s', async (_, node, labels, code) => {
    await expect(planRemove(portsOf(cloudOf()), {...options(node), labels})).rejects.toMatchObject({code})
  })
})

describe('kk node add', () => {
  const bare = (more: Partial<FakeCloud> = {}) => {
    const cloud = cloudOf(more)
    cloud.nodes[0]!.metadata.labels = {rack: '7'}
    return cloud
  }

  it('sets the labels of hypervisors, and maps the host to its cell', async () => {
    const cloud = bare({hosts: [host('a', {room: {}}), host('b')]})

    const plan = await planAdd(portsOf(cloud), options())
    const added = await add(portsOf(cloud), {...options(), plan})

    expect(viewText(addPlanText(plan, plain))).toContain('1.  set compute=enabled, switch=enabled')
    expect(cloud.nodes[0]!.metadata.labels).toEqual({compute: 'enabled', switch: 'enabled', rack: '7'})
    expect(cloud.done.filter((line) => !line.startsWith('wait for DaemonSet'))).toEqual([
      'label a',
      'nova-manage cell_v2 discover_hosts',
    ])
    expect(added).toMatchObject({takesInstances: true, host: {name: 'a', room: {VCPU: 8}}})
  })

  it('says why nova starts no instances there', async () => {
    const cloud = bare({hosts: [host('a', {isEnabled: false, reason: 'new disk'}), host('b')]})

    const plan = await planAdd(portsOf(cloud), options())
    const added = await add(portsOf(cloud), {...options(), plan})

    expect(viewText(addedText(added, plain))).toBe('a takes no instances: it is disabled in nova: new disk\n')
  })

  it('is refused for a node with a taint that the pods do not tolerate', async () => {
    const cloud = bare({taints: [{key: 'gpu', value: 'only', effect: 'NoSchedule'}]})

    const plan = await planAdd(portsOf(cloud), options())

    await expect(add(portsOf(cloud), {...options(), plan})).rejects.toMatchObject({
      code: 'KK_NODE_LACKS',
      message: expect.stringContaining('a has the taint gpu=only:NoSchedule, which they do not tolerate'),
    })
    expect(cloud.done).toEqual([])
  })

  it('is refused for a node that is cordoned', async () => {
    const cloud = bare()
    cloud.nodes[0]!.spec.unschedulable = true

    const {lacks} = await planAdd(portsOf(cloud), options())

    expect(lacks).toEqual([expect.stringContaining('it is cordoned')])
  })
})
