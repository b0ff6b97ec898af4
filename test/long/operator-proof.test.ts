import {afterEach, beforeAll, expect, it} from 'vitest'
import {type AuditEvent, auditEvents, waitFor} from '../e2e/support/cluster.ts'
import {done} from '../e2e/support/guarded.ts'
import {isHelms, isPodReady} from '../e2e/support/history.ts'
import {type OperatedCluster, startOperatedCluster, toldOfFailure} from '../e2e/support/operator.ts'
import {serveArtifact} from '../support/artifact.ts'
import {sizeAtNight} from '../support/night.ts'
import {freePort} from './support/free-port.ts'

// The numbers are those of the proof of the design. test/e2e/operator.test.ts has 1, 3, 12, 14, 18 and 20,
// operator-shapes.test.ts there 2, 6, 12, 18, 22 and 24 with children. Beside this file: 1 and 16
// operator-adoption, 6 to 8 operator-ends, 8 to 11 operator-staleness, 12 operator-deletion, 15, 18, 20 and
// 23 operator-idle, 17 operator-status and operator-truth, 21 fleet and fleet-many, 22 operator-shards, 25
// operator-versions. 4 and the times of 23 are in bench/operator.ts.
/** Upgrades of two releases, of which one requires the other. */
const EDITS = sizeAtNight(200, 3)

let cluster: OperatedCluster
beforeAll(async () => {
  cluster = await startOperatedCluster(5)
  return () => cluster.end()
})
afterEach(() => cluster.stopAll())

it('5: a release never starts before a changed release that it requires', {
  timeout: 600_000 + EDITS * 30_000,
}, async () => {
  const environment = cluster.environment()
  const operator = await cluster.start()
  await environment.apply(environment.text())
  await environment.has('Ready', 'True')
  const late = {pod: {'ready-after': '1s'}}

  for (let revision = 2; revision <= EDITS + 1; revision++) {
    const replicas = 1 + (revision % 3)
    await environment.apply(environment.text({db: {replicas, ...late}, api: {replicas}}))
    await environment.comesTo(`api ${revision}`)
  }

  const orders = Array.from({length: EDITS}, () => ['upgrade db', 'upgrade api']).flat()
  expect((await operator.changes(environment)).slice(2)).toEqual(orders)
  const events = await auditEvents(environment.name, cluster.auditLog)
  const readyAt = events
    .filter((event) => isPodReady(event) && event.objectRef?.name?.startsWith('db-'))
    .map(({stageTimestamp}) => stageTimestamp)
  expect(readyAt.length).toBeGreaterThan(EDITS / 3)
  for (let revision = 2; revision <= EDITS + 1; revision++) {
    const started = firstWrite(events, `api.v${revision}`)
    const next = revision <= EDITS ? firstWrite(events, `db.v${revision + 1}`) : '~'
    expect(started > firstWrite(events, `db.v${revision}`), `${revision}`).toBe(true)
    expect(
      readyAt.filter((time) => time > started && time < next),
      `${revision}`,
    ).toEqual([])
  }
})

/** When helm began a revision, by the audit log: times sort as text. */
function firstWrite(events: readonly AuditEvent[], record: string): string {
  const write = events.find(
    (event) => isHelms(event) && event.objectRef?.name === `sh.helm.release.v1.${record}`,
  )
  return write!.requestReceivedTimestamp
}

it('19: an edit back to the deployed inputs ends the run immediately, without waiting for a blocked gate', async () => {
  const environment = cluster.environment()
  await cluster.start()
  await environment.apply(environment.text())
  await environment.has('Ready', 'True')
  await environment.apply(environment.text({db: {pod: {fail: 'CrashLoopBackOff'}}, api: {replicas: 2}}))
  await waitFor(async () => (await environment.revisions()).includes('db 2'), {until: 'db is upgraded'})

  await environment.apply(environment.text())
  await environment.has('Ready', 'True')

  expect(await environment.states()).toEqual(['api 1 deployed', 'db 3 deployed'])
})

it('an environment stops after the releases of spec.approval.after, and continues after approval', async () => {
  const environment = cluster.environment()
  const operator = await cluster.start()
  const spec = {approval: {after: ['db']}}
  await environment.apply(environment.text(), spec)

  const first = await environment.has('Approved', 'False', 'WaitingForApproval')
  const before = await environment.states()
  await done(cluster.operator('approve', environment.name, first.status!.plan!.digest))
  await environment.comesTo('api 1')
  await environment.apply(environment.text({db: {replicas: 2}}), spec)
  await environment.comesTo('db 2')
  await environment.apply(environment.text({db: {replicas: 2}, api: {replicas: 2}}), spec)
  const {status} = await environment.has('Approved', 'False', 'WaitingForApproval')

  expect(before).toEqual(['db 1 deployed'])
  expect(first.status!.conditions!.find(({type}) => type === 'Approved')?.message).toMatch(
    /^stopped after db: 1 action/,
  )
  expect(status!.plan!.actions).toEqual([expect.stringMatching(/^upgrade .*\/api$/)])
  expect(await operator.changes(environment)).toEqual(['install db', 'install api', 'upgrade db'])
})

it('24: secrets of an environment are only in Secrets', async () => {
  const environment = cluster.environment()
  const marked = 'Marked-9f3c1a'
  const port = await freePort()
  const operator = await cluster.start('--listen', `127.0.0.1:${port}`)

  const objects = await toldOfFailure(cluster, environment, marked)
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  const said = await operator.stop()

  expect(objects).toContain(`${environment.name}.${environment.name}.db`)
  expect(metrics).toContain('kk_')
  expect(said).toContain('leading')
  expect(objects + metrics + said + (await operator.helmCalls())).not.toContain(marked)
})

it('an environment file is deployed from a registry, and then a changed one', async () => {
  const environment = cluster.environment()
  await cluster.start()
  const [first, second] = await Promise.all(
    [{}, {api: {replicas: 2}}].map((values) => serveArtifact([environment.text(values)])),
  )

  await environment.apply('', {source: {oci: first}})
  await environment.has('Ready', 'True')
  await environment.apply('', {source: {oci: second}})
  await environment.comesTo('api 2')

  expect(await environment.revisions()).toEqual(['api 1', 'api 2', 'db 1'])
})
