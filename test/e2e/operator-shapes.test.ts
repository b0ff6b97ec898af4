import {join} from 'node:path'
import {afterEach, beforeAll, expect, inject, it} from 'vitest'
import {atNight} from '../support/night.ts'
import {waitFor} from './support/cluster.ts'
import {CHARTS} from './support/environment.ts'
import {done} from './support/guarded.ts'
import {
  type OperatedCluster,
  type OperatedEnvironment,
  type RunningOperator,
  startOperatedCluster,
  toldOfFailure,
} from './support/operator.ts'

const SHAPE = ['--topology', 'per-component', '--service', 'workload', '--isolate', 'api']
const PARENT = ['--role', 'parent', '--shards', 'workload', '--shards', 'api']
const child = (...shards: readonly string[]) => [
  '--role',
  'child',
  ...shards.flatMap((shard) => ['--shards', shard]),
]

let cluster: OperatedCluster
beforeAll(async () => {
  cluster = await startOperatedCluster(10, ...SHAPE)
  return () => cluster.end()
})

const running: RunningOperator[] = []
async function start(...words: readonly string[]): Promise<RunningOperator> {
  const started = await cluster.start(...words)
  running.push(started)
  return started
}
afterEach(async () => {
  for (const each of running) each.signal('SIGTERM')
  const ends = await Promise.all(running.splice(0).map((each) => each.ended()))
  for (const {exitCode, stderr} of ends) expect([0, undefined], stderr).toContain(exitCode)
})

async function kill(operator: RunningOperator): Promise<void> {
  running.splice(running.indexOf(operator), 1)
  operator.signal('SIGKILL')
  await operator.ended()
}

/** The installs and upgrades of all processes in an environment: `install db`. */
async function helms(
  processes: readonly RunningOperator[],
  {name}: OperatedEnvironment,
): Promise<readonly string[]> {
  const calls = (await Promise.all(processes.map((each) => each.helmCalls()))).flat()
  return calls
    .filter((call) => /^(install|upgrade)/.test(call) && call.includes(`--namespace ${name}`))
    .map((call) => `${call.split(' ')[0]} ${/ (api|db|cache-common|cache-server) /.exec(call)?.[1]}`)
}

interface Secrets {
  readonly items: readonly {readonly type: string}[]
}

async function tasksLeft({name}: OperatedEnvironment): Promise<readonly string[]> {
  const {items} = await cluster.get<Secrets>('secrets', '--namespace', name)
  return items.map(({type}) => type).filter((type) => type.startsWith('kk.'))
}

const MARKED = 'Marked-9f3c1a'
const late = {pod: {'ready-after': '5s'}}
/** Helm waits for a hook. */
const hooked = {job: {hook: 'post-install,post-upgrade', pod: {'complete-after': '8s'}}}

interface Rows {
  readonly items: readonly {
    readonly spec: {
      readonly release: {readonly namespace: string; readonly name: string}
      readonly planned?: object
    }
  }[]
}

/** The releases whose actions are ordered now. */
async function ordered({name}: OperatedEnvironment): Promise<readonly string[]> {
  const {items} = await cluster.ask<Rows>({
    path: '/apis/kk.openstack.org/v1alpha1/namespaces/kk-system/releases',
  })
  return items
    .filter(({spec}) => spec.release.namespace === name && spec.planned)
    .map(({spec}) => spec.release.name)
}

it('2: the command line, a single process, and a parent with workers deploy an environment identically', async () => {
  const environment = cluster.environment()
  const text = environment.text()
  await cluster.byHand('deploy', environment, text)
  const byHand = await environment.deployed()
  await cluster.byHand('destroy', environment, text)
  const one = await start()
  await environment.apply(text)
  await environment.has('Ready', 'True')
  const byOne = await environment.deployed()
  await done(cluster.operator('pause', environment.name))
  await cluster.byHand('destroy', environment, text)
  one.signal('SIGTERM')
  await one.ended()
  running.splice(0)

  const [parent, db, api] = [
    await start(...PARENT),
    await start(...child('workload')),
    await start(...child('api')),
  ]
  await done(cluster.operator('resume', environment.name))
  await environment.has('Ready', 'True')

  expect(byOne).toEqual(byHand)
  expect(await environment.deployed()).toEqual(byHand)
  expect(await helms([parent], environment)).toEqual([])
  expect(await helms([db], environment)).toEqual(['install db'])
  expect(await helms([api], environment)).toEqual(['install api'])
  expect(await tasksLeft(environment)).toEqual([])
})

it('the topology of the operator is immutable, and its workers are those of the last installation', async () => {
  const children = async () => {
    const words = ['get', 'deployments', '--namespace', 'kk-system', '--output', 'name']
    return (await done(cluster.kubectl(...words))).split('\n').filter(Boolean)
  }
  const install = (...words: readonly string[]) =>
    cluster.operator('install', '--image', 'i', '--namespace', 'openstack', '--yes', ...words)
  const before = await children()

  const refused = await install('--topology', 'one')
  const dry = await install('--topology', 'one', '--dry-run')
  const wrong = await install('--topology', 'per-service', '--service', 'workload', '--isolate', 'api')
  const home = await install('--namespace', 'kk-system')
  const imageless = await cluster.operator('install', '--image', '', '--namespace', 'openstack', '--yes')
  await done(install('--topology', 'per-component', '--service', 'workload'))
  const fewer = await children()
  await cluster.install()
  const chart = join(inject('run').home, 'operator-chart')
  await done(install('--topology', 'one', '--chart', chart))
  const place = ['--namespace', 'kk-system', '--dry-run=server']
  const charted = await cluster.helm('helm4', 'install', 'kk-operator', chart, ...place)

  expect(before).toEqual(
    ['', '-api', '-others', '-workload'].map((name) => `deployment.apps/kk-operator${name}`),
  )
  expect(refused.exitCode).toBe(3)
  expect(refused.stderr).toContain('KK_SHAPE')
  expect(refused.stderr).toContain('kk operator pause')
  expect(dry).toMatchObject({exitCode: 3, stdout: expect.stringContaining('"kind": "Deployment"')})
  expect(dry.stderr).toContain('KK_SHAPE')
  expect(wrong.exitCode).toBe(2)
  expect(wrong.stderr).toContain('--isolate requires the topology per-component')
  expect(home.exitCode).toBe(2)
  expect(home.stderr).toContain('kk-system is the namespace of the operator itself')
  expect(imageless.exitCode).toBe(2)
  expect(charted.stderr).toContain('the operator is installed in the topology per-component')
  expect(fewer).toEqual(before.filter((name) => !name.endsWith('-api')))
})

atNight(() => {
  it('6: a worker that is killed during a task is replaced, and helm starts once for each revision', async () => {
    const environment = cluster.environment()
    const parent = await start(...PARENT)
    const [first, api] = [await start(...child('workload')), await start(...child('api'))]
    await environment.apply(environment.text({db: hooked}))
    await waitFor(async () => (await first.helmCalls()).some((call) => call.startsWith('install')), {
      until: 'helm is at work',
    })

    await kill(first)
    const second = await start(...child('workload'))
    await environment.has('Ready', 'True')

    expect(await helms([parent, first, second, api], environment)).toEqual(['install db', 'install api'])
    expect(await environment.states()).toEqual(['api 1 deployed', 'db 1 deployed'])
    expect(await tasksLeft(environment)).toEqual([])
  })

  it('6: a parent that is killed is replaced, and running tasks of its workers are not run twice', async () => {
    const environment = cluster.environment()
    const first = await start(...PARENT)
    const children = [await start(...child('workload')), await start(...child('api'))]
    await environment.apply(environment.text({db: hooked}))
    await waitFor(async () => (await children[0]!.helmCalls()).some((call) => call.startsWith('install')), {
      until: 'helm is at work',
    })

    await kill(first)
    const second = await start(...PARENT)
    await environment.has('Ready', 'True')

    expect(await helms([first, second, ...children], environment)).toEqual(['install db', 'install api'])
    expect(await environment.states()).toEqual(['api 1 deployed', 'db 1 deployed'])
    expect(await tasksLeft(environment)).toEqual([])
  })

  it('6: a task that a killed parent has written and not dispatched is deleted when the next parent starts', async () => {
    const environment = cluster.environment()
    await cluster.byHand('deploy', environment, environment.text())
    const first = await start(...PARENT)
    await environment.apply(environment.text())
    await environment.has('Ready', 'True')
    await kill(first)
    const place = ['--namespace', environment.name]
    const secret = ['secret', 'generic', 'kk-task.api', '--type', 'kk.openstack.org/task']
    await done(cluster.kubectl('create', ...secret, ...place))
    const label = `kk.openstack.org/task=${environment.name}`
    await done(cluster.kubectl('label', 'secret', 'kk-task.api', label, ...place))

    await start(...PARENT)
    await waitFor(async () => (await tasksLeft(environment)).length === 0, {
      until: 'the task is gone',
      seconds: 120,
    })

    expect(await environment.revisions()).toEqual(['api 1', 'db 1'])
  })

  it('18, 20: a pause waits for the helm process of a worker, and cancels tasks that have not started', async () => {
    const environment = cluster.environment()
    await start(...PARENT)
    const db = await start(...child('workload'))
    await environment.apply(environment.text({db: hooked}))
    await waitFor(async () => (await db.helmCalls()).some((call) => call.startsWith('install')), {
      until: 'helm is at work',
    })

    await done(cluster.operator('pause', environment.name))
    const paused = await environment.states()
    await done(cluster.operator('resume', environment.name))
    // Nobody serves the shard of api yet.
    await waitFor(async () => (await ordered(environment)).includes('api'), {until: 'api is ordered'})
    await done(cluster.operator('pause', environment.name))
    const left = await ordered(environment)
    await start(...child('api'))
    await done(cluster.operator('resume', environment.name))
    await environment.has('Ready', 'True')

    expect(paused).toEqual(['db 1 deployed'])
    expect(left).toEqual([])
    expect(await environment.states()).toEqual(['api 1 deployed', 'db 1 deployed'])
  })

  it('12: a Release that is deleted during its task fails the task, and the rest continues', async () => {
    const environment = cluster.environment()
    await start(...PARENT)
    const [db, api] = [await start(...child('workload')), await start(...child('api'))]
    await environment.apply(environment.text({db: hooked}))
    await waitFor(async () => (await db.helmCalls()).some((call) => call.startsWith('install')), {
      until: 'helm is at work',
    })

    const row = `${environment.name}.${environment.name}.db`
    await done(cluster.kubectl('delete', 'release.kk.openstack.org', row, '--namespace', 'kk-system'))
    await environment.has('Ready', 'True')

    expect(await helms([db, api], environment)).toEqual(['install db', 'install api'])
    expect(await environment.states()).toEqual(['api 1 deployed', 'db 1 deployed'])
  })

  it('22: workers that serve the same shards divide the releases, and each continues without the other', async () => {
    const environment = cluster.environment()
    const parent = await start(...PARENT)
    const children = [await start(...child('*')), await start(...child('*'))]
    await environment.apply(environment.text({db: late}))
    await environment.has('Ready', 'True')
    const installed = await helms([parent, ...children], environment)

    await kill(children[0]!)
    await environment.apply(environment.text({db: {...late, replicas: 2}, api: {replicas: 2}}))
    await waitFor(async () => (await environment.revisions()).includes('api 2'), {until: 'api is upgraded'})
    await environment.has('Ready', 'True')

    expect(installed.toSorted()).toEqual(['install api', 'install db'])
    expect(await environment.states()).toEqual(['api 2 deployed', 'db 2 deployed'])
  })

  it('24: secrets of an environment are only in Secrets', async () => {
    const environment = cluster.environment()
    await start(...PARENT)
    await start(...child('*'))

    const objects = await toldOfFailure(cluster, environment, MARKED)

    expect(objects).toContain('reached: gating')
    expect(objects).not.toContain(MARKED)
  })

  it('the releases of a section per component are deployed by the worker of each, or by that of the section', async () => {
    const environment = cluster.environment()
    const parent = await start('--role', 'parent', '--shards', 'cache', '--shards', 'cache-server')
    const [section, server] = [await start(...child('cache')), await start(...child('cache-server'))]
    const settings = {chart: 'memcached', components: true}
    const text = JSON.stringify({
      kk: {namespace: environment.name, charts: [CHARTS], releases: {cache: settings}},
      cache: {},
    })

    await environment.apply(text)
    await environment.has('Ready', 'True')
    const installed = await Promise.all([parent, section, server].map((each) => helms([each], environment)))
    await done(cluster.operator('pause', environment.name))
    await cluster.byHand('deploy', environment, text)

    expect(installed).toEqual([[], ['install cache-common'], ['install cache-server']])
    expect(await environment.revisions()).toEqual(['cache-common 1', 'cache-server 1'])
    expect(await tasksLeft(environment)).toEqual([])
  })

  it('a group whose members are of different shards starts together', async () => {
    const environment = cluster.environment()
    await start(...PARENT)
    const [db, api] = [await start(...child('workload')), await start(...child('api'))]
    const {kk, ...sections} = JSON.parse(environment.text()) as {kk: object}
    const needs = (release: string) => ({chart: 'workload', requires: [{release, kind: 'applied'}]})

    await environment.apply(
      JSON.stringify({kk: {...kk, releases: {db: needs('api'), api: needs('db')}}, ...sections}),
    )
    await environment.has('Ready', 'True')

    expect([...(await helms([db], environment)), ...(await helms([api], environment))]).toEqual([
      'install db',
      'install api',
    ])
    expect(await environment.states()).toEqual(['api 1 deployed', 'db 1 deployed'])
  })
})
