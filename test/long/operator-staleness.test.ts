import {setTimeout as wait} from 'node:timers/promises'
import {afterEach, beforeAll, expect, it} from 'vitest'
import {leaseName} from '../../src/kubernetes/lease/lease.ts'
import {OPERATOR_LEASE} from '../../src/operator/apply-cache.ts'
import {waitFor} from '../e2e/support/cluster.ts'
import {done} from '../e2e/support/guarded.ts'
import {type OperatedCluster, startOperatedCluster} from '../e2e/support/operator.ts'
import {sizeAtNight} from '../support/night.ts'
import {openApiProxy} from './support/api-proxy.ts'
import {newFaults} from './support/fault-proxy.ts'
import {freePort} from './support/free-port.ts'
import {openStaleProxy, type StaleProxy} from './support/stale-proxy.ts'

// The numbers are those of the proof of the design, as in operator-proof.test.ts. An operator whose way to
// the API server is bad.
/** How much later watches tell, in milliseconds. */
const LATE = sizeAtNight(30_000, 4_000)
/** Edits in each of which one write goes wrong. */
const FAULTS = sizeAtNight(200, 4)

let cluster: OperatedCluster
beforeAll(async () => {
  cluster = await startOperatedCluster(12, '--removal')
  return () => cluster.end()
})

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  await cluster.stopAll()
  for (const close of closing.splice(0)) await close()
})

async function staleProxy(): Promise<StaleProxy> {
  const proxy = await openStaleProxy(cluster.kubeconfig)
  closing.push(proxy.close)
  return proxy
}

const RESOURCE = 'environment.kk.openstack.org'
const PLACE = ['--namespace', 'kk-system']
const PATH = '/apis/kk.openstack.org/v1alpha1/namespaces/kk-system/environments'

it('9: changes that watches deliver late are deployed in order, and once', {
  timeout: 600_000 + LATE * 20,
}, async () => {
  const environment = cluster.environment()
  const proxy = await staleProxy()
  const operator = await cluster.startAt(proxy)
  await environment.apply(environment.text())
  await environment.has('Ready', 'True')
  proxy.delay(LATE)

  await environment.apply(environment.text({db: {replicas: 2}, api: {replicas: 2}}))
  await environment.comesTo('api 2')

  expect(await operator.changes(environment)).toEqual([
    'install db',
    'install api',
    'upgrade db',
    'upgrade api',
  ])
  expect(await environment.states()).toEqual(['api 2 deployed', 'db 2 deployed'])
})

it('9: a stale watch does not lead to a deployment of old inputs', {
  timeout: 600_000 + LATE * 20,
}, async () => {
  const environment = cluster.environment()
  const proxy = await staleProxy()
  const operator = await cluster.startAt(proxy)
  // It is passed over each second, whatever its watches tell.
  await environment.apply(environment.text(), {drift: {every: '1s'}})
  await environment.has('Drifted', 'False', 'AsDeployed')
  proxy.delay(LATE)

  await done(cluster.kubectl('delete', RESOURCE, environment.name, ...PLACE))
  await environment.isFree()
  await cluster.byHand('deploy', environment, environment.text({api: {replicas: 2}}))
  const before = proxy.asked(`${PATH}/${environment.name}`)
  await environment.apply(environment.text({api: {replicas: 2}}), {suspend: true})
  await environment.has('Paused', 'True')

  expect(proxy.asked(`${PATH}/${environment.name}`)).toBeGreaterThan(before)
  expect(await operator.changes(environment)).toEqual(['install db', 'install api'])
  expect(await environment.states()).toEqual(['api 2 deployed', 'db 1 deployed'])
})

it('10: stale reads of an API server cause no removal and no revert', async () => {
  const [kept, again, other] = [cluster.environment(), cluster.environment(), cluster.environment()]
  const proxy = await staleProxy()
  const first = await cluster.startAt(proxy)
  await Promise.all([
    kept.apply(kept.text()),
    again.apply(again.text(), {deletionPolicy: 'RemoveUnshared'}),
    other.apply(other.text()),
  ])
  await Promise.all([kept, again, other].map((each) => each.has('Ready', 'True')))
  const {uid} = await waitFor(
    async () => {
      const {metadata} = await again.read()
      return (metadata.finalizers?.length ?? 0) > 0 && metadata
    },
    {until: 'the operator knows the policy'},
  )
  await first.stop()
  // One is being deleted with its releases, and the others are driven: so it is remembered.
  await done(
    cluster.kubectl('annotate', RESOURCE, again.name, ...PLACE, `kk.openstack.org/confirm-remove=${uid}`),
  )
  await done(cluster.kubectl('delete', RESOURCE, again.name, ...PLACE, '--wait=false'))
  await proxy.remember()

  const free = {metadata: {finalizers: []}}
  const merge = ['--type', 'merge', '--patch', JSON.stringify(free)]
  await done(cluster.kubectl('patch', RESOURCE, again.name, ...PLACE, ...merge))
  await again.apply(again.text(), {suspend: true})
  const second = await cluster.start()
  await done(cluster.operator('pause', kept.name))
  await kept.isFree()
  await cluster.byHand('deploy', kept, kept.text({api: {replicas: 2}}))
  await second.stop()
  await other.apply(other.text({db: {replicas: 2}}))

  proxy.lag(true)
  const third = await cluster.startAt(proxy)
  // When helm has ended: what ends the lag cuts connections, and one of helm's would be made good by another
  // revision.
  await waitFor(async () => (await other.states()).includes('db 2 deployed'), {
    until: 'it works on the third',
  })
  await waitFor(async () => [kept, again].every(({name}) => proxy.asked(`${PATH}/${name}`) > 0), {
    until: 'it has looked at the others',
  })
  proxy.lag(false)
  await other.has('Ready', 'True')
  await kept.apply(kept.text({api: {replicas: 3}}), {suspend: false})
  await kept.has('Ready', 'True')

  expect(await third.changes(again)).toEqual([])
  expect(await third.changes(kept)).toEqual(['upgrade api'])
  expect(await third.changes(other)).toEqual(['upgrade db'])
  expect(await again.revisions()).toEqual(['api 1', 'db 1'])
  expect(await kept.revisions()).toEqual(['api 1', 'api 2', 'api 3', 'db 1'])
})

it('11: every failed write is recovered automatically', {
  timeout: 600_000 + FAULTS * 60_000,
}, async () => {
  const environment = cluster.environment()
  const faults = newFaults()
  const proxy = await openApiProxy({kubeconfig: cluster.kubeconfig, handle: faults.handle})
  closing.push(proxy.close)
  await cluster.startAt(proxy)
  const edit = async (number: number) => {
    const replicas = 1 + (number % 3)
    await environment.apply(environment.text({db: {replicas}, api: {replicas}}))
    const {metadata} = await environment.read()
    let asked = ''
    await waitFor(
      async () => {
        const {status} = await environment.read()
        const isSeen = status?.observedGeneration === metadata.generation
        const ready = status?.conditions?.find(({type}) => type === 'Ready')
        if (isSeen && ready?.reason === 'Failed' && asked !== status?.run) {
          // What helm has failed at is not repeated unasked: the API server itself has told helm that it
          // could not.
          expect(ready.message).toContain('the test lets this go wrong')
          asked = status!.run!
          await done(cluster.operator('retry', environment.name))
        }
        const words = ['deployments', '--namespace', environment.name]
        const {items} = await cluster.get<{items: readonly {spec: {replicas: number}}[]}>(...words)
        const isDone = items.length === 2 && items.every(({spec}) => spec.replicas === replicas)
        return isDone && ready?.status === 'True'
      },
      {until: `edit ${number} is deployed`, seconds: 300},
    )
  }
  faults.arm({on: 'any', nth: 0, how: 'error'})
  await edit(0)
  await edit(1)
  faults.arm({on: 'any', nth: 0, how: 'error'})
  await edit(2)
  const writes = faults.seen()

  const met: string[] = []
  for (let number = 0; number < FAULTS; number++) {
    const how = (['error', 'throttled', 'cut-before', 'cut-after'] as const)[Math.floor(number / writes) % 4]!
    const nth = 1 + (number % writes)
    faults.arm({on: 'any', nth, how})
    await edit(number)
    if (faults.struck()) met.push(`${how} ${nth}`)
  }

  expect(writes).toBeGreaterThan(10)
  expect(met.length).toBeGreaterThanOrEqual(FAULTS * 0.8)
  expect(await environment.states()).toEqual([
    expect.stringMatching(/^api \d+ deployed$/),
    expect.stringMatching(/^db \d+ deployed$/),
  ])
})

it('11: expired resource versions and silent watches are recovered', {
  timeout: 900_000,
}, async () => {
  const environment = cluster.environment()
  const proxy = await staleProxy()
  const operator = await cluster.startAt(proxy)
  await environment.apply(environment.text())
  await environment.comesTo('api 1')

  proxy.forget()
  await environment.apply(environment.text({api: {replicas: 2}}))
  await environment.comesTo('api 2')
  proxy.mute()
  // What it was told before is passed over within seconds, and what is read then is of now.
  await wait(6_000)
  await environment.apply(environment.text({api: {replicas: 3}}))
  await environment.comesTo('api 3')

  expect(await operator.changes(environment)).toEqual([
    'install db',
    'install api',
    'upgrade api',
    'upgrade api',
  ])
})

it('11: with an unresponsive API server its probes fail within two minutes, and the next leader continues', {
  timeout: 900_000,
}, async () => {
  const environment = cluster.environment()
  const proxy = await staleProxy()
  const port = await freePort()
  const first = await cluster.startAt(proxy, '--listen', `127.0.0.1:${port}`)
  const isReady = () =>
    fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ok}) => ok,
      () => false,
    )
  await environment.apply(environment.text())
  await environment.has('Ready', 'True')
  const before = await isReady()

  proxy.silence(true)
  await waitFor(async () => !(await isReady()), {until: 'the probe fails', seconds: 120})
  await environment.apply(environment.text({api: {replicas: 2}}))
  const {exitCode, stderr} = await first.ended()
  proxy.silence(false)
  proxy.cut(true)
  proxy.cut(false)
  // The kubelet starts it anew.
  await cluster.startAt(proxy)
  await environment.comesTo('api 2')

  expect(before).toBe(true)
  expect(exitCode).toBe(1)
  expect(stderr).toContain('KK_LEASE_LOST')
})

/**
 * Fewer than the seconds of a Lease are of no use: whoever leads gives up then, and the next one takes over.
 */
const CUT_SECONDS = 60

/**
 * By how many seconds the clock of the leader is wrong; that of the other one is wrong by as much the other
 * way.
 */
const SKEWS = [30, -30].slice(0, sizeAtNight(2, 1))

it.each(SKEWS)(
  '8: with one operator cut off for a minute next to another, each release has one helm at a time (%i s)',
  {
    timeout: 900_000,
  },
  async (skew) => {
    const environment = cluster.environment()
    const proxy = await openApiProxy({
      kubeconfig: cluster.kubeconfig,
      handle: async ({forward, pass}) => pass(await forward()),
    })
    closing.push(proxy.close)
    const leader = await cluster.startAt({...proxy, env: skewed(skew)})
    await environment.apply(environment.text())
    await environment.has('Ready', 'True')
    const ahead = await clockAhead()
    const next = await cluster.startAt({env: skewed(-skew)})
    const hooked = {job: {hook: 'post-upgrade', pod: {'complete-after': '8s'}}}
    await environment.apply(environment.text({db: {replicas: 2, ...hooked}, api: {replicas: 2}}))
    await waitFor(async () => (await environment.revisions()).includes('db 2'), {
      until: 'helm is at work, and has written its record',
    })

    proxy.cut(true)
    await wait(CUT_SECONDS * 1000)
    proxy.cut(false)
    await waitFor(async () => (await environment.states()).join().includes('api 2 deployed'), {
      until: 'what was begun is done',
      seconds: 600,
    })
    await environment.has('Ready', 'True')
    // It has ended by itself, once its helm had.
    const {stderr} = await leader.ended()
    const all = [...(await leader.changes(environment)), ...(await next.changes(environment))]

    expect(ahead).toBeCloseTo(skew, -1)
    expect(stderr).toContain('KK_LEASE_LOST')
    expect(all.filter((change) => change === 'upgrade api')).toEqual(['upgrade api'])
    const records = await environment.revisions()
    expect(all.filter((change) => change === 'upgrade db')).toHaveLength(
      records.filter((record) => record.startsWith('db')).length - 1,
    )
  },
)

interface OperatorLease {
  readonly metadata: {readonly creationTimestamp: string}
  readonly spec: {readonly acquireTime: string}
}

/** By how many seconds the clock of the process that leads is ahead of that of the API server. */
async function clockAhead(): Promise<number> {
  const {metadata, spec} = await cluster.get<OperatorLease>('lease', leaseName(OPERATOR_LEASE), ...PLACE)
  return (Date.parse(spec.acquireTime) - Date.parse(metadata.creationTimestamp)) / 1000
}

/**
 * Variables that put the clock of a process forward by so many seconds. Helm, which loads no libraries, and
 * clocks that only measure time are not affected.
 */
function skewed(seconds: number): Record<string, string> {
  return {
    // The loader knows what $LIB is.
    LD_PRELOAD: '/usr/$LIB/faketime/libfaketime.so.1',
    FAKETIME: `${seconds < 0 ? '' : '+'}${seconds}`,
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    NO_FAKE_STAT: '1',
  }
}
