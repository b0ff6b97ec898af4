import {beforeAll, expect, it} from 'vitest'
import {done, type OwnCluster, startOwnCluster} from '../e2e/support/guarded.ts'
import {kk} from '../e2e/support/kk.ts'
import {
  kubeconfigOf,
  type OperatedCluster,
  type OperatedEnvironment,
  type RunningOperator,
  startOperatedCluster,
} from '../e2e/support/operator.ts'
import {sizeAtNight} from '../support/night.ts'
import {type ApiProxy, openApiProxy} from './support/api-proxy.ts'

// Number 21 of the proof of the design. Each site has a way of its own, with an address and an account's
// token, and ways can be cut one by one; behind them is one API server, for twenty would be a machine's whole
// memory. fleet.test.ts has real ones.
const SITES = sizeAtNight(20, 6)
const AWAY = sizeAtNight(3, 2)

interface Site {
  readonly environment: OperatedEnvironment
  readonly way: ApiProxy
  readonly spec: object
}

let hub: OperatedCluster
let far: OwnCluster
let operator: RunningOperator
let sites: readonly Site[]
beforeAll(async () => {
  ;[hub, far] = await Promise.all([startOperatedCluster(SITES), startOwnCluster()])
  const environments = Array.from({length: SITES}, () => hub.environment(far))
  const namespaces = environments.flatMap(({name}) => ['--namespace', name])
  const words = ['operator', 'install', '--account', ...namespaces, '--yes']
  await done(kk([...words, '--sandbox-name', far.sandbox]))
  sites = await Promise.all(environments.map(siteOf))
  operator = await hub.start()
  return async () => {
    await operator.stop()
    await Promise.all(sites.map(({way}) => way.close()))
    await Promise.all([hub, far].map((each) => each.end()))
  }
}, 900_000)

/** Opens the way to a site, and gives the hub a kubeconfig that leads there. */
async function siteOf(environment: OperatedEnvironment): Promise<Site> {
  const way = await openApiProxy({
    kubeconfig: far.kubeconfig,
    handle: async ({forward, pass}) => pass(await forward()),
  })
  const {name} = environment
  const text = JSON.stringify(await kubeconfigOf('kk-hub', far, way.server))
  await hub.ask({
    method: 'PATCH',
    path: `/api/v1/namespaces/kk-system/secrets/${name}?fieldManager=people&force=true`,
    body: {
      ...{apiVersion: 'v1', kind: 'Secret', metadata: {name}},
      data: {kubeconfig: Buffer.from(text).toString('base64')},
    },
  })
  return {environment, way, spec: {cluster: {kubeconfigSecret: name}}}
}

async function uids({environment: {name}}: Site): Promise<readonly string[]> {
  const words = ['deployments,secrets,services', '--namespace', name]
  const {items} = await far.get<{items: readonly {metadata: {uid: string}}[]}>(...words)
  return items.map(({metadata}) => metadata.uid)
}

const changeAll = (api: object) =>
  Promise.all(sites.map(({environment, spec}) => environment.apply(environment.text({api}), spec)))

const comeTo = (some: readonly Site[], revision: string) =>
  Promise.all(some.map(({environment}) => environment.comesTo(revision, 300 + SITES * 20)))

it('21: unreachable clusters delay no other cluster, and lose nothing', {
  timeout: 600_000 + SITES * 60_000,
}, async () => {
  await changeAll({})
  await comeTo(sites, 'api 1')
  const [away, others] = [sites.slice(0, AWAY), sites.slice(AWAY)]
  const before = await Promise.all(away.map(uids))
  for (const {way} of away) way.cut(true)

  await changeAll({replicas: 2})
  await comeTo(others, 'api 2')
  await Promise.all(away.map(({environment}) => environment.has('Reachable', 'False', 'KK_UNREACHABLE')))
  const whileAway = await Promise.all(away.map(({environment}) => environment.revisions()))
  const kept = await Promise.all(away.map(({environment}) => environment.read()))
  for (const {way} of away) way.cut(false)
  await comeTo(away, 'api 2')

  expect(whileAway).toEqual(away.map(() => ['api 1', 'db 1']))
  for (const {status} of kept)
    expect(status?.conditions).toContainEqual(expect.objectContaining({type: 'Ready', reason: 'Healthy'}))
  for (const [index, site] of away.entries())
    expect(await uids(site)).toEqual(expect.arrayContaining([...before[index]!]))
  const calls = (await operator.helmCalls()).filter((call) => /^(uninstall|rollback)/.test(call))
  expect(calls).toEqual([])
})
