import {join} from 'node:path'
import {beforeAll, describe, expect, inject, it} from 'vitest'
import {waitFor} from '../e2e/support/cluster.ts'
import {done} from '../e2e/support/guarded.ts'
import {
  type OperatedCluster,
  type OperatedEnvironment,
  type RunningOperator,
  startOperatedCluster,
} from '../e2e/support/operator.ts'
import {seedOfRun, throwDice} from './support/seed.ts'

// Number 12 of the proof of the design: at night every order of the four deletions with each policy, by day
// two of them.
const DELETIONS = ['Environment', 'namespace', 'kinds', 'chart'] as const
type Deletion = (typeof DELETIONS)[number]
const POLICIES = ['Orphan', 'RemoveUnshared'] as const

function ordersOf<T>(all: readonly T[]): readonly (readonly T[])[] {
  if (all.length < 2) return [all]
  return all.flatMap((first) =>
    ordersOf(all.filter((each) => each !== first)).map((rest) => [first, ...rest]),
  )
}

const ALL = ordersOf(DELETIONS).flatMap((order) =>
  POLICIES.map((policy) => [order.join(', '), policy] as const),
)
const SEED = seedOfRun()
const dice = throwDice(SEED)
const PLAYED = process.env.KK_TEST_NIGHT
  ? ALL
  : POLICIES.map((policy) => dice.pick(ALL.filter(([, each]) => each === policy)))

const PLACE = ['--namespace', 'kk-system']
const DEFINITIONS = ['environments', 'releases'].map((plural) => `${plural}.kk.openstack.org`)

let cluster: OperatedCluster
let chart: string
beforeAll(async () => {
  cluster = await startOperatedCluster(PLAYED.length * 2 + 2)
  chart = join(inject('run').home, 'deletion-chart')
  await cluster.install('--removal', '--chart', chart)
  return () => cluster.end()
})

/** Takes away what is there of the operator, and installs it by its chart. */
async function installByChart(): Promise<void> {
  await cluster.uninstall()
  await done(cluster.operator('install', '--crds', '--yes'))
  const words = ['install', 'kk-operator', chart, ...PLACE, '--create-namespace']
  await done(cluster.helm('helm4', ...words))
}

/** The Deployments of an environment by their names, with their UIDs. */
async function workloads({name}: OperatedEnvironment): Promise<Readonly<Record<string, string>>> {
  const {items} = await cluster.get<{items: readonly {metadata: {name: string; uid: string}}[]}>(
    ...['deployments', '--namespace', name],
  )
  return Object.fromEntries(items.map(({metadata}) => [metadata.name, metadata.uid]))
}

/**
 * An environment of `db`, which another one uses, of `vault`, which is protected, and of `api`; and that
 * other one.
 */
async function deployed(policy: (typeof POLICIES)[number]) {
  const [shared, user] = [cluster.environment(), cluster.environment()]
  const {kk: own, ...sections} = JSON.parse(shared.text()) as {kk: {releases: object}}
  const releases = {...own.releases, vault: {chart: 'workload', protected: true}}
  const {kk: others, api} = JSON.parse(user.text()) as {kk: object; api: object}
  const requires = {api: {chart: 'workload', requires: [`${shared.name}/db`]}}
  await shared.apply(JSON.stringify({kk: {...own, releases}, ...sections, vault: {}}), {
    deletionPolicy: policy,
  })
  await shared.has('Ready', 'True')
  await user.apply(JSON.stringify({kk: {...others, releases: requires}, api}))
  await user.has('Ready', 'True')
  const {metadata} = await waitFor(
    async () => {
      const found = await shared.read()
      const isKnown = (found.metadata.finalizers?.length ?? 0) > 0 || policy === 'Orphan'
      return isKnown && found
    },
    {until: 'the operator knows the policy'},
  )
  const confirmed = `kk.openstack.org/confirm-remove=${metadata.uid}`
  await done(cluster.kubectl('annotate', 'environment.kk.openstack.org', shared.name, ...PLACE, confirmed))
  return {shared, user}
}

it('an operator installed for fewer namespaces has no rights in the others, and none after it is uninstalled', async () => {
  const [kept, left] = [cluster.environment().name, cluster.environment().name]
  const account = 'system:serviceaccount:kk-system:kk-operator'
  const may = async (name: string) => {
    const words = ['auth', 'can-i', 'delete', 'secrets', '--namespace', name, '--as', account]
    return (await cluster.kubectl(...words)).stdout.trim()
  }
  const image = ['--image', 'registry.example.org/kk:1', '--yes']

  await cluster.install()
  const before = [await may(kept), await may(left)]
  await done(cluster.operator('install', ...image, '--namespace', kept))
  const fewer = [await may(kept), await may(left)]
  await cluster.uninstall()

  expect(before).toEqual(['yes', 'yes'])
  expect(fewer).toEqual(['yes', 'no'])
  expect([await may(kept), await may(left)]).toEqual(['no', 'no'])
})

const isGone = async (kind: string, ...words: readonly string[]) =>
  (await cluster.kubectl('get', kind, ...words, '--ignore-not-found', '--output', 'name')).stdout === ''

describe(`a deletion of objects in any order (KK_TEST_SEED=${SEED})`, () => {
  it.each(PLAYED)(
    '12: %s, with the policy %s: shared and protected releases stay, and nothing hangs',
    {timeout: 900_000},
    async (order, policy) => {
      await installByChart()
      const operator = await cluster.start()
      const {shared, user} = await deployed(policy)
      const before = {...(await workloads(shared)), user: (await workloads(user)).api}
      const deletions = deletionsOf(shared, operator)

      for (const each of order.split(', ') as Deletion[]) await deletions[each]()
      // Where nobody is there to let an Environment go, that is the last step, as its page says.
      await cluster.uninstall()
      await done(cluster.kubectl('delete', 'namespace', 'kk-system', '--wait=false', '--ignore-not-found'))
      await waitFor(() => isGone('namespace', 'kk-system'), {until: 'kk-system is gone'})
      await waitFor(() => isGone('crd', ...DEFINITIONS), {until: 'the kinds are gone'})
      const after = {...(await workloads(shared)), user: (await workloads(user)).api}

      const stays = policy === 'Orphan' ? ['api', 'db', 'vault', 'user'] : ['db', 'vault', 'user']
      expect(before).toMatchObject({api: expect.any(String), vault: expect.any(String)})
      for (const name of stays) expect([name, after[name as 'user']]).toEqual([name, before[name as 'user']])
      expect((await shared.revisions()).filter((each) => each !== 'api 1')).toEqual(['db 1', 'vault 1'])
    },
  )
})

/** Each deletion, as kubectl and helm do it; what the guard refuses is confirmed as its message says. */
function deletionsOf(
  {name}: OperatedEnvironment,
  operator: RunningOperator,
): Record<Deletion, () => Promise<void>> {
  const resource = ['environment.kk.openstack.org', name, ...PLACE]
  const remove = (...words: readonly string[]) => cluster.kubectl('delete', ...words, '--wait=false')
  const isThere = async (...words: readonly string[]) =>
    (await cluster.kubectl('get', ...words)).exitCode === 0
  return {
    async Environment() {
      // Its kind, or the namespace, may have taken it along, or do so in between.
      if (await isThere(...resource)) await done(remove(...resource, '--ignore-not-found'))
    },
    namespace: async () => void (await done(remove('namespace', 'kk-system'))),
    async kinds() {
      const refused = await remove('crd', ...DEFINITIONS)
      if (refused.exitCode === 0) return
      expect(refused.stderr).toContain('uninstall the operator with: kk operator uninstall')
      await done(cluster.kubectl('annotate', 'crd', ...DEFINITIONS, 'kk.openstack.org/allow-removal=true'))
      await done(remove('crd', ...DEFINITIONS))
    },
    async chart() {
      const {exitCode, stderr} = await cluster.helm('helm4', 'uninstall', 'kk-operator', ...PLACE)
      // With kk-system went the record of helm, and the Deployment.
      if (exitCode !== 0) expect(stderr).toContain('not found')
      // As the kubelet does with its pods; without its kinds or its account it has ended before.
      operator.signal('SIGTERM')
      await operator.ended()
    },
  }
}
