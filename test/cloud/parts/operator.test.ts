import {mkdtemp, rm, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import type {OperatorStatus} from '../../../src/operator/status.ts'
import {kubectl} from '../../aio/support/node.ts'
import {waitFor} from '../../e2e/support/cluster.ts'
import {onCloud, succeed} from '../support/cloud.ts'
import {globalOfCloud} from '../support/environment.ts'
import {pushedImage} from '../support/images.ts'
import {query} from '../support/in-server.ts'
import {killPods, makeCloud, podIds, rolledOut} from '../support/own-cloud.ts'

const OPERATOR = 'deployment/kk-operator'

let cloud: Awaited<ReturnType<typeof makeCloud>>
let name: string
let directory: string
beforeAll(async () => {
  cloud = await makeCloud('memcached', 'mariadb-server')
  name = cloud.namespace
  directory = await mkdtemp(join(tmpdir(), 'kk-operated-'))
  await succeed(['operator', 'install', '--image', await pushedImage('kk'), '--namespace', name, '--yes'])
  // Another cloud beside it has reserved what there is.
  await kubectl([...of('set', 'resources'), OPERATOR, '--requests=cpu=10m,memory=64Mi'])
  await rolledOut('kk-system', OPERATOR)
})
afterAll(async () => {
  await succeed(['operator', 'uninstall', '--namespace', name, '--yes'])
  await rm(directory, {recursive: true})
  await cloud.remove()
})

const of = (...verb: readonly string[]) => [...verb, '--namespace', 'kk-system']

/** Hands an environment over, with so many connections to each service, and lets the operator drive it. */
async function hand(connections: number): Promise<void> {
  const global = await globalOfCloud()
  const mysqld = {max_connections: connections, innodb_buffer_pool_size: '64M'}
  const environment = {
    kk: {namespace: name},
    global: {...global, storage: 'persistent', pod: {resources: {enabled: false}}},
    memcached: {conf: {memcached: {'memory-limit': 64, 'conn-limit': connections}}},
    mariadb: {conf: {my_cnf: {mysqld}}, storage: {size: '1Gi'}},
  }
  const file = join(directory, `${name}.yaml`)
  await writeFile(file, JSON.stringify(environment))
  await succeed(['operator', 'adopt', file])
  await succeed(['operator', 'resume', name])
}

/** What kk tells of the environment; its exit code says whether it is ready. */
async function status(): Promise<OperatorStatus> {
  const {stdout, stderr} = await onCloud(['operator', 'status', name, '--output', 'json'])
  expect(stdout, stderr).not.toBe('')
  return JSON.parse(stdout) as OperatorStatus
}

/** Waits until every gate is open, and fails at once when the operator waits for somebody. */
function ready(): Promise<OperatorStatus> {
  return waitFor(
    async () => {
      const found = await status()
      const [environment] = found.environments
      expect(['failed', 'stalled'], environment?.message).not.toContain(environment?.phase)
      return environment?.phase === 'ready' && found.leader !== null && found
    },
    {until: `${name} is ready`, seconds: 600},
  )
}

/** The revisions that helm has deployed, or had: `mariadb 2`. */
async function revisions(): Promise<readonly string[]> {
  const labels = 'owner=helm,status in (deployed,superseded)'
  const columns = 'custom-columns=NAME:.metadata.labels.name,REVISION:.metadata.labels.version'
  const listed = await kubectl([
    ...['get', 'secrets', '--namespace', name, '--selector', labels],
    ...['--no-headers', '--output', columns],
  ])
  return listed
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.replace(/\s+/, ' ').trim())
    .toSorted()
}

/** The pod of the operator that leads, by what it is told of it. */
function leaderOf({leader}: OperatorStatus): string {
  return /^operator (kk-operator-\S+) \(/.exec(leader!)![1]!
}

describe('the operator in pods of its own', {timeout: 1_200_000}, () => {
  it('deploys an environment with the charts and the helm of its image', async () => {
    await hand(150)

    const {environments} = await ready()
    await waitFor(
      async () => {
        const pods = await podIds('kk-system', 'app.kubernetes.io/name=kk-operator')
        return Object.keys(pods).length === 2 && pods
      },
      {until: 'the pods before the change of its resources have gone'},
    )

    expect(environments[0]!.releases.map(({release}) => release).toSorted()).toEqual([
      `${name}/mariadb`,
      `${name}/memcached`,
    ])
    expect(await revisions()).toEqual(['mariadb 1', 'memcached 1'])
    expect(await query(name, 'mariadb-server-0', 'SELECT @@max_connections')).toEqual(['150'])
  })

  it('goes on in its other pod when the one that leads is killed between a helm and its gate', async () => {
    const first = leaderOf(await status())
    await hand(170)
    await waitFor(async () => (await revisions()).includes('mariadb 2'), {
      until: 'helm has upgraded the database',
      seconds: 300,
    })

    await killPods('kk-system', first)
    const after = await waitFor(
      async () => {
        const found = await ready()
        return leaderOf(found) !== first && found
      },
      {until: 'another pod leads', seconds: 300},
    )

    expect(after.environments[0]).toMatchObject({phase: 'ready', summary: '2/2'})
    expect(await query(name, 'mariadb-server-0', 'SELECT @@max_connections')).toEqual(['170'])
    // No helm is started twice for what the first pod has done.
    expect(await revisions()).toEqual(['mariadb 1', 'mariadb 2', 'memcached 1', 'memcached 2'])
    await rolledOut('kk-system', OPERATOR)
  })
})
