import {join} from 'node:path'
import {describe, expect, it} from 'vitest'
import {palette} from '../../../src/report/colour.ts'
import {replacedText, replacementPlanText} from '../../../src/report/nodes-text.ts'
import {viewText} from '../../../src/report/text/view.ts'
import {planReplace, replace} from '../../../src/verbs/nodes/replace.ts'
import {ENVIRONMENT} from './support/cloud.ts'
import {type FakeMembers, fakeMembers, portsOf} from './support/members.ts'

const plain = palette(0)

const options = (more: {readonly node?: string; readonly replacement?: string} = {}) => ({
  ...{environment: ENVIRONMENT, node: 'a', files: join(import.meta.dirname, '../../..')},
  ...{deadline: Date.now() + 60_000, onProgress: () => undefined, ...more},
})

const refusals = async (change: (cloud: FakeMembers) => void) => {
  const cloud = fakeMembers()
  change(cloud)
  return (await planReplace(portsOf(cloud), options())).refusals
}

describe('kk node replace', () => {
  it('lets the others forget the lost members, which begin again with empty claims and get their replicas', async () => {
    const cloud = fakeMembers()

    const plan = await planReplace(portsOf(cloud), options())
    const replaced = await replace(portsOf(cloud), options())

    expect(plan.refusals).toEqual([])
    expect(viewText(replacementPlanText(plan, plain))).toContain('to replace a:')
    expect(cloud.done.slice(0, 5)).toEqual([
      'rabbitmqctl forget_cluster_node rabbit@rabbitmq-server-0.peers',
      'ovs-appctl /run/ovn/db.ctl cluster/kick OVN_Southbound 0a0a',
      expect.stringMatching(/mon remove ceph-mon-0$/),
      expect.stringMatching(/osd purge osd\.0$/),
      expect.stringMatching(/osd crush rm a$/),
    ])
    expect(cloud.done).toContain('delete PersistentVolumeClaim data-mariadb-server-0')
    expect(cloud.done).toContain('delete Pod mariadb-server-0 by force')
    expect(cloud.done).toContain('delete Pod ceph-mgr-0 by force')
    expect(cloud.done).toContain('wait for rabbitmq-server')
    expect(cloud.done.at(-1)).toBe(
      '/usr/lib/rabbitmq/bin/rabbitmq-streams add_replica / nova rabbit@rabbitmq-server-0.peers',
    )
    expect(replaced.members).toHaveLength(5)
    expect(viewText(replacedText(replaced, plain))).toContain(
      'claim openstack/glance-images stays: no other member has its data',
    )
  })

  it('waits until the message bus can be read, with a new member that is still starting', async () => {
    const cloud = fakeMembers()
    cloud.unreadWhenBack = 2

    await replace(portsOf(cloud), options())

    expect(cloud.done.at(-1)).toMatch(/^\/usr\/lib\/rabbitmq\/bin\/rabbitmq-streams add_replica /)
  })

  it('says why the message bus cannot be read if that does not end', async () => {
    const cloud = fakeMembers()
    cloud.unreadWhenBack = Infinity

    const replaced = replace(portsOf(cloud), {...options(), deadline: Date.now() + 300})

    await expect(replaced).rejects.toMatchObject({
      code: 'KK_UNHEALTHY',
      message: expect.stringContaining('RabbitMQ cannot be read: '),
    })
  })

  it('finds nothing to do once all members run elsewhere', async () => {
    const cloud = fakeMembers()
    const ports = portsOf(cloud)
    await replace(ports, options())
    cloud.osds = cloud.osds.filter(({node}) => node !== 'a')
    cloud.monitors = cloud.quorum
    cloud.done.length = 0

    const replaced = await replace(ports, options())

    expect(replaced.members).toEqual([])
    expect(cloud.done.filter((line) => !line.startsWith('wait for'))).toEqual([])
  })

  it('is refused while the kubelet of the node reports', async () => {
    expect(
      await refusals((cloud) => {
        cloud.isBack = true
      }),
    ).toEqual(['its kubelet reports to Kubernetes'])
    const back = fakeMembers()
    back.isBack = true
    await expect(replace(portsOf(back), options())).rejects.toMatchObject({code: 'KK_NODE_NEEDED'})
    expect(back.done).toEqual([])
  })

  it.each([
    [{'mariadb-server-1': {cluster_status: 'non-Primary'}}, 'mariadb-server-1 is non-Primary'],
    [{'mariadb-server-2': {local_state_comment: 'Joined'}}, 'mariadb-server-2 is Joined'],
    [{'mariadb-server-2': {last_committed: '6'}}, 'mariadb-server-2 has change 6, another has 7'],
    [{'mariadb-server-1': {cluster_state_uuid: 'g'}}, 'its members have several histories'],
    [{'mariadb-server-1': {cluster_size: '3'}}, 'mariadb-server-1 sees 3 members, and 2 run elsewhere'],
  ])('is refused unless the members of Galera agree: %j', async (wsrep, why) => {
    expect(await refusals((cloud) => Object.assign(cloud.wsrep, wsrep))).toEqual([
      `openstack/mariadb-server: ${why}`,
    ])
  })

  it('is refused while a queue has most of its replicas on the node only, or unknown ones', async () => {
    const found = await refusals(({rabbit}) => {
      rabbit.queues.push({name: ['/', 'alone'], members: [rabbit.members[0]], online: []})
      rabbit.queues.push({name: ['/', 'unknown'], members: null, online: null})
    })

    expect(found).toEqual([
      'openstack/rabbitmq-server: the replicas of queue unknown of / are unknown',
      'openstack/rabbitmq-server: most replicas of queue alone of / are lost',
    ])
  })

  it('is refused without a leader, a quorum, or data that can be read', async () => {
    const found = await refusals((cloud) => {
      cloud.leader = 'unknown'
      cloud.quorum = ['ceph-mon-1']
      cloud.hasMgr = false
      cloud.placementGroups.push({state_name: 'active+recovery_unfound+degraded', count: 2})
    })

    expect(found).toEqual([
      'openstack/ovn-sb: ovn-sb-1 knows no leader',
      'openstack/ovn-sb: ovn-sb-2 knows no leader',
      'openstack/ceph-mon: its other monitors have no majority',
      'openstack/ceph-osd: no ceph-mgr is active; if its pod was on the node, delete it by force',
      'openstack/ceph-osd: 2 placement groups are active+recovery_unfound+degraded',
    ])
  })

  it('is refused for the only member, whose data is lost', async () => {
    const found = await refusals((cloud) => {
      for (const [at, pod] of cloud.pods.entries())
        if (pod.chart === 'mariadb') cloud.pods[at] = {...pod, isRunning: false}
    })

    expect(found).toEqual(['openstack/mariadb-server has no other member that runs'])
  })

  it.each([
    [['ovn', 'sb'], 'not every member of OVN_Southbound lists all 3'],
    [['ceph', 'mon'], 'not all 3 monitors of Ceph are in the quorum'],
  ] as const)('does not call a member of %j ready that began a cluster of its own', async (set, message) => {
    const cloud = fakeMembers()
    cloud.isApart = true
    cloud.sets = [set]

    const replaced = replace(portsOf(cloud), {...options(), deadline: Date.now() + 200})

    await expect(replaced).rejects.toMatchObject({code: 'KK_UNHEALTHY', message})
  })

  it('labels the node that takes its place, if that is there', async () => {
    const cloud = fakeMembers()

    await replace(portsOf(cloud), options({replacement: 'd'}))

    expect(cloud.done[0]).toBe('label d control')
    await expect(planReplace(portsOf(cloud), options({replacement: 'e'}))).rejects.toMatchObject({
      code: 'KK_NO_NODE',
    })
  })

  it('takes a node that Kubernetes no longer has, as long as there are claims on it', async () => {
    const cloud = fakeMembers()
    cloud.isDeleted = true

    const {members} = await planReplace(portsOf(cloud), options())

    expect(members).toHaveLength(5)
    await expect(planReplace(portsOf(cloud), options({node: 'x'}))).rejects.toMatchObject({
      code: 'KK_NO_NODE',
    })
  })
})
