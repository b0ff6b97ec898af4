import {describe, expect, it} from 'vitest'
import type {OperationEvent} from '../../../src/nodes/facts.ts'
import {palette} from '../../../src/report/colour.ts'
import {drainedText, drainPlanText, nodeListText} from '../../../src/report/nodes-text.ts'
import {viewText} from '../../../src/report/text/view.ts'
import {drain, planDrain} from '../../../src/verbs/nodes/drain.ts'
import {listNodes} from '../../../src/verbs/nodes/list.ts'
import {returnNode} from '../../../src/verbs/nodes/return.ts'
import {ENVIRONMENT, type FakeCloud, fakeCloud, host, portsOf, server} from './support/cloud.ts'

const plain = palette(0)
const pod = (name: string, controller: string | undefined = 'ReplicaSet') => ({
  ...{namespace: 'openstack', name, uid: name, controller, selector: {}, isBeingDeleted: false},
})

const BLOCKER = {...pod('nova-use-kk-node-drain-a'), blocksDrain: true} as const

function options(node = 'a', seconds = 60) {
  const events: OperationEvent[] = []
  const lines: string[] = []
  return {
    ...{
      environment: ENVIRONMENT,
      node,
      files: '/nowhere',
      deadline: Date.now() + seconds * 1000,
      concurrency: 2,
    },
    ...{events, lines},
    onProgress: (line: string) => void lines.push(line),
    onEvent: (event: OperationEvent) => void events.push(event),
  }
}

const empty = (cloud: FakeCloud, seconds?: number) => drain(portsOf(cloud), options('a', seconds))

describe('kk node drain', () => {
  it('moves instances, then cordons the node, then evicts its pods but those of DaemonSets', async () => {
    const stop = {tags: ['kk:maintenance=stop']}
    const cloud = fakeCloud({
      servers: [server('web'), server('job', stop)],
      pods: [pod('api'), pod('agent', 'DaemonSet')],
    })

    const drained = await empty(cloud)

    expect(drained).toMatchObject({isEmpty: true, stays: [], pods: []})
    expect(cloud.done).toEqual(['disable a', 'live web', 'stop job', 'cordon a', 'evict api'])
    expect(cloud.pods.map(({name}) => name)).toEqual(['agent'])
    expect(cloud.jobs.size).toBe(0)
  })

  it('reports each operation as it starts and ends', async () => {
    const cloud = fakeCloud({servers: [server('web')]})
    const seen = options()

    await drain(portsOf(cloud), seen)

    expect(seen.events.map(({do: way, event}) => `${way} ${event}`)).toEqual([
      'disable started',
      'disable done',
      'live started',
      'live done',
    ])
  })

  it('leaves pods and gateways while an instance stays, and names its owner', async () => {
    const never = {tags: ['kk:maintenance=never']}
    const cloud = fakeCloud({servers: [server('web'), server('db', never)], pods: [pod('api')]})

    const drained = await empty(cloud)

    expect(drained.isEmpty).toBe(false)
    expect(cloud.done).toEqual(['disable a', 'live web'])
    expect(viewText(drainedText(drained, plain))).toContain(
      'instance db (db; project shop, user ann) stays: its tag says so: kk:maintenance=never',
    )
  })

  it('waits until nova no longer blocks the drain before it evicts pods, which may be of nova', async () => {
    const cloud = fakeCloud({servers: [server('web')], pods: [pod('api'), BLOCKER]})

    const {plan} = await planDrain(portsOf(cloud), options())
    const drained = await empty(cloud)

    expect(plan.evicts).toEqual(['openstack/api'])
    expect(drained).toMatchObject({isEmpty: true, pods: []})
    expect(cloud.done).toEqual(['disable a', 'live web', 'unblock a', 'cordon a', 'evict api'])
  })

  it('waits for an instance that nova is moving here, and moves it on', async () => {
    const coming = {server: 'web', source: 'b', target: 'a', status: 'running'}
    const cloud = fakeCloud({servers: [server('web', {host: 'b'})], moving: [coming]})
    const seen = {
      ...options(),
      onProgress: (line: string) => {
        if (!line.startsWith('waiting for web')) return
        cloud.moving = []
        cloud.servers = [server('web')]
      },
    }

    const {isEmpty} = await drain(portsOf(cloud), seen)

    expect(isEmpty).toBe(true)
    expect(cloud.done).toContain('live web')
  })

  it('leaves everything else if nova does not stop to block the drain', async () => {
    const kept = new Map([[BLOCKER.name, 'the cells cannot be read']])
    const cloud = fakeCloud({servers: [server('web')], pods: [pod('api'), BLOCKER], kept})

    const drained = await empty(cloud, 0)

    expect(drained.isEmpty).toBe(false)
    expect(cloud.done).toEqual(['disable a', 'live web'])
    expect(viewText(drainedText(drained, plain))).toContain(
      `✘ pod openstack/nova-use-kk-node-drain-a stays: nova's databases have an instance that runs here`,
    )
  })

  it('tries again what nova refused, and gives its reason in the end', async () => {
    const cloud = fakeCloud({servers: [server('web')], refuse: new Map([['web', 'No valid host']])})

    const {stays, isEmpty} = await empty(cloud)

    expect(isEmpty).toBe(false)
    expect(stays).toMatchObject([{name: 'web', why: 'No valid host'}])
    expect(cloud.done.filter((line) => line === 'live web')).toHaveLength(3)
  })

  it('follows the Job of a drain that was interrupted, before it plans', async () => {
    const cloud = fakeCloud({servers: [server('web'), server('next')]})
    const operations = [{do: 'live', host: 'a', server: 'web'}] as const
    // The name that `kk node drain a` gives to its Job.
    cloud.jobs.set('nova-instances-ca978112', operations)

    const {plan} = await planDrain(portsOf(cloud), options())

    expect(cloud.done).toEqual(['live web'])
    expect(plan.operations.map(({name}) => name)).toEqual([undefined, 'next'])
  })

  it('names the pods that a budget keeps, and those that nothing would re-create', async () => {
    const cloud = fakeCloud({
      pods: [pod('api'), pod('db', 'StatefulSet'), {...pod('debug'), controller: undefined}],
      kept: new Map([['db', 'the budget needs 3 healthy pods']]),
    })

    const drained = await empty(cloud, 0)

    expect(drained.isEmpty).toBe(false)
    expect(drained.pods).toEqual([
      {pod: 'openstack/db', why: 'the budget needs 3 healthy pods'},
      {pod: 'openstack/debug', why: 'it has no controller: nothing re-creates it'},
    ])
  })

  it('requests an eviction again that the API server did not answer', async () => {
    const cloud = fakeCloud({pods: [pod('api')], unanswered: new Set(['api'])})

    expect(await empty(cloud)).toMatchObject({isEmpty: true, pods: []})
    expect(cloud.done).toContain('evict api')
  })

  it('drains a node without nova by its pods alone', async () => {
    const cloud = fakeCloud({hosts: [], pods: [pod('api')]})

    expect(await empty(cloud)).toMatchObject({isEmpty: true, operations: []})
    expect(cloud.done).toEqual(['cordon a', 'evict api'])
  })

  it('shows a plan of numbered operations, with what each costs', async () => {
    const never = {tags: ['kk:maintenance=never']}
    const cloud = fakeCloud({servers: [server('web\u001b[2J'), server('db', never)], pods: [pod('api')]})

    const {plan} = await planDrain(portsOf(cloud), options())

    expect(cloud.done).toEqual([])
    expect(
      viewText(drainPlanText(plan, plain)),
    ).toBe(`to drain a; what follows the instances waits for those that stay:
  1.  disable a in nova  nova starts no instances here
  2.  move live web      copies 1024 MB of memory while it runs
  3.  cordon a           no new pods start here
  4.  evict 1 pod        they start elsewhere, as their budgets allow
✘ instance db (db; project shop, user ann) stays: its tag says so: kk:maintenance=never
`)
  })

  it('fails if nova still starts instances on the host, which would not stay empty', async () => {
    const cloud = fakeCloud({refuse: new Map([['a', 'forbidden']]), pods: [pod('api')]})

    await expect(empty(cloud)).rejects.toMatchObject({
      ...{code: 'KK_EXEC', message: 'nova still starts instances on a: forbidden'},
    })
    expect(cloud.done).toEqual(['disable a'])
  })

  it('is refused for a node that does not exist', async () => {
    await expect(planDrain(portsOf(fakeCloud()), options('c'))).rejects.toMatchObject({
      ...{code: 'KK_NO_NODE', hint: 'its nodes are a, b'},
    })
  })
})

describe('kk node return', () => {
  it('undoes what a drain did, when the pods of the node are ready', async () => {
    const cloud = fakeCloud({servers: [server('job', {tags: ['kk:maintenance=stop']})]})
    await empty(cloud)
    cloud.done.length = 0
    cloud.servers = cloud.servers.map((each) => ({...each, tags: ['kk:stopped']}))

    const returned = await returnNode(portsOf(cloud), options())

    expect(returned).toMatchObject({isSchedulable: true, node: 'a'})
    expect(cloud.done).toEqual([
      ...['uncordon a', 'wait for DaemonSet/agents', 'enable a', 'start job'],
      'wait for Deployment/nova-status',
    ])
    expect(cloud.nodes[0]).toMatchObject({spec: {unschedulable: null}})
  })

  it('leaves a node cordoned that a user has cordoned', async () => {
    const cloud = fakeCloud()
    cloud.nodes[0]!.spec.unschedulable = true
    await empty(cloud)

    expect(await returnNode(portsOf(cloud), options())).toMatchObject({isSchedulable: false})
    expect(cloud.done).not.toContain('uncordon a')
  })
})

describe('kk node list', () => {
  const following = {deadline: Date.now() + 60_000}

  it('says of each node what it runs, and what would be lost with it', async () => {
    const large = server('large', {needs: {VCPU: 8, MEMORY_MB: 8192}, host: 'b'})
    const used = {VCPU: 8, MEMORY_MB: 8192}
    const cloud = fakeCloud({
      servers: [server('web'), large],
      hosts: [host('a', {used: {VCPU: 1, MEMORY_MB: 1024}}), host('b', {used})],
    })

    const list = await listNodes(portsOf(cloud), ENVIRONMENT, following)

    expect(list.mayLoseOne).toBe(false)
    expect(
      list.nodes.map(({node, instances, unplaceable}) => [node, instances, unplaceable?.length]),
    ).toEqual([
      ['a', 1, 1],
      ['b', 1, 1],
    ])
    expect(viewText(nodeListText(list, plain))).toContain(
      'large: no other host has 8 vCPUs, 8192 MB of memory left',
    )
  })

  it('says of a disk on the node that it would be lost with it', async () => {
    const cloud = fakeCloud({servers: [server('web', {localDiskGB: 20})]})

    const {nodes, mayLoseOne} = await listNodes(portsOf(cloud), ENVIRONMENT, following)

    expect(nodes[0]!.unplaceable).toEqual([
      {server: 'web', name: 'web', why: 'its disk is a file of the node'},
    ])
    expect(mayLoseOne).toBe(false)
  })

  it('names a clock that differs', async () => {
    const times = {managedFields: [{time: '2026-11-29T10:00:00Z', fieldsV1: {'f:spec': {'f:renewTime': {}}}}]}
    const lease = {metadata: {name: 'b', ...times}, spec: {renewTime: '2026-11-29T09:58:30.5Z'}}

    const list = await listNodes(portsOf(fakeCloud({leases: [lease]})), ENVIRONMENT, following)

    expect(list.nodes.map(({clockAhead}) => clockAhead)).toEqual([undefined, -90])
    expect(viewText(nodeListText(list, plain))).toContain('ready, clock 90 s behind')
  })

  it('lists the nodes of a cluster without nova', async () => {
    const list = await listNodes(portsOf(fakeCloud({hosts: []})), ENVIRONMENT, following)

    expect(list.nodes.map(({node, host: none}) => [node, none])).toEqual([
      ['a', undefined],
      ['b', undefined],
    ])
    expect(list).not.toHaveProperty('mayLoseOne')
  })
})
