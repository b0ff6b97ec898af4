import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import type {Values} from '../../../src/base/values.ts'
import {kk, kubectl} from '../../aio/support/node.ts'
import {waitFor} from '../../e2e/support/cluster.ts'
import {cloudUp, NAMESPACE, onCloud, podsOf, succeed, uids} from '../support/cloud.ts'
import {CLOUD, changedEnvironment, releasesOf} from '../support/environment.ts'
import {
  hand,
  installOperator,
  OPERATOR,
  operated,
  recordsOf,
  statusOf,
  uninstallOperator,
} from '../support/operator.ts'
import {rolledOut} from '../support/own-cloud.ts'

// Numbers 1 to 3, 5, 7, 12 and 17 of the operator's proof, with the cloud whose pods are real.
const NAME = 'cloud'
const PLACE = ['--namespace', 'kk-system']
const SHAPES = [
  {shape: 'one', children: []},
  {shape: 'per-service', children: ['--service', 'keystone', '--service', 'nova']},
  {shape: 'per-component', children: ['--service', 'nova', '--isolate', 'heat']},
]

/** The file of the cloud, with values over it; charts are those of the operator's image. */
const changed = (values: Values = {}) => changedEnvironment({values, charts: 'own'})

const grace = (component: string, timeout: number): Values => ({
  pod: {lifecycle: {termination_grace_period: {[component]: {timeout}}}},
})

/** The manifests of what is changed, as helm has them. */
async function manifests(): Promise<readonly string[]> {
  const script = ['memcached', 'keystone'].map((name) => `helm get manifest ${name} --namespace ${NAMESPACE}`)
  const {exitCode, stdout, stderr} = await kk(['aio', 'shell', '--', 'bash', '-ec', script.join('\n')])
  expect(exitCode, stderr).toBe(0)
  return stdout.split('\n')
}

/** That the command line finds nothing to do. */
async function expectUnchanged(path: string): Promise<void> {
  const {exitCode, stdout, stderr} = await onCloud(['plan', path, '--detailed-exitcode'])
  expect(exitCode, `${stdout}\n${stderr}`).toBe(0)
}

/** The records and pods of its releases: others may be at work beside it. */
async function whatIsThere() {
  const names = await releasesOf(CLOUD)
  const pods = (await podsOf()).filter(({metadata: {labels, ownerReferences, deletionTimestamp}}) => {
    const isKept = ownerReferences !== undefined && deletionTimestamp === undefined
    return isKept && names.includes(labels['app.kubernetes.io/instance'] ?? '')
  })
  const records = (await recordsOf(NAMESPACE)).filter((record) => names.includes(record.split(' ')[0]!))
  return {records, pods: uids(pods)}
}

let file: string
let edited: string
let wanted: readonly string[]
beforeAll(async () => {
  await cloudUp()
  file = await changed()
  edited = await changed({
    memcached: {conf: {memcached: {'conn-limit': 4000}}},
    keystone: grace('api', 61),
  })
  await succeed(['deploy', edited, '--yes'])
  wanted = await manifests()
  await succeed(['deploy', file, '--yes'])
})
// Whatever became of it, the command line has the cloud again.
afterAll(async () => {
  await uninstallOperator()
  await succeed(['deploy', CLOUD, '--yes'])
})

describe.each(SHAPES)('the operator in the shape $shape', {timeout: 2_400_000}, ({shape, children}) => {
  beforeAll(() => installOperator(NAMESPACE, '--topology', shape, ...children))
  afterAll(() => uninstallOperator())

  it('1, 2: takes over the cloud unchanged: no helm command, no pod', async () => {
    const before = await whatIsThere()

    await hand(file, NAME)

    const [environment] = (await operated(NAME)).environments
    const names = await releasesOf(CLOUD)
    expect(environment).toMatchObject({summary: `${names.length}/${names.length}`})
    expect(await whatIsThere()).toEqual(before)
  })

  it('2, 5: upgrades a cache and its consumers, in that order, with the same result as the command line', async () => {
    await hand(edited, NAME)
    await operated(NAME)

    const [pod] = (await podsOf('memcached')).filter(({metadata}) => !metadata.deletionTimestamp)
    const served = await whenReady(pod!.metadata.name)
    expect(await whenWritten('keystone')).toBeGreaterThanOrEqual(served)
    expect(await manifests()).toEqual(wanted)
    await expectUnchanged(edited)
    await hand(file, NAME)
    await operated(NAME)
  })
})

/** When a pod of the cloud became ready, in milliseconds. */
async function whenReady(pod: string): Promise<number> {
  const path = 'jsonpath={.status.conditions[?(@.type=="Ready")].lastTransitionTime}'
  return Date.parse(await kubectl(['get', 'pod', pod, '--namespace', NAMESPACE, '--output', path]))
}

/** When helm began with the newest revision of a release, in milliseconds. */
async function whenWritten(release: string): Promise<number> {
  const selector = `owner=helm,name=${release},status=deployed`
  const path = 'jsonpath={.items[*].metadata.creationTimestamp}'
  const words = ['get', 'secrets', '--namespace', NAMESPACE, '--selector', selector]
  return Date.parse(await kubectl([...words, '--output', path]))
}

describe('the operator of a cloud', {timeout: 2_400_000}, () => {
  beforeAll(async () => {
    await installOperator(NAMESPACE)
    await hand(file, NAME)
    await operated(NAME)
  })

  it('7: leaves nothing incomplete if it is restarted during an upgrade of nova', async () => {
    const [, before] = /^nova (\d+) deployed$/m.exec((await recordsOf(NAMESPACE)).join('\n'))!
    await hand(await changed({nova: grace('conductor', 61)}), NAME)
    await waitFor(
      async () =>
        (await recordsOf(NAMESPACE)).some((record) => record.startsWith(`nova ${Number(before) + 1} `)),
      {until: 'helm has begun with nova', seconds: 300},
    )

    await kubectl(['rollout', 'restart', OPERATOR, ...PLACE])
    await rolledOut('kk-system', OPERATOR)
    await operated(NAME)

    const records = await recordsOf(NAMESPACE)
    expect(records.filter((record) => record.includes('pending'))).toEqual([])
    expect(records).toContain(`nova ${Number(before) + 1} deployed`)
    await hand(file, NAME)
    await operated(NAME)
  })

  it('17: reports not ready as long as a rollout is stuck, and ready afterwards', async () => {
    const deployment = ['deployment/heat-api', '--namespace', NAMESPACE]
    await kubectl(['set', 'image', ...deployment, '*=localhost:5010/kk/nowhere:1'])
    await waitFor(
      async () => {
        const [environment] = (await statusOf(NAME)).environments
        const closed = environment!.releases.filter(({ready}) => ready !== 'True')
        return environment!.phase !== 'ready' && closed.some(({release}) => release === `${NAMESPACE}/heat`)
      },
      {until: 'heat is told to be not ready', seconds: 180},
    )

    await kubectl(['rollout', 'undo', ...deployment])
    await rolledOut(NAMESPACE, deployment[0]!)

    await operated(NAME)
  })

  it('12, 3: stops no pod if all of its objects are deleted, and the command line continues', async () => {
    const before = await whatIsThere()
    const kinds = ['environments.kk.openstack.org', 'releases.kk.openstack.org']

    await kubectl(['delete', 'environment.kk.openstack.org', NAME, ...PLACE, '--timeout=60s'])
    await expect(kubectl(['delete', 'crd', ...kinds, '--wait=false'])).rejects.toThrow(
      'kk operator uninstall',
    )
    await kubectl(['annotate', 'crd', ...kinds, 'kk.openstack.org/allow-removal=true'])
    await kubectl(['delete', 'crd', ...kinds, '--timeout=60s'])
    await kubectl(['delete', 'namespace', 'kk-system', '--timeout=120s'])

    expect(await whatIsThere()).toEqual(before)
    const {exitCode, stderr} = await onCloud(['deploy', file, '--yes'])
    expect(exitCode, stderr).toBe(0)
    expect(stderr).toContain(`plan: ${(await releasesOf(CLOUD)).length} unchanged`)
  })
})
