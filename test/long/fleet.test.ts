import {readdir, stat, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {beforeAll, expect, inject, it} from 'vitest'
import type {FleetPlan} from '../../src/operator/client/fleet.ts'
import type {OperatorStatus} from '../../src/operator/client/status.ts'
import type {EnvironmentObject} from '../../src/operator/crds/environment.ts'
import type {PlanDocument} from '../../src/report/plan/plan-json.ts'
import {uniqueName, waitFor} from '../e2e/support/cluster.ts'
import {done, type OwnCluster, startOwnCluster} from '../e2e/support/guarded.ts'
import {kk} from '../e2e/support/kk.ts'
import {
  kubeconfigOf,
  messageOf,
  type OperatedCluster,
  type OperatedEnvironment,
  type RunningOperator,
  startOperatedCluster,
} from '../e2e/support/operator.ts'
import {processesBelow} from '../e2e/support/sandbox-processes.ts'
import {home} from '../e2e/support/sandboxes.ts'

// Three control planes: the hub has the Environments and the operator, and releases of its own; north and
// south have releases only.
let hub: OperatedCluster
let north: OwnCluster
let south: OwnCluster
let operator: RunningOperator
let here: OperatedEnvironment
let up: OperatedEnvironment
let down: OperatedEnvironment
/** Every token that the Secrets have held. */
const tokens = new Set<string>()
beforeAll(async () => {
  ;[hub, north, south] = await Promise.all([startOperatedCluster(8), startOwnCluster(), startOwnCluster()])
  here = hub.environment()
  up = hub.environment(north)
  down = hub.environment(south)
  await Promise.all([allow(north, up), allow(south, down)])
  await Promise.all([give('north', north), give('south', south)])
  operator = await hub.start()
  return async () => {
    const stderr = await operator.stop()
    await Promise.all([hub, north, south].map((each) => each.end()))
    const said = [stderr, ...(await operator.helmCalls())].join()
    expect([...tokens].filter((token) => said.includes(token))).toEqual([])
    // Nothing of the kubeconfigs stays.
    expect(await readdir(operator.temporary)).toEqual([])
  }
})

/** Gives the operator's account the rights to deploy an environment in its cluster. */
async function allow(cluster: OwnCluster, {name}: OperatedEnvironment): Promise<void> {
  const words = ['operator', 'install', '--account', '--namespace', name, '--yes']
  await done(kk([...words, '--sandbox-name', cluster.sandbox]))
}

/** Writes a kubeconfig for a cluster, with a new token, to a Secret of the hub. */
async function give(secret: string, cluster: OwnCluster): Promise<string> {
  const text = JSON.stringify(await kubeconfigOf('kk-hub', cluster))
  await write(secret, text)
  return text
}

async function write(secret: string, kubeconfig: string): Promise<void> {
  tokens.add(/"token":"([^"]+)"/.exec(kubeconfig)![1]!)
  await hub.ask({
    method: 'PATCH',
    path: `/api/v1/namespaces/kk-system/secrets/${secret}?fieldManager=people&force=true`,
    body: {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {name: secret},
      data: {kubeconfig: Buffer.from(kubeconfig).toString('base64')},
    },
  })
}

const inCluster = (kubeconfigSecret: string, more: object = {}) => ({cluster: {kubeconfigSecret, ...more}})

async function fleet<T>(...words: readonly string[]): Promise<T> {
  const {stdout, stderr} = await kk(['fleet', ...words, '--sandbox-name', hub.sandbox, '--output', 'json'])
  expect(stdout, stderr).not.toBe('')
  return JSON.parse(stdout) as T
}

async function phases(): Promise<Readonly<Record<string, string>>> {
  const {environments} = await fleet<OperatorStatus>('status', here.name, up.name, down.name)
  return Object.fromEntries(environments.map(({name, phase}) => [name, phase]))
}

async function uids(cluster: OwnCluster, {name}: OperatedEnvironment): Promise<readonly string[]> {
  const words = ['deployments,secrets,services', '--namespace', name]
  const {items} = await cluster.get<{items: readonly {metadata: {uid: string}}[]}>(...words)
  return items.map(({metadata}) => metadata.uid)
}

it('a fleet operator deploys to three clusters with the same result as the command line', async () => {
  await Promise.all([
    here.apply(here.text()),
    up.apply(up.text(), inCluster('north')),
    down.apply(down.text(), inCluster('south')),
  ])
  await Promise.all([here, up, down].map((each) => each.has('Ready', 'True')))

  const {environments} = await fleet<OperatorStatus>('status')
  const text = await kk(['fleet', 'status', '--sandbox-name', hub.sandbox])
  const runs = await done(kk(['history', '--owner', up.name, '--sandbox-name', north.sandbox]))
  const lease = await north.get<{spec: {holderIdentity: string}}>(
    ...['lease', `kk-env-${up.name}`, '--namespace', 'kk-system'],
  )

  expect(await Promise.all([here, up, down].map((each) => each.revisions()))).toEqual(
    Array(3).fill(['api 1', 'db 1']),
  )
  expect(environments.map(({name, cluster, reachable}) => [name, cluster, reachable])).toEqual(
    [
      [here.name, null, null],
      [up.name, 'north', true],
      [down.name, 'south', true],
    ].toSorted(),
  )
  expect(text.exitCode).toBe(0)
  expect(text.stdout).toMatch(new RegExp(`${up.name} +north +ready +2/2 +0 .*yes`))
  expect(runs).toContain('deploy')
  expect(lease.spec.holderIdentity).toMatch(/^the operator of another cluster/)
})

it('a managed environment refuses the command line in its target cluster, and accepts a file on the hub', async () => {
  const file = join(inject('run').home, `${up.name}.yaml`)
  await writeFile(file, up.text({api: {replicas: 4}}))

  const refused = await kk(['deploy', file, '--sandbox-name', north.sandbox])
  const words = ['deploy', file, '--via', 'operator', '--sandbox-name', hub.sandbox, '--output', 'json']
  const before = await up.revisions()
  const dry = await kk([...words, '--dry-run'])
  const ordered = await kk(words)

  expect(refused.exitCode).toBe(3)
  expect(refused.stderr).toContain('KK_OPERATED')
  expect(dry.exitCode, dry.stderr).toBe(0)
  const {actions} = JSON.parse(dry.stdout) as PlanDocument
  expect(actions.map(({release, kind}) => `${kind} ${release}`)).toContain(`upgrade ${up.name}/api`)
  expect(before).toEqual(['api 1', 'db 1'])
  expect(ordered.exitCode, ordered.stderr).toBe(0)
  expect(JSON.parse(ordered.stdout)).toMatchObject({
    releases: expect.arrayContaining([
      expect.objectContaining({release: `${up.name}/api`, state: 'succeeded', revision: 2}),
    ]),
  })
  expect(await up.revisions()).toEqual(['api 1', 'api 2', 'db 1'])
})

it('kubeconfigs of a fleet cannot be read by other users', async () => {
  const directories = await readdir(operator.temporary)
  const kubeconfigs = directories.filter((name) => name.startsWith('kk-kubeconfig-'))
  const modes = await Promise.all(
    kubeconfigs.map(async (name) => {
      const directory = join(operator.temporary, name)
      return [(await stat(directory)).mode & 0o777, (await stat(join(directory, 'kubeconfig'))).mode & 0o777]
    }),
  )

  const kinds = 'environments.kk.openstack.org,releases.kk.openstack.org,configmaps,leases,events'
  const shown = await done(hub.kubectl('get', kinds, '--namespace', 'kk-system', '--output', 'yaml'))

  expect([...tokens].filter((token) => shown.includes(token))).toEqual([])
  expect(tokens.size).toBe(2)
  expect(modes).toEqual([
    [0o700, 0o600],
    [0o700, 0o600],
  ])
})

it('an unreachable cluster delays no other, loses nothing, and is reconciled after its return', async () => {
  const before = await uids(north, up)
  const programs = await processesBelow(home(north.sandbox))
  const server = programs.find(({commandLine}) => commandLine.split('\0')[0]!.endsWith('/kube-apiserver'))!
  process.kill(server.pid, 'SIGKILL')
  const changed = {api: {replicas: 2}}

  await Promise.all(
    [here, up, down].map((each, index) =>
      each.apply(each.text(changed), [{}, inCluster('north'), inCluster('south')][index]),
    ),
  )
  await Promise.all([here, down].map((each) => each.comesTo('api 2')))
  const away = await up.has('Reachable', 'False', 'KK_UNREACHABLE')
  const whileAway = await phases()
  const {exitCode} = await kk(['fleet', 'status', '--sandbox-name', hub.sandbox])
  await done(kk(['sandbox', 'up', '--sandbox-name', north.sandbox]))
  await up.has('Reachable', 'True')
  const back = await up.comesTo('api 3')

  expect(messageOf(away, 'Reachable')).toMatch(
    /does not answer at .*: connection refused|the connection was cut/,
  )
  expect(away.status?.conditions).toContainEqual(
    expect.objectContaining({type: 'Ready', status: 'True', reason: 'Healthy'}),
  )
  expect(whileAway).toEqual({[here.name]: 'ready', [up.name]: 'unreachable', [down.name]: 'ready'})
  expect(exitCode).toBe(1)
  expect(back.status?.conditions).toContainEqual(expect.objectContaining({type: 'Reachable', status: 'True'}))
  expect(await uids(north, up)).toEqual(expect.arrayContaining([...before]))
  expect(await up.revisions()).toEqual(['api 1', 'api 2', 'api 3', 'db 1'])
})

it('a fleet operator uses the current tokens of the Secret', async () => {
  const good = JSON.stringify(await kubeconfigOf('kk-hub', south))
  await write('south', good.replace(/"token":"[^"]+"/, '"token":"worn-out-2f81"'))
  const away = await down.has('Reachable', 'False')
  await write('south', good)
  await down.has('Reachable', 'True')
  await down.apply(down.text({api: {replicas: 3}}), inCluster('south'))
  await down.comesTo('api 3')

  expect(messageOf(away, 'Reachable')).toContain('does not accept the credentials')
  expect(JSON.stringify(away.status)).not.toContain('worn-out-2f81')
})

it('a cluster with another identity than in the Environment is refused, and nothing is changed there', async () => {
  const ready = await down.has('Ready', 'True')
  const {identity} = ready.status!.cluster!
  const stranger = hub.environment(north)
  await allow(north, stranger)

  await stranger.apply(stranger.text(), inCluster('north', {identity}))
  const stated = await stranger.has('Stalled', 'True', 'KK_WRONG_CLUSTER')
  await write('south', JSON.stringify(await kubeconfigOf('kk-hub', north)))
  const pinned = await down.has('Stalled', 'True', 'KK_WRONG_CLUSTER')
  const {items} = await north.get<{items: readonly {metadata: {name: string}}[]}>(
    ...['leases', '--namespace', 'kk-system'],
  )
  await give('south', south)
  await down.has('Ready', 'True')

  expect(messageOf(stated, 'Stalled')).toContain(identity)
  expect(messageOf(pinned, 'Stalled')).toContain(identity)
  expect(await stranger.revisions()).toEqual([])
  const names = items.map(({metadata}) => metadata.name)
  expect(
    names.filter((name) => [stranger.name, down.name].some((each) => name === `kk-env-${each}`)),
  ).toEqual([])
  const moved = await hub.kubectl(
    ...['patch', 'kkenv', down.name, '--namespace', 'kk-system', '--type', 'merge'],
    ...['--patch', '{"spec":{"cluster":null}}'],
  )
  expect(moved.stderr).toContain('spec.cluster is immutable')
})

it('changes of an Environment start after its predecessor has been ready with the same change for long enough', async () => {
  const first = hub.environment()
  const second = hub.environment()
  const after = {after: [{environment: first.name, for: '6s'}]}
  await second.apply(second.text(), after)
  const alone = await second.has('Ready', 'False', 'WaitingForEnvironments')
  const {environments: plans} = await fleet<{environments: readonly FleetPlan[]}>('plan', second.name)

  await first.apply(first.text())
  const {status} = await first.has('Ready', 'True')
  const soon = await waitFor(
    async () => {
      const {status: told} = await second.read()
      const ready = told?.conditions?.find(({type}) => type === 'Ready')
      return ready?.message.includes('it must have been ready for 6s') && ready.message
    },
    {until: 'the time that is left is told'},
  )
  await second.has('Ready', 'True')
  const begun = await madeAt(second, 'api', 1)
  // One right after the other: that the first was ready before counts no more.
  for (const each of [first, second]) await each.rewrite(each.text({api: {replicas: 2}}))
  await second.comesTo('api 2')
  const later = await first.read()

  expect(messageOf(alone, 'Ready')).toContain(`waiting for ${first.name}: there is no such Environment`)
  expect(plans[0]).toMatchObject({
    phase: 'waiting',
    from: 'status',
    plan: {actions: [`install ${second.name}/db`, `install ${second.name}/api`]},
  })
  expect(soon).toMatch(/ s left, until 20/)
  expect(begun - Date.parse(status!.steady!.since)).toBeGreaterThanOrEqual(5_000)
  expect((await madeAt(second, 'api', 2)) - Date.parse(later.status!.steady!.since)).toBeGreaterThanOrEqual(
    5_000,
  )
  expect(await first.revisions()).toContain('api 2')
})

/** When helm made this revision, in milliseconds since the epoch. */
async function madeAt({name}: OperatedEnvironment, release: string, revision: number): Promise<number> {
  const words = ['secret', `sh.helm.release.v1.${release}.v${revision}`, '--namespace', name]
  const {metadata} = await hub.get<{metadata: {creationTimestamp: string}}>(...words)
  return Date.parse(metadata.creationTimestamp)
}

it('a suspended Environment is planned in its cluster, and a deleted one is released without removing releases', async () => {
  await done(hub.operator('pause', down.name))
  await down.isFree()
  await down.rewrite(down.text({api: {replicas: 5}}))
  const {environments: plans} = await fleet<{environments: readonly FleetPlan[]}>('plan', down.name)
  const before = await uids(north, up)
  await done(hub.kubectl('delete', 'kkenv', up.name, '--namespace', 'kk-system'))
  await up.isFree()

  expect(plans).toMatchObject([
    {cluster: 'south', phase: 'paused', from: 'planned', plan: {actions: [`upgrade ${down.name}/api`]}},
  ])
  expect(await uids(north, up)).toEqual(before)
})

it('Environments that wait for each other are refused with the whole cycle', async () => {
  const one = hub.environment()
  const two = hub.environment()

  await one.apply(one.text(), {after: [{environment: two.name}]})
  await two.apply(two.text(), {after: [{environment: one.name}]})
  const refused = await two.has('Stalled', 'True', 'KK_ENVIRONMENT_CYCLE')
  const metadata = {name: uniqueName('self'), namespace: 'kk-system'}
  const itself = await hub.create({
    ...{apiVersion: 'kk.openstack.org/v1alpha1', kind: 'Environment', metadata},
    spec: {source: {configMap: 'a'}, after: [{environment: metadata.name}]},
  } satisfies Partial<EnvironmentObject> & object)

  expect(messageOf(refused, 'Stalled')).toContain(`${two.name} after ${one.name} after ${two.name}`)
  expect(itself.stderr).toContain('an Environment cannot list itself in spec.after')
  expect(await Promise.all([one.revisions(), two.revisions()])).toEqual([[], []])
})
