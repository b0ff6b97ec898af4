import {readFile} from 'node:fs/promises'
import {setTimeout as wait} from 'node:timers/promises'
import {beforeAll, describe, expect, it} from 'vitest'
import {type AuditEvent, waitFor} from '../e2e/support/cluster.ts'
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
import {sizeAtNight} from '../support/night.ts'
import {freePort} from './support/free-port.ts'
import {seedOfRun, throwDice} from './support/seed.ts'

// The numbers are those of the proof of the design. test/e2e/operator.test.ts has 1, 3, 12, 14, 18 and 20, operator-shapes.test.ts there
// 2, 6, 12, 18, 22 and 24 with children. Beside this file: 8 to 11 operator-staleness, 1 and 16 operator-adoption, 12 operator-deletion,
// 17 operator-status, 21 fleet and fleet-many, 22 operator-shards, 25 operator-versions. 4 and the times of 23 are in bench/operator.ts.
/** Upgrades of two releases, of which one requires the other. */
const EDITS = sizeAtNight(200, 3)
const KILLS = sizeAtNight(300, 3)
/** Times that it is told to end while it is at work, and followed by another. */
const RESTARTS = sizeAtNight(30, 4)
/** Releases of an idle operator, and changes of them: of a day, with one in ten minutes. */
const RELEASES = sizeAtNight(1_000, 20)
const CHURN = sizeAtNight(144, 12)
/** So long nothing is written while it is paused. */
const PAUSED_SECONDS = sizeAtNight(600, 5)

let cluster: OperatedCluster
let operator: RunningOperator
beforeAll(async () => {
  cluster = await startOperatedCluster(14)
  operator = await cluster.start()
  return async () => {
    operator.signal('SIGTERM')
    await operator.ended()
    await cluster.end()
  }
})

/** What the operator has written since then, Leases and events aside: `patch /apis/…`. */
async function writesSince(milliseconds: number): Promise<readonly string[]> {
  const words = ['sandbox', 'status', '--sandbox-name', cluster.sandbox, '--output', 'json']
  const {auditLog} = JSON.parse((await kk(words)).stdout) as {auditLog: string}
  return (await readFile(auditLog, 'utf8'))
    .split('\n')
    .filter((line) => line.includes('serviceaccount:kk-system:kk-operator') && line.endsWith('}'))
    .map((line) => JSON.parse(line) as AuditEvent)
    .filter(({verb}) => ['create', 'update', 'patch', 'delete'].includes(verb))
    .filter(({requestURI}) => !/\/leases\b|selfsubjectaccessreviews|dryRun=All/.test(requestURI))
    .filter(({requestReceivedTimestamp}) => Date.parse(requestReceivedTimestamp) >= milliseconds)
    .map(({verb, requestURI}) => `${verb} ${requestURI}`)
}

interface Rows {
  readonly items: readonly {
    readonly spec: {readonly release: {readonly namespace: string}}
    readonly status?: {readonly conditions?: readonly {readonly type: string; readonly message: string}[]}
  }[]
}

/** What the condition `Ready` of each Release says. */
async function messages({name}: OperatedEnvironment): Promise<readonly (string | undefined)[]> {
  const path = '/apis/kk.openstack.org/v1alpha1/namespaces/kk-system/releases'
  const {items} = await cluster.ask<Rows>({path})
  return items
    .filter(({spec}) => spec.release.namespace === name)
    .map(({status}) => status?.conditions?.find(({type}) => type === 'Ready')?.message)
}

/** The statuses that helm's records say. */
async function statuses({name}: OperatedEnvironment): Promise<readonly string[]> {
  const words = ['secrets', '--namespace', name, '--selector', 'owner=helm']
  const {items} = await cluster.get<{items: readonly {metadata: {labels: {status: string}}}[]}>(...words)
  return items.map(({metadata}) => metadata.labels.status)
}

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

it('5: what requires a release that changes, too, never starts before that', {
  timeout: 600_000 + EDITS * 30_000,
}, async () => {
  const environment = cluster.environment()
  await environment.apply(environment.text())
  await environment.has('Ready', 'True')
  const late = {pod: {'ready-after': '1s'}}

  for (let revision = 2; revision <= EDITS + 1; revision++) {
    const replicas = 1 + (revision % 3)
    await environment.apply(environment.text({db: {replicas, ...late}, api: {replicas}}))
    await waitFor(async () => (await environment.revisions()).includes(`api ${revision}`), {
      until: `api has revision ${revision}`,
    })
    await environment.has('Ready', 'True')
  }

  const orders = Array.from({length: EDITS}, () => ['db', 'api']).flat()
  expect(upgradesIn(await operator.helmCalls(), environment)).toEqual(orders)
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

it('23: while nothing changes, it starts no helm and writes nothing but Leases', {
  timeout: 600_000 + RELEASES * 10_000,
}, async () => {
  const environment = cluster.environment()
  await environment.apply(manyReleases(environment))
  await waitFor(async () => (await environment.read()).status?.summary === `${RELEASES}/${RELEASES}`, {
    until: 'all are deployed',
    seconds: 120 + RELEASES * 10,
  })
  await environment.has('Ready', 'True')
  // The Environment is told first, then each of its releases.
  await waitFor(async () => (await messages(environment)).every((message) => message === 'healthy'), {
    until: 'every Release is told',
    seconds: 60 + RELEASES,
  })
  const [calls, since] = [(await operator.helmCalls()).length, Date.now()]

  // An hour at a factor of 360: each namespace is touched as often as things happen there in an hour. A label makes no new
  // generation, which would have to be observed first.
  for (let change = 0; change < 5; change++)
    await done(
      cluster.kubectl(
        ...['label', 'deployment', '--all', '--namespace', environment.name, '--overwrite'],
        `test=${change}`,
      ),
    )
  await environment.has('Ready', 'True')

  expect((await operator.helmCalls()).length).toBe(calls)
  expect(await writesSince(since)).toEqual([])
})

/** An environment of many releases without pods. */
function manyReleases(environment: OperatedEnvironment): string {
  const {kk: own} = JSON.parse(environment.text()) as {kk: object}
  const names = Array.from({length: RELEASES}, (_, index) => `r${index}`)
  const releases = Object.fromEntries(names.map((name) => [name, {chart: 'workload'}]))
  const sections = Object.fromEntries(names.map((name) => [name, {replicas: 0}]))
  return JSON.stringify({kk: {...own, releases}, ...sections})
}

it('23: its memory does not grow with what it has done', {timeout: 600_000 + CHURN * 60_000}, async () => {
  const environment = cluster.environment()
  const port = await freePort()
  operator.signal('SIGTERM')
  await operator.ended()
  operator = await cluster.start('--listen', `127.0.0.1:${port}`)
  const used = async () => {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    return Number(/^nodejs_heap_size_used_bytes (\S+)/m.exec(text)![1]) / 2 ** 20
  }
  const floors: number[][] = [[], []]

  for (let change = 1; change <= CHURN; change++) {
    await environment.apply(environment.text({api: {replicas: 1 + (change % 2)}}))
    await waitFor(async () => (await environment.states()).includes(`api ${change} deployed`), {
      until: `change ${change} is deployed`,
    })
    await environment.has('Ready', 'True')
    floors[Math.floor((2 * (change - 1)) / CHURN)]!.push(await used())
  }

  // The lowest of each half, in MiB: garbage that is not collected yet does not count. A day's half at 1 MiB an hour.
  const [first, second] = floors.map((half) => Math.min(...half))
  expect(second! - first!, floors.flat().join(' ')).toBeLessThan(12)
})

it('15: who changes back what is corrected is let be, and told', async () => {
  const environment = cluster.environment()
  // An hour is a second here, a factor of 3600.
  await environment.apply(environment.text(), {drift: {mode: 'correct', every: '1s'}})
  await environment.has('Drifted', 'False', 'AsDeployed')
  const since = Date.now()
  const scale = ['deployment/api', '--namespace', environment.name, '--replicas', '3']

  const contested = await waitFor(
    async () => {
      await done(cluster.kubectl('scale', ...scale))
      const {status} = await environment.read()
      return status?.conditions?.find(({reason}) => reason === 'Contested')
    },
    {until: 'it is contested', seconds: 300},
  )
  const corrected = (await writesSince(since)).filter((write) => write.includes('/deployments/api'))

  expect(contested.message).toContain('somebody changes back what is corrected')
  expect(contested.message).toContain(`${environment.name}/api Deployment/api spec.replicas`)
  expect(corrected.length).toBeGreaterThanOrEqual(5)
  expect(corrected.length).toBeLessThan(10)
  expect(await environment.revisions()).toEqual(['api 1', 'db 1'])
})

it('20: once it is paused nothing is written', {timeout: 600_000 + PAUSED_SECONDS * 1000}, async () => {
  const environment = cluster.environment()
  await environment.apply(environment.text())
  await environment.has('Ready', 'True')
  await done(cluster.operator('pause', environment.name))
  await environment.apply(environment.text({api: {replicas: 2}}), {suspend: true})
  await environment.has('Paused', 'True')
  const since = Date.now()

  await wait(PAUSED_SECONDS * 1000)
  const writes = (await writesSince(since)).filter((write) => write.includes(environment.name))
  await done(cluster.operator('resume', environment.name))
  await environment.has('Ready', 'True')

  expect(writes).toEqual([])
  expect(await environment.revisions()).toEqual(['api 1', 'api 2', 'db 1'])
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

  it('7: is pending nowhere after rolling restarts, and when a node is drained meanwhile', {
    timeout: 600_000 + RESTARTS * 60_000,
  }, async () => {
    const environment = cluster.environment()
    await environment.apply(environment.text())
    await environment.has('Ready', 'True')
    const node = (await done(cluster.kubectl('get', 'nodes', '--output', 'name'))).trim()
    const hooked = {job: {hook: 'post-upgrade', pod: {'complete-after': '4s'}}}
    const found: string[] = []

    for (let restart = 1; restart <= RESTARTS; restart++) {
      const isDrained = restart % 2 === 0
      const replicas = 1 + (restart % 3)
      const next = await cluster.start()
      const before = (await operator.helmCalls()).length
      await environment.apply(
        environment.text({db: {replicas, ...(isDrained ? {} : hooked)}, api: {replicas}}),
      )
      await waitFor(async () => (await operator.helmCalls()).length > before, {until: 'helm is at work'})
      if (isDrained) {
        await waitFor(async () => (await environment.states()).includes(`db ${restart + 1} deployed`), {
          until: 'the gate of db is looked at',
        })
        const words = ['--force', '--ignore-daemonsets', '--delete-emptydir-data', '--disable-eviction']
        await done(cluster.kubectl('drain', node, ...words))
      }
      operator.signal('SIGTERM')
      const {exitCode, stderr} = await operator.ended()
      expect(exitCode, stderr).toBe(0)
      found.push(...(await statuses(environment)))
      operator = next
      if (isDrained) await done(cluster.kubectl('uncordon', node))
      await waitFor(async () => (await environment.states()).includes(`api ${restart + 1} deployed`), {
        until: 'the next one has gone on',
        seconds: 180,
      })
      await environment.has('Ready', 'True')
    }

    expect(found.filter((status) => status.startsWith('pending'))).toEqual([])
    expect(await environment.states()).toEqual([
      `api ${RESTARTS + 1} deployed`,
      `db ${RESTARTS + 1} deployed`,
    ])
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

  it('8: is not begun again when it is back after its Lease has run out', {timeout: 900_000}, async () => {
    const environment = cluster.environment()
    const next = await cluster.start()
    const hooked = {job: {hook: 'post-install', pod: {'complete-after': '8s'}}}
    const installs = async (who: RunningOperator) =>
      (await who.helmCalls()).filter((call) => call.startsWith('install') && call.includes(environment.name))
    await environment.apply(environment.text({db: hooked}))
    await waitFor(async () => (await installs(operator)).length > 0, {until: 'helm is at work'})

    // To others it is as if the way to the API server were cut.
    operator.signal('SIGSTOP')
    await waitFor(async () => (await environment.revisions()).includes('api 1'), {
      until: 'the next one has installed api',
      seconds: 600,
    })
    operator.signal('SIGCONT')
    const {exitCode, stderr} = await operator.ended()
    const [first, second] = [await installs(operator), await installs(next)]
    operator = next
    await environment.has('Ready', 'True')

    expect(exitCode, stderr).not.toBe(0)
    expect(stderr).toContain('KK_LEASE_LOST')
    expect([first.length, second.length]).toEqual([1, 1])
    expect(await environment.states()).toEqual(['api 1 deployed', 'db 1 deployed'])
  })

  it('6: comes to what was written last, killed at any time', {
    timeout: 600_000 + KILLS * 60_000,
  }, async () => {
    const environment = cluster.environment()
    const seed = seedOfRun()
    const dice = throwDice(seed)
    const ended: RunningOperator[] = []
    const text = (kill: number) => {
      const replicas = 1 + (kill % 3)
      return environment.text({db: {replicas, pod: {'ready-after': '1s'}}, api: {replicas}})
    }

    for (let kill = 0; kill < KILLS; kill++) {
      await environment.apply(text(kill))
      await wait(dice.between(0, 8_000))
      operator.signal('SIGKILL')
      await operator.ended()
      ended.push(operator)
      operator = await cluster.start()
    }
    await environment.apply(text(KILLS), {approval: {}})
    const {metadata} = await environment.read()
    await waitFor(async () => (await environment.read()).status?.observedGeneration === metadata.generation, {
      until: 'it was seen as it is',
      seconds: 300,
    })
    await environment.has('Ready', 'True')

    const states = await environment.states()
    const words = [
      'deployments',
      '--namespace',
      environment.name,
      '--output',
      'jsonpath={.items[*].spec.replicas}',
    ]
    const replicas = 1 + (KILLS % 3)
    expect(states, `KK_TEST_SEED=${seed}`).toEqual([
      expect.stringMatching(/^api \d+ deployed$/),
      expect.stringMatching(/^db \d+ deployed$/),
    ])
    expect(await done(cluster.kubectl('get', ...words)), `KK_TEST_SEED=${seed}`).toBe(
      `${replicas} ${replicas}`,
    )
  })
})
