import {readFile} from 'node:fs/promises'
import {beforeAll, describe, expect, it} from 'vitest'
import {waitFor} from '../e2e/support/cluster.ts'
import {done} from '../e2e/support/guarded.ts'
import {kk} from '../e2e/support/kk.ts'
import {
  messageOf,
  type OperatedCluster,
  type OperatedEnvironment,
  type RunningOperator,
  startOperatedCluster,
  toldOfFailure,
} from '../e2e/support/operator.ts'

// The numbers are those of the proof of the design; test/e2e/operator.test.ts has 1, 3, 12, 18 and 20.
let cluster: OperatedCluster
let operator: RunningOperator
beforeAll(async () => {
  cluster = await startOperatedCluster(8)
  operator = await cluster.start()
  return async () => {
    operator.signal('SIGTERM')
    await operator.ended()
    await cluster.end()
  }
})

const upgradesIn = (calls: readonly string[], {name}: OperatedEnvironment) =>
  calls
    .filter((call) => call.startsWith('upgrade') && call.includes(`--namespace ${name}`))
    .map((call) => (/ -- (\w+)/.exec(call) ?? /(\w+) \S+\/workload/.exec(call))![1])

it('2: an environment is the same whether the command line or the operator deployed it', async () => {
  const environment = cluster.environment()
  const text = environment.text()
  await cluster.byHand('deploy', environment, text)
  const byHand = await environment.deployed()
  await cluster.byHand('destroy', environment, text)

  await environment.apply(text)
  await environment.has('Ready', 'True')

  expect(await environment.deployed()).toEqual(byHand)
})

it('5: what requires a release that changes, too, never starts before that', async () => {
  const environment = cluster.environment()
  await environment.apply(environment.text())
  await environment.has('Ready', 'True')
  const late = {pod: {'ready-after': '1s'}}

  for (const replicas of [2, 3, 4]) {
    await environment.apply(environment.text({db: {replicas, ...late}, api: {replicas}}))
    await waitFor(async () => (await environment.revisions()).includes(`api ${replicas}`), {
      until: `api has revision ${replicas}`,
    })
    await environment.has('Ready', 'True')
  }

  expect(upgradesIn(await operator.helmCalls(), environment)).toEqual(['db', 'api', 'db', 'api', 'db', 'api'])
})

it('17: it is ready only while every gate is open, and says which closed', async () => {
  const environment = cluster.environment()
  await environment.apply(environment.text())
  await environment.has('Ready', 'True')
  const [node] = (await done(cluster.kubectl('get', 'nodes', '--output', 'name'))).split('\n')

  await done(cluster.kubectl('cordon', node!))
  await done(cluster.kubectl('delete', 'pods', '--all', '--namespace', environment.name))
  const closed = await environment.has('Ready', 'False', 'Unhealthy')
  await done(cluster.kubectl('uncordon', node!))
  const open = await environment.has('Ready', 'True')

  expect(messageOf(closed, 'Ready')).toContain(`${environment.name}/`)
  expect(closed.status?.summary).not.toBe('2/2')
  expect(open.status?.summary).toBe('2/2')
  expect(await environment.revisions()).toEqual(['api 1', 'db 1'])
})

it('23: while nothing changes, it starts no helm and writes nothing but Leases', async () => {
  const environment = cluster.environment()
  await environment.apply(environment.text())
  await environment.has('Ready', 'True')
  const written = async () => {
    const {auditLog} = JSON.parse(
      (await kk(['sandbox', 'status', '--sandbox-name', cluster.sandbox, '--output', 'json'])).stdout,
    ) as {auditLog: string}
    return (await readFile(auditLog, 'utf8'))
      .split('\n')
      .filter((line) => line.includes('serviceaccount:kk-system:kk-operator'))
      .filter((line) => /"verb":"(create|update|patch|delete)"/.test(line) && !line.includes('"leases"'))
      .filter((line) => !line.includes('selfsubjectaccessreviews')).length
  }
  const [calls, writes] = [(await operator.helmCalls()).length, await written()]

  // An hour at a factor of 360: each namespace is touched as often as things happen there in an hour.
  for (let change = 0; change < 5; change++)
    await done(
      cluster.kubectl(
        ...['annotate', 'deployment', '--all', '--namespace', environment.name, '--overwrite'],
        `test=${change}`,
      ),
    )
  await environment.has('Ready', 'True')

  expect((await operator.helmCalls()).length).toBe(calls)
  expect(await written()).toBe(writes)
})

it('24: no secret of an environment is where secrets are not', async () => {
  const environment = cluster.environment()
  const marked = 'Marked-9f3c1a'

  const objects = await toldOfFailure(cluster, environment, marked)

  expect(objects).toContain(`${environment.name}.${environment.name}.db`)
  expect(objects).not.toContain(marked)
})

it('19: an edit back to what was there returns at once, without an end of what cannot end', async () => {
  const environment = cluster.environment()
  await environment.apply(environment.text())
  await environment.has('Ready', 'True')
  await environment.apply(environment.text({db: {pod: {fail: 'CrashLoopBackOff'}}, api: {replicas: 2}}))
  await waitFor(async () => (await environment.revisions()).includes('db 2'), {until: 'db is upgraded'})

  await environment.apply(environment.text())
  await environment.has('Ready', 'True')

  expect(await environment.states()).toEqual(['api 1 deployed', 'db 3 deployed'])
})

describe('what it was at work on when it ended', () => {
  it('7: is finished before it ends by SIGTERM, and the next one goes on', async () => {
    const environment = cluster.environment()
    await environment.apply(environment.text())
    await environment.has('Ready', 'True')
    const next = await cluster.start()
    const late = {pod: {'ready-after': '5s'}}
    await environment.apply(environment.text({db: {replicas: 2, ...late}, api: {replicas: 2}}))
    await waitFor(async () => (await environment.revisions()).includes('db 2'), {until: 'db is upgraded'})

    operator.signal('SIGTERM')
    const {exitCode, stderr} = await operator.ended()
    const between = await environment.states()
    const first = await operator.helmCalls()
    operator = next
    await environment.has('Ready', 'True')

    expect(exitCode, stderr).toBe(0)
    expect(between).toEqual(['api 1 deployed', 'db 2 deployed'])
    expect(upgradesIn(first, environment)).toEqual(['db'])
    expect(await environment.states()).toEqual(['api 2 deployed', 'db 2 deployed'])
  })

  it('6: is found by the next one after kill -9, without anybody unlocking anything', async () => {
    const environment = cluster.environment()
    await environment.apply(environment.text({db: {pod: {'ready-after': '5s'}}}))
    const next = await cluster.start()
    await waitFor(async () => (await environment.revisions()).includes('db 1'), {until: 'db is installed'})

    operator.signal('SIGKILL')
    await operator.ended()
    operator = next
    await environment.has('Ready', 'True')

    expect(await environment.states()).toEqual(['api 1 deployed', 'db 1 deployed'])
  })
})
