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

const CHASSIS_DELETION = 'ovn-sbctl chassis-del c-a destroy Chassis_Private c-a'

describe('kk node remove', () => {
  it('removes labels, then the host, then the chassis, and leaves nothing', async () => {
    const cloud = cloudOf({neutronAgents: [{id: 'c-a', hosts: ['a', 'c-a']}]})

    const plan = await planRemove(portsOf(cloud), options())
    const removed = await remove(portsOf(cloud), options())

    expect(viewText(removalPlanText(plan, plain))).toBe(`to remove a:
  1.  remove compute, switch  no chart selects the node
  2.  wait for 2 pods         they end without the labels
  3.  delete its host         with its resource provider, its aggregates and its agents
  4.  delete its chassis      OVN forgets its tunnels
`)
    expect(cloud.done).toEqual(['label a', 'remove a', CHASSIS_DELETION])
    expect(removed).toMatchObject({left: [], operations: [{do: 'remove', event: 'done'}]})
    expect(cloud.nodes[0]!.metadata.labels).toEqual({rack: '7'})
    expect(viewText(removedText(removed, plain))).toBe('a is no longer part of the cloud\n')
  })

  it('empties an osd of Ceph before it removes anything', async () => {
    const status = {chart: 'ceph', component: 'status', label: 'control', isService: true} as const
    const osd = {chart: 'ceph', component: 'osd', label: 'disks'}
    const osds = ['a', 'b', 'c'].map((node, id) => ({id, node, moves: id === 0 ? 1 : 0}))
    const cloud = cloudOf({agents: [...AGENTS, status, osd], osds})
    cloud.nodes[0]!.metadata.labels!.disks = 'enabled'

    const plan = await planRemove(portsOf(cloud), options())
    const removed = await remove(portsOf(cloud), options())

    expect(viewText(removalPlanText(plan, plain))).toContain('1.  empty osd.0')
    expect(cloud.done).toEqual([
      ...['ceph osd out osd.0', 'ceph osd safe-to-destroy osd.0', 'ceph osd safe-to-destroy osd.0'],
      ...['label a', 'ceph osd purge osd.0 --yes-i-really-mean-it', 'ceph osd crush rm a'],
      ...['remove a', CHASSIS_DELETION],
    ])
    expect(removed.left).toEqual([])
  })

  it("removes only a label that is chosen, and of the chassis that stays only neutron's agents", async () => {
    const cloud = cloudOf({hosts: [host('a'), host('b', {isEnabled: false})]})
    const chosen = {...options('b'), labels: ['compute']}

    const removed = await remove(portsOf(cloud), chosen)

    expect(cloud.done).toEqual([
      ...['label b', 'remove b'],
      'ovn-sbctl remove Chassis_Private c-b external_ids "neutron:ovn-metadata-id"',
      'ovn-sbctl set SB_Global . external_ids:delete_agent="m-c-b"',
      'ovn-sbctl remove SB_Global . external_ids delete_agent',
    ])
    expect(removed.left).toEqual([])
    expect(Object.keys(cloud.nodes[1]!.metadata.labels!)).toEqual(['switch', 'control'])
    expect(viewText(removedText(removed, plain))).toBe('b is removed as compute; it keeps control, switch\n')
  })

  it('is refused with all that lives there, and changes nothing', async () => {
    const cloud = cloudOf({servers: [server('web')], hosts: [host('a'), host('b')]})

    await expect(remove(portsOf(cloud), options())).rejects.toMatchObject({
      code: 'KK_NODE_IN_USE',
      message:
        'a is in use: instance web (web; project shop, user ann) is here: move or delete it; nova starts instances here: kk node drain ends that',
    })
    expect(cloud.done).toEqual([])
  })

  it('says what is left if nova refuses, and leaves the chassis', async () => {
    const cloud = cloudOf({refuse: new Map([['a', 'it has allocations']])})

    const removed = await remove(portsOf(cloud), options())

    expect(viewText(removedText(removed, plain))).toBe(
      'a is not removed\n✘ nova: it has allocations\n✘ left: the chassis c-a of OVN\n✘ left: its host, its resource provider or its agents\n',
    )
    expect(cloud.done).toEqual(['label a', 'remove a'])
  })

  it('removes a node that Kubernetes no longer has', async () => {
    const cloud = cloudOf({hosts: [host('a', {isUp: false}), host('b')]})
    const only = {...cloud, nodes: cloud.nodes.slice(1)}

    const plan = await planRemove(portsOf(only), options())

    expect(plan).toMatchObject({labels: [], ends: [], removesHost: true, residents: []})
    expect(plan.chassis.map(({name}) => name)).toEqual(['c-a'])
    expect(only.avoided).toEqual(['a'])
  })

  it('is refused if nova runs and cannot be asked what is there', async () => {
    const cloud = cloudOf({hosts: []})

    await expect(planRemove(portsOf(cloud), options())).rejects.toMatchObject({code: 'KK_NOT_INSTALLED'})
  })

  it('is refused if OVN runs and cannot be asked for its gateways', async () => {
    const cloud = cloudOf({agents: AGENTS.filter(({component}) => component !== 'sb')})

    await expect(planRemove(portsOf(cloud), options())).rejects.toMatchObject({
      ...{code: 'KK_EXEC', message: expect.stringContaining('the gateways are unknown')},
    })
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
    expect(cloud.done).toEqual([
      'label a',
      ...['wait for Pod/nova-compute-a', 'nova-manage cell_v2 discover_hosts'],
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

  it('asks for one of the DaemonSets of groups of nodes, not for all', async () => {
    const group = (name: string) => ({...AGENTS[0], label: 'compute', group: name})
    const cloud = bare({agents: [group('pinned'), ...AGENTS]})

    expect((await planAdd(portsOf(cloud), options())).lacks).toEqual([])
    expect((await planAdd(portsOf(bare({agents: [group('pinned')]})), options())).lacks).toEqual([
      expect.stringContaining('does not match the node affinity'),
    ])
  })

  it('is refused for a node that is cordoned', async () => {
    const cloud = bare()
    cloud.nodes[0]!.spec.unschedulable = true

    const {lacks} = await planAdd(portsOf(cloud), options())

    expect(lacks).toEqual([expect.stringContaining('it is cordoned')])
  })
})
