import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import type {Instance} from '../../../scripts/cloud/instance.ts'
import {kk, kubectl} from '../../aio/support/node.ts'
import {blocksOf, readPages} from '../../docs/support/pages.ts'
import {cloudUp, NAMESPACE, succeed} from '../support/cloud.ts'
import {CLOUD, changedEnvironment} from '../support/environment.ts'
import {inMachine, machine, removeMachine, smallFlavors, startMachine} from '../support/machines.ts'
import {hand, installOperator, operated, uninstallOperator} from '../support/operator.ts'
import {podIds} from '../support/own-cloud.ts'

/** What docs/components.md runs: nova's objects given to the releases of its components, and given back. */
const [GIVE = '', TAKE_BACK = ''] = readPages()
  .filter(({path}) => path === 'docs/components.md')
  .flatMap(blocksOf)
  .filter(({info}) => info === 'sh aio')
  .map(({text}) => text)
const FUNCTION = GIVE.split('\n\n')[0]!

const LIVES = 'app.kubernetes.io/instance=nova,app.kubernetes.io/component in '
const lives = (...components: readonly string[]) => podIds(NAMESPACE, `${LIVES}(${components.join(',')})`)
const OTHERS = ['api', 'metadata', 'scheduler', 'novncproxy', 'compute', 'drain-blocker']

async function onNode(script: string): Promise<void> {
  const {exitCode, stderr} = await kk(['aio', 'shell', '--', 'bash', '-ec', script])
  expect(exitCode, stderr).toBe(0)
}

let first: Instance
let file: string
beforeAll(async () => {
  await cloudUp()
  first = await machine()
  file = await changedEnvironment({values: {kk: {releases: {nova: {components: true}}}}})
  return smallFlavors()
})
// Whatever became of it, the cloud is as its file says for those that come after.
afterAll(async () => {
  await onNode(`${FUNCTION}\n${TAKE_BACK}`)
  await succeed(['deploy', CLOUD, '--yes'])
})

describe('nova as releases per component', () => {
  it('takes over the pods of the single release without disruption', async () => {
    const before = await lives(...OTHERS, 'conductor')
    expect(Object.keys(before)).toHaveLength(7)

    await onNode(GIVE)
    await succeed(['deploy', file, '--yes'])

    expect(await lives(...OTHERS, 'conductor')).toEqual(before)
  })

  it('starts virtual machines', async () => {
    const one = await startMachine(first, 'kk-of-components', '--image guest')

    expect(await inMachine(one, 'hostname')).toBe('kk-of-components')
  })

  it('replaces only the pods of its conductor on an upgrade of that component', async () => {
    const before = {others: await lives(...OTHERS), conductor: await lives('conductor')}
    const grace = 'pod.lifecycle.termination_grace_period.conductor.timeout=61'

    await succeed(['upgrade', file, 'nova-conductor', '--yes', '--set', `nova-conductor:${grace}`])

    expect(await lives(...OTHERS)).toEqual(before.others)
    expect(Object.keys(await lives('conductor'))).not.toEqual(Object.keys(before.conductor))
    await removeMachine('kk-of-components')
  })

  it('has an operator process for each microservice, which upgrades only that one', async () => {
    const micro = ['api', 'conductor', 'scheduler'].map((name) => `nova-${name}`)
    const shards = micro.flatMap((name) => ['--isolate', name])
    await installOperator(NAMESPACE, '--topology', 'per-component', ...shards)
    const released = {kk: {releases: {nova: {components: true}}}}
    const grace = {pod: {lifecycle: {termination_grace_period: {conductor: {timeout: 62}}}}}
    await hand(await changedEnvironment({values: released, charts: 'own'}), 'cloud')
    await operated('cloud')
    const before = {others: await lives(...OTHERS), conductor: await lives('conductor')}
    const done = Object.fromEntries(
      await Promise.all(micro.map(async (name) => [name, await actionsOf(name)])),
    )

    await hand(await changedEnvironment({values: {...released, nova: grace}, charts: 'own'}), 'cloud')
    await operated('cloud')

    expect(await lives(...OTHERS)).toEqual(before.others)
    expect(Object.keys(await lives('conductor'))).not.toEqual(Object.keys(before.conductor))
    expect(await actionsOf('nova-conductor')).toBeGreaterThan(done['nova-conductor']!)
    expect(await actionsOf('nova-api')).toBe(done['nova-api'])
    expect(await actionsOf('nova-scheduler')).toBe(done['nova-scheduler'])
    await uninstallOperator()
  })
})

/** How many actions the operator's process for a release has done, by its metrics. */
async function actionsOf(release: string): Promise<number> {
  const [pod] = Object.keys(await podIds('kk-system', `app.kubernetes.io/component=${release}`))
  const metrics = await kubectl([
    'get',
    '--raw',
    `/api/v1/namespaces/kk-system/pods/${pod}:8080/proxy/metrics`,
  ])
  const counts = metrics.matchAll(/^controller_runtime_reconcile_total\{.*\} (\d+)$/gm)
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0)
}
