import {beforeAll, describe, expect, it} from 'vitest'
import type {NodeOperationObject} from '../../src/operator/crds/node-operation.ts'
import {waitFor} from './support/cluster.ts'
import {done} from './support/guarded.ts'
import {
  type OperatedCluster,
  type OperatedEnvironment,
  type RunningOperator,
  startOperatedCluster,
} from './support/operator.ts'

const PATH = '/apis/kk.openstack.org/v1alpha1/namespaces/kk-system/nodeoperations'
const RIGHTS = '--node-operations'

interface Node {
  readonly metadata: {readonly name: string}
  readonly spec: {readonly unschedulable?: boolean}
}

let cluster: OperatedCluster
let operator: RunningOperator
let environment: OperatedEnvironment
let node: string
beforeAll(async () => {
  cluster = await startOperatedCluster(1)
  operator = await cluster.start()
  environment = cluster.environment()
  await environment.apply(environment.text())
  await environment.has('Ready', 'True')
  const {items} = await cluster.ask<{items: readonly Node[]}>({path: '/api/v1/nodes'})
  node = items[0]!.metadata.name
  return () => cluster.end()
})

async function create(name: string, operation: string, spec: object = {}): Promise<void> {
  await done(
    cluster.create({
      ...{apiVersion: 'kk.openstack.org/v1alpha1', kind: 'NodeOperation'},
      metadata: {name, namespace: 'kk-system'},
      spec: {environment: environment.name, node, operation, ...spec},
    }),
  )
}

const read = (name: string) => cluster.ask<NodeOperationObject>({path: `${PATH}/${name}`})

/** Resolves with the operation once it has this condition. */
function has(name: string, type: string, status: string, reason?: string): Promise<NodeOperationObject> {
  let seen: NodeOperationObject | undefined
  return waitFor(
    async () => {
      seen = await read(name)
      const found = seen.status?.conditions?.find((each) => each.type === type)
      return found?.status === status && (reason === undefined || found.reason === reason) && seen
    },
    {until: `${name} has ${type}=${status}`, seconds: 300},
  ).catch((cause: unknown) => {
    throw new Error(`${(cause as Error).message}; it has ${JSON.stringify(seen?.status)}`, {cause})
  })
}

const messageOf = ({status}: NodeOperationObject) =>
  status?.conditions?.find(({type}) => type === 'Ready')?.message

async function isCordoned(): Promise<boolean> {
  const {spec} = await cluster.ask<Node>({path: `/api/v1/nodes/${node}`})
  return spec.unschedulable === true
}

async function podsThere(): Promise<number> {
  const path = `/api/v1/namespaces/${environment.name}/pods?fieldSelector=spec.nodeName%3D${node}`
  return (await cluster.ask<{items: readonly unknown[]}>({path})).items.length
}

describe('a NodeOperation', () => {
  it('is refused without the rights for it, and names the flag that grants them', async () => {
    await create('without-rights', 'drain')

    const refused = await has('without-rights', 'Stalled', 'True', 'KK_FORBIDDEN')

    expect(messageOf(refused)).toContain('--node-operations')
    await cluster.install(RIGHTS)
  })

  it('is planned by a dry run, which changes nothing', async () => {
    await create('plan', 'drain', {dryRun: true})

    const {status} = await has('plan', 'Ready', 'True', 'Planned')

    expect(status?.plan).toMatch(/^to drain .*\n.*cordon .*\n.*evict 4 pods/)
    expect(await isCordoned()).toBe(false)
  })

  it('that the command refuses is stalled with its error', async () => {
    await create('addition', 'add')

    const refused = await has('addition', 'Stalled', 'True', 'KK_NOT_INSTALLED')

    expect(messageOf(refused)).toMatch(/no release of .* runs instances/)
    expect(refused.status?.finished).toBeDefined()
  })

  it('cannot be changed, and takes only the fields of its operation', async () => {
    const change = JSON.stringify({spec: {node: 'another'}})
    const changed = await cluster.kubectl(
      ...['patch', 'kkno', 'plan', '--namespace', 'kk-system', '--type', 'merge', '--patch', change],
    )

    expect(changed.stderr).toContain('spec is immutable')
    await expect(create('odd', 'drain', {labels: ['a']})).rejects.toThrow('only remove has labels')
  })

  it('waits while its Environment is paused, and is carried out before the next one on its node', async () => {
    await done(cluster.operator('pause', environment.name))
    await create('first', 'drain')
    await create('second', 'return')
    const behind = await has('second', 'Reconciling', 'True', 'Waiting')
    const waiting = await has('first', 'Reconciling', 'True', 'WaitingForEnvironment')
    await done(cluster.operator('resume', environment.name))

    const drained = await has('first', 'Ready', 'True', 'Done')
    const returned = await has('second', 'Ready', 'True', 'Done')

    expect(messageOf(waiting)).toContain('is paused')
    expect(messageOf(behind)).toBe('after first')
    expect(drained.status?.result).toContain('is empty')
    expect(returned.status!.started! >= drained.status!.finished!).toBe(true)
    expect(await isCordoned()).toBe(false)
    await environment.has('Ready', 'True')
  })

  /** Blocks the eviction of all pods of the environment. */
  const hold = () =>
    done(
      cluster.create({
        ...{apiVersion: 'policy/v1', kind: 'PodDisruptionBudget'},
        metadata: {name: 'none', namespace: environment.name},
        spec: {maxUnavailable: 0, selector: {}},
      }),
    )

  it('is continued by the next operator when the first was killed', async () => {
    await hold()
    await create('held', 'drain')
    const held = await waitFor(
      async () => {
        const seen = await read('held')
        return messageOf(seen)?.includes('waits: ') && seen
      },
      {until: 'the budget holds the pods'},
    )
    await operator.kill()
    operator = await cluster.start()
    await done(cluster.kubectl('delete', 'pdb', 'none', '--namespace', environment.name))

    const drained = await has('held', 'Ready', 'True', 'Done')

    expect(drained.status?.started).toBe(held.status?.started)
    expect(await podsThere()).toBe(0)
    expect(await isCordoned()).toBe(true)
  })

  it('is incomplete at the end of its time, and names what stays', async () => {
    await create('back', 'return')
    await has('back', 'Ready', 'True', 'Done')
    await environment.has('Ready', 'True')
    await done(
      cluster.create({
        ...{apiVersion: 'v1', kind: 'Pod'},
        metadata: {name: 'alone', namespace: environment.name},
        spec: {nodeName: node, containers: [{name: 'alone', image: 'alone:1'}]},
      }),
    )
    await hold()
    await create('incomplete', 'drain', {timeout: '20s'})

    const {status} = await has('incomplete', 'Stalled', 'True', 'Incomplete')

    const seconds = (Date.parse(status!.finished!) - Date.parse(status!.started!)) / 1000
    expect(seconds).toBeGreaterThanOrEqual(19)
    expect(status?.result).toMatch(/pod \S+ stays: Cannot evict pod as it would violate/)
    expect(status?.result).toContain(`pod ${environment.name}/alone stays: it has no controller`)
  })

  it('ends when it is deleted', async () => {
    await create('deleted', 'drain', {timeout: '1h'})
    await waitFor(async () => messageOf(await read('deleted'))?.includes('waits: '), {
      until: 'the budget holds the pods',
    })
    await done(cluster.kubectl('delete', 'kkno', 'deleted', '--namespace', 'kk-system'))
    await create('after', 'return')

    await has('after', 'Ready', 'True', 'Done')

    expect(await isCordoned()).toBe(false)
  })
})
