import {afterEach, beforeAll, expect, it} from 'vitest'
import {waitFor} from '../e2e/support/cluster.ts'
import {done} from '../e2e/support/guarded.ts'
import {
  type OperatedCluster,
  type OperatedEnvironment,
  startOperatedCluster,
} from '../e2e/support/operator.ts'
import {sizeAtNight} from '../support/night.ts'
import {watchHelms} from './support/helm-watch.ts'

// Numbers 6, 7 and 8 of the proof of the design: what the operator was at work on when it ended.
const KILLS = sizeAtNight(300, 6)
/**
 * Steps of the run of an upgrade that the operator notes, and a few more: then it is killed when it has
 * nothing to do.
 */
const STEPS = 12
/** Times that it is told to end while it is at work, and followed by another. */
const RESTARTS = sizeAtNight(30, 4)

let cluster: OperatedCluster
beforeAll(async () => {
  cluster = await startOperatedCluster(5)
  return () => cluster.end()
})
afterEach(() => cluster.stopAll())

/** The statuses that helm's records say. */
async function statuses({name}: OperatedEnvironment): Promise<readonly string[]> {
  const words = ['secrets', '--namespace', name, '--selector', 'owner=helm']
  const {items} = await cluster.get<{items: readonly {metadata: {labels: {status: string}}}[]}>(...words)
  return items.map(({metadata}) => metadata.labels.status)
}

it('7: a running action is completed before the operator exits on SIGTERM, and the next leader continues', async () => {
  const environment = cluster.environment()
  const operator = await cluster.start()
  await environment.apply(environment.text())
  await environment.has('Ready', 'True')
  const next = await cluster.start()
  const late = {pod: {'ready-after': '5s'}}
  await environment.apply(environment.text({db: {replicas: 2, ...late}, api: {replicas: 2}}))
  await waitFor(async () => (await environment.revisions()).includes('db 2'), {until: 'db is upgraded'})

  await operator.stop()
  const between = await environment.states()
  await environment.comesTo('api 2')

  expect(between).toEqual(['api 1 deployed', 'db 2 deployed'])
  expect(await operator.changes(environment)).toEqual(['install db', 'install api', 'upgrade db'])
  expect(await next.changes(environment)).toEqual(['upgrade api'])
  expect(await environment.states()).toEqual(['api 2 deployed', 'db 2 deployed'])
})

it('7: no release is pending after rolling restarts and a node drain', {
  timeout: 600_000 + RESTARTS * 60_000,
}, async () => {
  const environment = cluster.environment()
  let operator = await cluster.start()
  await environment.apply(environment.text())
  await environment.has('Ready', 'True')
  const node = (await done(cluster.kubectl('get', 'nodes', '--output', 'name'))).trim()
  const hooked = {job: {hook: 'post-upgrade', pod: {'complete-after': '4s'}}}
  const found: string[] = []

  for (let restart = 1; restart <= RESTARTS; restart++) {
    const isDrained = restart % 2 === 0
    const replicas = 1 + (restart % 3)
    const next = await cluster.start()
    const before = (await operator.changes(environment)).length
    await environment.apply(environment.text({db: {replicas, ...(isDrained ? {} : hooked)}, api: {replicas}}))
    await waitFor(async () => (await operator.changes(environment)).length > before, {
      until: 'helm is at work',
    })
    if (isDrained) {
      await waitFor(async () => (await environment.states()).includes(`db ${restart + 1} deployed`), {
        until: 'the gate of db is looked at',
      })
      const words = ['--force', '--ignore-daemonsets', '--delete-emptydir-data', '--disable-eviction']
      await done(cluster.kubectl('drain', node, ...words))
    }
    await operator.stop()
    found.push(...(await statuses(environment)))
    operator = next
    if (isDrained) await done(cluster.kubectl('uncordon', node))
    await environment.comesTo(`api ${restart + 1}`)
  }

  expect(found.filter((status) => status.startsWith('pending'))).toEqual([])
  expect(await environment.states()).toEqual([`api ${RESTARTS + 1} deployed`, `db ${RESTARTS + 1} deployed`])
})

it('6: an action is found by the next leader after SIGKILL, without manual unlocking', async () => {
  const environment = cluster.environment()
  const operator = await cluster.start()
  await environment.apply(environment.text({db: {pod: {'ready-after': '5s'}}}))
  await cluster.start()
  await waitFor(async () => (await environment.revisions()).includes('db 1'), {until: 'db is installed'})

  await operator.kill()
  await environment.has('Ready', 'True')

  expect(await environment.states()).toEqual(['api 1 deployed', 'db 1 deployed'])
})

it('8: an action is not started again by an operator that resumes after its Lease has expired', {
  timeout: 900_000,
}, async () => {
  const environment = cluster.environment()
  const operator = await cluster.start()
  const hooked = {job: {hook: 'post-install', pod: {'complete-after': '8s'}}}
  await environment.apply(environment.text({db: hooked}))
  await waitFor(async () => (await operator.changes(environment)).length > 0, {until: 'helm is at work'})
  const next = await cluster.start()

  // To others it is as if the way to the API server were cut.
  operator.signal('SIGSTOP')
  await waitFor(async () => (await environment.revisions()).includes('api 1'), {
    until: 'the next one has installed api',
    seconds: 600,
  })
  operator.signal('SIGCONT')
  const {exitCode, stderr} = await operator.ended()
  await environment.has('Ready', 'True')

  expect(exitCode, stderr).not.toBe(0)
  expect(stderr).toContain('KK_LEASE_LOST')
  expect(await operator.changes(environment)).toEqual(['install db'])
  expect(await next.changes(environment)).toEqual(['install api'])
  expect(await environment.states()).toEqual(['api 1 deployed', 'db 1 deployed'])
})

it('6: the last inputs are deployed, though the operator and its helm processes are killed at each step', {
  timeout: 600_000 + KILLS * 60_000,
}, async () => {
  const environment = cluster.environment()
  const helms = watchHelms(environment.name)
  const killed: string[] = []
  const text = (edit: number) => {
    const values = {replicas: 1 + (edit % 3), conf: {edit: `${edit}`}}
    return environment.text({db: {...values, pod: {'ready-after': '1s'}}, api: values})
  }
  const killHelm = async (): Promise<boolean> => {
    const [helm] = await helms.now()
    if (!helm?.kill()) return false
    killed.push('helm')
    return true
  }

  for (let edit = 0; edit < KILLS; edit++) {
    const isHelm = edit % 3 === 2
    const killAt = isHelm ? undefined : 1 + (edit % STEPS)
    const before = edit === 0 ? undefined : (await environment.read()).status?.inputs
    const operator = await cluster.startAt({killAt})
    let hasEnded = false
    void operator.ended().then(() => (hasEnded = true))
    await environment.apply(text(edit))
    if (isHelm) await waitFor(killHelm, {until: 'helm is at work', seconds: 300})
    await waitFor(async () => hasEnded || (await isSettled(environment, before)), {
      until: 'it is killed, or done',
      seconds: 300,
    })
    if (hasEnded) killed.push('step')
    await operator.kill()
  }
  await cluster.start()
  await environment.apply(text(KILLS), {approval: {}})
  const {metadata} = await environment.read()
  await waitFor(async () => (await environment.read()).status?.observedGeneration === metadata.generation, {
    until: 'it was seen as it is',
    seconds: 300,
  })
  await environment.has('Ready', 'True')

  expect(await environment.states()).toEqual([
    expect.stringMatching(/^api \d+ deployed$/),
    expect.stringMatching(/^db \d+ deployed$/),
  ])
  expect(await replicas(environment)).toEqual([1 + (KILLS % 3), 1 + (KILLS % 3)])
  expect(await helms.end()).toEqual({api: 1, db: 1})
  expect(new Set(killed)).toEqual(new Set(['step', 'helm']))
})

/** Whether other inputs than those of before are deployed, or have failed. */
async function isSettled(environment: OperatedEnvironment, before: string | undefined): Promise<boolean> {
  const {status} = await environment.read()
  const isOver = status?.conditions?.some(({type, status: is}) => /Ready|Stalled/.test(type) && is === 'True')
  return isOver === true && status?.inputs !== before
}

async function replicas({name}: OperatedEnvironment): Promise<readonly number[]> {
  const words = ['deployments', '--namespace', name]
  const {items} = await cluster.get<{items: readonly {spec: {replicas: number}}[]}>(...words)
  return items.map(({spec}) => spec.replicas)
}
