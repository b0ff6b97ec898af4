import {readFile} from 'node:fs/promises'
import {setTimeout as wait} from 'node:timers/promises'
import {isDeepStrictEqual} from 'node:util'
import {afterEach, beforeAll, expect, it} from 'vitest'
import {processorTime} from '../../bench/measure/processor-time.ts'
import {type AuditEvent, waitFor} from '../e2e/support/cluster.ts'
import {done} from '../e2e/support/guarded.ts'
import {
  type OperatedCluster,
  type OperatedEnvironment,
  startOperatedCluster,
} from '../e2e/support/operator.ts'
import {sizeAtNight} from '../support/night.ts'
import {freePort} from './support/free-port.ts'

// Numbers 15, 18, 20 and 23 of the proof of the design: what the operator writes where there is nothing to
// do.
/** Releases of an idle operator, and changes of them: of a day, with one in ten minutes. */
const RELEASES = sizeAtNight(1_000, 20)
const CHURN = sizeAtNight(144, 12)
/** So long somebody goes on changing what is not corrected any more. */
const FOUGHT_SECONDS = sizeAtNight(300, 20)
/** What has not been written for so long, in milliseconds, is written no more. */
const SETTLED = 5_000
/** So long nothing is written while it is paused, or waits for an approval. */
const QUIET_SECONDS = sizeAtNight(600, 5)

let cluster: OperatedCluster
beforeAll(async () => {
  cluster = await startOperatedCluster(5)
  return () => cluster.end()
})
afterEach(() => cluster.stopAll())

/** What the operator has written since then, Leases and events aside: `patch /apis/…`. */
async function writesSince(milliseconds: number): Promise<readonly string[]> {
  return (await readFile(cluster.auditLog, 'utf8'))
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

it('23: an operator without changes starts no helm and writes only Leases', {
  timeout: 600_000 + RELEASES * 10_000,
}, async () => {
  const environment = cluster.environment()
  const operator = await cluster.start()
  await environment.apply(manyReleases(environment))
  await waitFor(async () => (await environment.read()).status?.summary === `${RELEASES}/${RELEASES}`, {
    until: 'all are deployed',
    seconds: 120 + RELEASES * 10,
  })
  await environment.has('Ready', 'True')
  // The Environment is told first, then each of its releases, and all are looked at once more.
  await waitFor(async () => (await writesSince(Date.now() - SETTLED)).length === 0, {
    until: 'every Release is told',
    seconds: 60 + RELEASES,
  })
  const [calls, since] = [(await operator.helmCalls()).length, Date.now()]

  // An hour at a factor of 360: each namespace is touched as often as things happen there in an hour. A label
  // makes no new generation, which would have to be observed first.
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

it('23: the memory of an operator does not grow with the number of reconciliations', {
  timeout: 600_000 + CHURN * 60_000,
}, async () => {
  const environment = cluster.environment()
  const port = await freePort()
  await cluster.start('--listen', `127.0.0.1:${port}`)
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

  // The lowest of each half, in MiB: garbage that is not collected yet does not count. A day's half at 1 MiB
  // an hour.
  const [first, second] = floors.map((half) => Math.min(...half))
  expect(second! - first!, floors.flat().join(' ')).toBeLessThan(12)
})

it('15: contested drift is reported and no longer corrected, and causes no further writes', async () => {
  const environment = cluster.environment()
  const {pid} = await cluster.start()
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
  const worked = processorTime(pid)
  for (let second = 0; second < FOUGHT_SECONDS; second++) {
    await done(cluster.kubectl('scale', ...scale.slice(0, -1), String(3 + (second % 2))))
    await wait(1000)
  }
  const core = (processorTime(pid) - worked) / (FOUGHT_SECONDS * 1000)
  const corrected = (await writesSince(since)).filter((write) => write.includes('/deployments/api'))

  expect(contested.message).toContain('another writer reverts the corrections')
  expect(contested.message).toContain(`${environment.name}/api Deployment/api spec.replicas`)
  expect(corrected.length).toBeGreaterThanOrEqual(5)
  expect(corrected.length).toBeLessThan(10)
  // Each change is still looked at.
  expect(core, 'of a core').toBeLessThan(0.1)
  expect(await environment.revisions()).toEqual(['api 1', 'db 1'])
})

it('20: nothing is written once an Environment is paused', {
  timeout: 600_000 + QUIET_SECONDS * 1000,
}, async () => {
  const environment = cluster.environment()
  await cluster.start()
  await environment.apply(environment.text())
  await environment.has('Ready', 'True')
  await done(cluster.operator('pause', environment.name))
  await environment.apply(environment.text({api: {replicas: 2}}), {suspend: true})
  await environment.has('Paused', 'True')
  const since = Date.now()

  await wait(QUIET_SECONDS * 1000)
  const writes = (await writesSince(since)).filter((write) => write.includes(environment.name))
  await done(cluster.operator('resume', environment.name))
  await environment.has('Ready', 'True')

  expect(writes).toEqual([])
  expect(await environment.revisions()).toEqual(['api 1', 'api 2', 'db 1'])
})

it('18: nothing is written while a plan waits for approval', {
  timeout: 600_000 + QUIET_SECONDS * 1000,
}, async () => {
  const environment = cluster.environment()
  const spec = {approval: {required: ['upgrade']}}
  const operator = await cluster.start()
  await environment.apply(environment.text(), spec)
  await environment.has('Ready', 'True')
  await environment.apply(environment.text({api: {replicas: 2}}), spec)
  const {status} = await environment.has('Approved', 'False', 'WaitingForApproval')
  // The Environment is told first, then each of its releases.
  await waitFor(
    async () => {
      const before = await messages(environment)
      await wait(1000)
      return isDeepStrictEqual(await messages(environment), before)
    },
    {until: 'every Release is told'},
  )
  const since = Date.now()

  await wait(QUIET_SECONDS * 1000)
  const writes = (await writesSince(since)).filter((write) => write.includes(environment.name))
  const before = await operator.changes(environment)
  await done(cluster.operator('approve', environment.name, status!.plan!.digest))
  await environment.comesTo('api 2')

  expect(writes).toEqual([])
  expect(before).toEqual(['install db', 'install api'])
})
