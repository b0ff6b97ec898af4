import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {kubectl} from '../../aio/support/node.ts'
import {waitFor} from '../../e2e/support/cluster.ts'
import {killPods, makeCloud, podIds, rolledOut} from '../support/own-cloud.ts'

const SETS = ['ovn-nb', 'ovn-sb']
const MEMBERS = SETS.flatMap((set) => [0, 1, 2].map((ordinal) => `${set}-${ordinal}`))

let namespace: string
let cloud: Awaited<ReturnType<typeof makeCloud>>
beforeAll(async () => {
  cloud = await makeCloud('ovn-northd')
  namespace = cloud.namespace
})
afterAll(() => cloud.remove())

/**
 * The databases and what translates between them, without the agent that would change the switch of the node.
 */
async function deploy(members: number): Promise<void> {
  await cloud.run('deploy', {
    kk: {releases: {ovn: {without: ['openvswitch']}}},
    ovn: {pod: {replicas: {nb: members, sb: members}}, manifests: {daemonset_controller: false}},
  })
}

const exec = (pod: string, ...command: readonly string[]) =>
  kubectl(['exec', '--namespace', namespace, pod, '--', ...command])

/** Asks each member once; what has asked all of them in vain does nothing more until its seconds are over. */
const nbctl = (...command: readonly string[]) =>
  exec('deployment/ovn-northd', 'ovn-nbctl', '--timeout=10', ...command)

/** How many members the leader of a database knows, asked of each member. */
async function clusterSizes(set: string): Promise<readonly number[]> {
  const database = set === 'ovn-nb' ? 'OVN_Northbound' : 'OVN_Southbound'
  const sizes: number[] = []
  for (const ordinal of [0, 1, 2]) {
    const status = await exec(
      `${set}-${ordinal}`,
      ...['ovn-appctl', '--target=/run/ovn/db.ctl', 'cluster/status', database],
    )
    sizes.push([...status.matchAll(/ at tcp:/g)].length)
  }
  return sizes
}

/** Adds a network; the client gives up while the members have not agreed on a leader, as no service does. */
const isAdded = (name: string) =>
  nbctl('--wait=sb', '--may-exist', 'ls-add', name).then(
    () => true,
    () => false,
  )

const networks = async () => (await nbctl('--bare', '--columns=name', 'list', 'Logical_Switch')).split(/\s+/)

describe('ovn: its databases', {timeout: 900_000}, () => {
  it('bootstrap with one member each, and two more join', async () => {
    await deploy(1)
    await nbctl('--wait=sb', 'ls-add', 'first')

    await deploy(3)

    for (const set of SETS) expect(await clusterSizes(set)).toEqual([3, 3, 3])
    expect(await networks()).toContain('first')
  })

  it('stay available while any one member is away', async () => {
    await killPods(namespace, 'ovn-nb-0', 'ovn-sb-0')

    await waitFor(() => isAdded('second'), {until: 'a change is taken'})

    expect(await networks()).toEqual(expect.arrayContaining(['first', 'second']))
    for (const set of SETS) await rolledOut(namespace, `statefulset/${set}`)
  })

  it('keep their data after all members were killed at once and returned with other addresses', async () => {
    const addresses = () =>
      kubectl([
        'get',
        'pods',
        '--namespace',
        namespace,
        ...MEMBERS,
        '--output=jsonpath={.items[*].status.podIP}',
      ])
    const before = await podIds(namespace, 'app.kubernetes.io/name=ovn')
    const former = await addresses()

    await killPods(namespace, ...MEMBERS)
    for (const set of SETS) await rolledOut(namespace, `statefulset/${set}`)

    const after = await podIds(namespace, 'app.kubernetes.io/name=ovn')
    for (const member of MEMBERS) expect(after[member]).not.toBe(before[member])
    expect(await addresses()).not.toBe(former)
    await waitFor(() => isAdded('third'), {
      until: 'northd has found the members again',
      seconds: 120,
    })
    expect(await networks()).toEqual(expect.arrayContaining(['first', 'second', 'third']))
    for (const set of SETS) expect(await clusterSizes(set)).toEqual([3, 3, 3])
  })
})
