import {describe, expect, it} from 'vitest'
import {KkError} from '../../../src/base/errors.ts'
import {palette} from '../../../src/report/colour.ts'
import {rolledText, rollPlanText} from '../../../src/report/roll-text.ts'
import {viewText} from '../../../src/report/text/view.ts'
import {planRoll, type RollOptions, refuseUnhealthy, roll} from '../../../src/verbs/nodes/roll.ts'
import {ENVIRONMENT, type FakeCloud, fakeCloud, portsOf, server} from './support/cloud.ts'

interface Run extends Partial<RollOptions> {
  readonly run?: (node: string) => Promise<void>
  readonly unhealthy?: () => readonly string[]
  readonly ignoresUnhealthy?: boolean
  readonly seconds?: number
}

const OPTIONS = {
  ...{environment: ENVIRONMENT, files: '/nowhere', names: [], budgets: [{allowance: 1}]},
  ...{command: 'reboot $KK_NODE', onProgress: () => undefined},
}

const kubelet = (kubeletVersion: string, status = 'True') => {
  return {conditions: [{type: 'Ready', status}], nodeInfo: {kubeletVersion}}
}

/** Plans, and rolls. The command of a node is recorded among what was done. */
async function rollAll(cloud: FakeCloud, more: Run = {}) {
  const {run = async () => undefined, unhealthy = () => [], ignoresUnhealthy = false, seconds = 60} = more
  const lines: string[] = []
  const options = {...OPTIONS, onProgress: (line: string) => void lines.push(line), ...more}
  const plan = await planRoll(portsOf(cloud), options, unhealthy())
  const rolled = await roll(portsOf(cloud), {
    ...{...options, plan, concurrency: 2, soak: 1, ignoresUnhealthy},
    newDeadline: () => Date.now() + seconds * 1000,
    run: async (node) => {
      cloud.done.push(`run on ${node}`)
      await run(node)
    },
    unhealthyReleases: async () => unhealthy(),
    onEvent: () => undefined,
  })
  return {plan, rolled, lines}
}

const results = ({nodes}: {readonly nodes: readonly {readonly node: string; readonly result: string}[]}) =>
  nodes.map(({node, result}) => `${node} ${result}`)
const marks = ({nodes}: FakeCloud) =>
  nodes.flatMap(({metadata: {name, annotations = {}}}) =>
    'kk.openstack.org/rolled' in annotations ? [`${name} ${annotations['kk.openstack.org/rolled']}`] : [],
  )
const steps = ({done}: FakeCloud) => done.filter((line) => !line.startsWith('wait for'))

describe('kk node roll', () => {
  it('empties a node, runs the command, and takes it back before the next one leaves', async () => {
    const cloud = fakeCloud({servers: [server('web')]})

    const {rolled} = await rollAll(cloud)

    expect(results(rolled)).toEqual(['a rolled', 'b rolled'])
    expect(rolled.isComplete).toBe(true)
    expect(steps(cloud)).toEqual([
      ...['disable a', 'live web', 'cordon a', 'run on a', 'uncordon a', 'enable a'],
      ...['disable b', 'live web', 'cordon b', 'run on b', 'uncordon b', 'enable b'],
    ])
    expect(marks(cloud)).toEqual([])
  })

  it('leaves a node unchanged on which an instance stays, and names it', async () => {
    const cloud = fakeCloud({servers: [server('db', {tags: ['kk:maintenance=never']})]})

    const {rolled} = await rollAll(cloud)

    expect(results(rolled)).toEqual(['a left', 'b rolled'])
    expect(rolled.isComplete).toBe(false)
    // It is known before anything moves.
    expect(steps(cloud).filter((line) => line.endsWith(' a'))).toEqual([])
    expect(cloud.hosts.map(({isEnabled}) => isEnabled)).toEqual([true, true])
    const text = viewText(rolledText(rolled, palette(0)))
    expect(text).toContain('instance db (db): its tag says so: kk:maintenance=never')
    expect(text).toContain('1 node left: repeat the command')
  })

  it('stops when a command fails, and leaves that node drained', async () => {
    const cloud = fakeCloud()

    const {rolled} = await rollAll(cloud, {
      run: async () => Promise.reject(new KkError('KK_EXEC', 'no route', {hint: 'look at the network'})),
    })

    expect(rolled.nodes).toMatchObject([
      {node: 'a', result: 'failed', why: 'no route', hint: 'look at the network'},
      {node: 'b', result: 'next', why: 'another node has failed'},
    ])
    expect(cloud.nodes[0]!.spec.unschedulable).toBe(true)
    expect(cloud.done).not.toContain('disable b')
  })

  it('stops when a release is less healthy than before', async () => {
    const cloud = fakeCloud()
    const isDone = () => cloud.done.includes('run on a')

    const {rolled} = await rollAll(cloud, {
      unhealthy: () => (isDone() ? ['openstack/mariadb'] : []),
      seconds: 0,
    })

    expect(rolled.nodes).toMatchObject([
      {result: 'failed', why: 'it is back, but these are not healthy: openstack/mariadb'},
      {result: 'next'},
    ])
  })

  it('stops when a release is no longer healthy after the soak', async () => {
    const cloud = fakeCloud()
    let asked = 0
    const unhealthy = () => (cloud.done.includes('run on a') && asked++ > 0 ? ['openstack/nova'] : [])

    const {rolled} = await rollAll(cloud, {unhealthy, seconds: 1})

    expect(results(rolled)).toEqual(['a failed', 'b next'])
  })

  it('does not begin in a cloud that is not healthy, unless it continues', async () => {
    const cloud = fakeCloud()
    const unhealthy = () => ['openstack/nova']
    const plan = await planRoll(portsOf(cloud), OPTIONS, unhealthy())
    const {rolled} = await rollAll(cloud, {unhealthy, ignoresUnhealthy: true, seconds: 1})

    await rollAll(cloud, {run: async () => Promise.reject(new Error('killed'))})
    const resumed = await planRoll(portsOf(cloud), OPTIONS, unhealthy())

    expect(() => refuseUnhealthy(plan)).toThrow('no node leaves a cloud that is not healthy: openstack/nova')
    expect(viewText(rollPlanText(plan, palette(0)))).toContain('✘ openstack/nova is not healthy')
    expect(results(rolled)).toEqual(['a rolled', 'b rolled'])
    expect(resumed.isResumed).toBe(true)
    expect(() => refuseUnhealthy(resumed)).not.toThrow()
  })

  it('continues with the nodes that an interrupted call has not done, for a day', async () => {
    const cloud = fakeCloud()
    let failing = true
    const run = async (node: string) => {
      if (node === 'b' && failing) throw new KkError('KK_EXEC', 'interrupted')
    }

    await rollAll(cloud, {run})
    const marked = marks(cloud)
    failing = false
    const {plan, rolled} = await rollAll(cloud, {run})

    expect(marked).toEqual([expect.stringMatching(/^a /)])
    expect(plan.nodes).toMatchObject([
      {node: 'a', result: 'done', why: expect.stringMatching(/^at 20/)},
      {node: 'b', result: 'next'},
    ])
    expect(results(rolled)).toEqual(['a done', 'b rolled'])
    expect(marks(cloud)).toEqual([])

    const former = `${marked[0]!.split(' ')[1]} 2020-01-01T00:00:00Z`
    cloud.nodes[0]!.metadata.annotations = {'kk.openstack.org/rolled': former}
    const {rolled: later} = await rollAll(cloud)
    expect(results(later)).toEqual(['a rolled', 'b rolled'])
  })

  it('takes a node back that has its goal already, if an earlier call was killed after the command', async () => {
    const goal = {kind: 'kubelet', version: 'v2'} as const
    const cloud = fakeCloud()
    const nodes = cloud.nodes as unknown as {status: object}[]
    const upgrade = async () => {
      nodes[0]!.status = kubelet('v2')
      throw new KkError('KK_EXEC', 'killed')
    }
    await rollAll(cloud, {names: ['a'], goal, run: upgrade})
    cloud.done.length = 0

    const {plan, rolled} = await rollAll(cloud, {names: ['a'], goal})
    const {plan: after} = await rollAll(cloud, {names: ['a'], goal})

    expect(plan.nodes).toEqual([{node: 'a', result: 'next'}])
    expect(results(rolled)).toEqual(['a rolled'])
    expect(steps(cloud)).toEqual(['uncordon a', 'enable a'])
    expect(after.nodes).toEqual([{node: 'a', result: 'done', why: 'its kubelet is v2'}])
  })

  it('leaves nodes that are down or that a user has drained, which count as away', async () => {
    const nodes = ['a', 'b', 'c'].map((name) => ({metadata: {name}, spec: {}}))
    const cloud = fakeCloud({
      nodes: [
        {...nodes[0]!, status: kubelet('v2')},
        {...nodes[1]!, status: kubelet('v1', 'False')},
        {...nodes[2]!, status: kubelet('v1')},
      ],
    })
    const goal = {kind: 'kubelet', version: 'v2'} as const

    const {plan, rolled} = await rollAll(cloud, {goal, seconds: 0})
    cloud.nodes[2]!.metadata.annotations = {'kk.openstack.org/drained': 'true'}
    const {plan: drained} = await rollAll(cloud, {goal, seconds: 0})

    expect(plan.nodes).toEqual([
      {node: 'a', result: 'done', why: 'its kubelet is v2'},
      {node: 'b', result: 'left', why: 'it is NotReady'},
      {node: 'c', result: 'next', why: 'b is away, and at most 1 of 3 nodes may be'},
    ])
    expect(rolled.nodes).toEqual(plan.nodes)
    expect(rolled.isComplete).toBe(false)
    expect(drained.nodes[2]).toMatchObject({result: 'left', why: 'it was drained by kk node drain'})
  })

  it('waits until the node reports what the command was for', async () => {
    const cloud = fakeCloud()
    const status = (bootID: string) => ({conditions: [{type: 'Ready', status: 'True'}], nodeInfo: {bootID}})
    const nodes = cloud.nodes as unknown as {status: object}[]
    nodes[0]!.status = status('1')

    const never = await rollAll(cloud, {names: ['a'], goal: {kind: 'rebooted'}, seconds: 1})
    const {rolled} = await rollAll(cloud, {
      ...{names: ['a'], goal: {kind: 'rebooted'}},
      run: async () => {
        nodes[0]!.status = status('2')
      },
    })

    expect(never.rolled.nodes[0]!.why).toBe(
      'the command has ended, but not the node has rebooted; a stays drained',
    )
    expect(results(rolled)).toEqual(['a rolled'])
  })

  it('empties as many nodes at once as the budgets allow, but not all', async () => {
    const nodes = ['a', 'b', 'c'].map((name) => ({metadata: {name}, spec: {}, status: kubelet('v1')}))
    const cloud = fakeCloud({nodes})
    const both = Promise.withResolvers<void>()
    const run = async () => {
      if (cloud.done.filter((line) => line.startsWith('run on')).length === 2) both.resolve()
      await both.promise
    }

    const {rolled} = await rollAll(cloud, {budgets: [{allowance: 3}], run})

    expect(results(rolled)).toEqual(['a rolled', 'b rolled', 'c rolled'])
    expect(cloud.done.indexOf('run on c')).toBeGreaterThan(cloud.done.indexOf('uncordon a'))
  })

  it('takes nodes with a label, or those that are named', async () => {
    const cloud = fakeCloud()
    cloud.nodes[1]!.metadata.labels = {zone: 'east'}

    const {plan} = await rollAll(cloud, {selector: 'zone=east'})

    expect(plan.nodes.map(({node}) => node)).toEqual(['b'])
    await expect(rollAll(cloud, {selector: 'zone=west'})).rejects.toThrow('no node has the label zone=west')
    await expect(rollAll(cloud, {budgets: [{label: 'zoen', allowance: 1}]})).rejects.toThrow(
      '--max-unavailable: no node has the label zoen',
    )
    await expect(rollAll(cloud, {names: ['x']})).rejects.toMatchObject({code: 'KK_NO_NODE'})
  })
})
