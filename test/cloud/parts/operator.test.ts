import {writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import type {OperatorStatus} from '../../../src/operator/client/status.ts'
import {waitFor} from '../../e2e/support/cluster.ts'
import {testDirectory} from '../../support/test-directory.ts'
import {globalOfCloud} from '../support/environment.ts'
import {query} from '../support/in-server.ts'
import {
  hand,
  installOperator,
  OPERATOR,
  operated,
  recordsOf,
  statusOf,
  uninstallOperator,
} from '../support/operator.ts'
import {killPods, makeCloud, podIds, rolledOut} from '../support/own-cloud.ts'

let cloud: Awaited<ReturnType<typeof makeCloud>>
let name: string
let directory: string
beforeAll(async () => {
  cloud = await makeCloud('memcached', 'mariadb-server')
  name = cloud.namespace
  directory = testDirectory()
  await installOperator(name)
})
afterAll(async () => {
  await uninstallOperator()
  await cloud.remove()
})

/** Hands an environment over, with so many connections to each service, and lets the operator drive it. */
async function handWith(connections: number): Promise<void> {
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
  await hand(file, name)
}

/** The revisions that helm has deployed, or had: `mariadb 2`. */
async function revisions(): Promise<readonly string[]> {
  return (await recordsOf(name)).flatMap((record) => /^(.*) (?:deployed|superseded)$/.exec(record)?.[1] ?? [])
}

/** The pod of the operator that leads, by what it is told of it. */
function leaderOf({leader}: OperatorStatus): string {
  return /^operator (kk-operator-\S+) \(/.exec(leader!)![1]!
}

describe('the operator in its own pods', {timeout: 1_200_000}, () => {
  it('deploys an environment with the charts and the helm of its image', async () => {
    await handWith(150)

    const {environments} = await operated(name)
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

  it('continues in its other pod if the leader is killed between a helm command and its gate', async () => {
    const first = leaderOf(await statusOf(name))
    await handWith(170)
    await waitFor(async () => (await revisions()).includes('mariadb 2'), {
      until: 'helm has upgraded the database',
      seconds: 300,
    })

    await killPods('kk-system', first)
    const after = await waitFor(
      async () => {
        const found = await operated(name)
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
