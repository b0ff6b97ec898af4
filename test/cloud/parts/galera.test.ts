import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {kubectl} from '../../aio/support/node.ts'
import {waitFor} from '../../e2e/support/cluster.ts'
import {imageOf} from '../support/images.ts'
import {query} from '../support/in-server.ts'
import {killPods, linesOf, makeCloud, podIds, startClient} from '../support/own-cloud.ts'

const PASSWORD = {MYSQL_PWD: 'dev-database-admin'}
const SERVERS = 'app.kubernetes.io/component=server'
const PODS = ['mariadb-server-0', 'mariadb-server-1', 'mariadb-server-2']

/** Writes number after number through the Service, and prints each that the database has promised to keep. */
const WRITER = `
number=0
while true; do
  number=$((number + 1))
  if mariadb --host=mariadb-server --user=root --connect-timeout=3 --execute="INSERT INTO test.written VALUES ($number, @@hostname)" 2>/dev/null
  then echo $number; else sleep 0.2; fi
done`

let namespace: string
let cloud: Awaited<ReturnType<typeof makeCloud>>
beforeAll(async () => {
  cloud = await makeCloud('mariadb-server')
  namespace = cloud.namespace
  await deploy(1)
  await query(
    namespace,
    'mariadb-server-0',
    'CREATE DATABASE test; CREATE TABLE test.written (number INT PRIMARY KEY, member VARCHAR(64))',
  )
})
afterAll(() => cloud.remove())

/** Small members, so that three of them and their copies fit onto a small machine. */
async function deploy(server: number): Promise<void> {
  const resources = {server: {requests: {cpu: '50m', memory: '128Mi'}}}
  const conf = {my_cnf: {mysqld: {max_connections: 100, innodb_buffer_pool_size: '64M'}}}
  await cloud.run('deploy', {mariadb: {pod: {replicas: {server}, resources}, conf, storage: {size: '1Gi'}}})
}

/** The numbers that a member has, with all that was confirmed elsewhere before it was asked. */
const written = async (pod: string) =>
  new Set(await query(namespace, pod, 'SET SESSION wsrep_sync_wait = 1; SELECT number FROM test.written'))

/** Waits until there are so many members and no more, all in step. */
async function settled(size: number): Promise<void> {
  const statement = "SHOW STATUS WHERE Variable_name IN ('wsrep_cluster_size', 'wsrep_local_state')"
  const expected = [`wsrep_cluster_size\t${size}`, 'wsrep_local_state\t4']
  const inStep = async (pod: string) =>
    (await query(namespace, pod, statement)).toSorted().join() === expected.join()
  await waitFor(
    async () => {
      const pods = Object.keys(await podIds(namespace, SERVERS))
      if (pods.length !== size) return false
      const found = await Promise.all(pods.map((pod) => inStep(pod).catch(() => false)))
      return found.every(Boolean)
    },
    {until: `${size} members are in step`, seconds: 300},
  )
}

/** The member that clients get to; fails if there is not one alone. */
async function primary(): Promise<string> {
  const labelled = Object.keys(await podIds(namespace, `${SERVERS},kk.openstack.org/primary`))
  expect(labelled).toHaveLength(1)
  return labelled[0]!
}

/** Waits until a client of its own name has written `more` numbers. */
async function progress(client: string, more: number): Promise<readonly string[]> {
  const before = (await linesOf(namespace, client)).length
  return waitFor(
    async () => {
      const lines = await linesOf(namespace, client)
      return lines.length >= before + more && lines
    },
    {until: `${client} writes ${more} more`, seconds: 240},
  )
}

async function lost(client: string, pod: string): Promise<readonly string[]> {
  const promised = await linesOf(namespace, client)
  const kept = await written(pod)
  return promised.filter((number) => !kept.has(number))
}

const write = (name: string) =>
  startClient({namespace, name, image: imageOf('mariadb-server'), script: WRITER, env: PASSWORD})

describe('mariadb: a database of three members', {timeout: 600_000}, () => {
  it('grows from one member, which keeps running and whose data all members have', async () => {
    await query(namespace, 'mariadb-server-0', 'INSERT INTO test.written (number) VALUES (0)')
    const before = await podIds(namespace, SERVERS)

    await deploy(3)

    expect(await podIds(namespace, SERVERS)).toMatchObject(before)
    await settled(3)
    for (const pod of PODS) expect(await written(pod)).toContain('0')
  })

  it('accepts writes while one member is away, which catches up when it returns', async () => {
    await write('one-away')
    await progress('one-away', 20)

    await killPods(namespace, 'mariadb-server-1')
    await progress('one-away', 20)
    await settled(3)

    expect(await lost('one-away', 'mariadb-server-1')).toEqual([])
    await kubectl(['delete', 'pod', '--namespace', namespace, 'one-away'])
  })

  it('gives a member that was away for 200 MB of writes these, and no copy of all data', async (test) => {
    test.onTestFinished(async () => {
      await deploy(3)
      await settled(3)
      await query(namespace, 'mariadb-server-0', 'DROP TABLE IF EXISTS test.large')
    })
    await deploy(2)
    await settled(2)
    await query(
      namespace,
      'mariadb-server-0',
      'CREATE TABLE test.large (id INT PRIMARY KEY AUTO_INCREMENT, data LONGBLOB)',
    )
    for (let count = 0; count < 10; count++)
      await query(
        namespace,
        'mariadb-server-0',
        "INSERT INTO test.large (data) SELECT REPEAT('x', 1048576) FROM test.seq_1_to_20",
      )

    await deploy(3)
    await settled(3)

    const log = await kubectl(['logs', '--namespace', namespace, 'mariadb-server-2', '--container', 'server'])
    expect(log).toContain('mariabackup IST completed on joiner')
    expect(log).not.toContain('mariabackup SST completed')
    expect(await query(namespace, 'mariadb-server-2', 'SELECT COUNT(*) FROM test.large')).toEqual(['200'])
  })

  it('accepts writes in one member, in another one after a kill, and there still when it returns', async () => {
    await query(namespace, 'mariadb-server-0', 'DELETE FROM test.written')
    const former = await primary()
    await write('one-writer')
    await progress('one-writer', 20)

    await killPods(namespace, former)
    await progress('one-writer', 20)
    await settled(3)
    await progress('one-writer', 20)

    const later = await primary()
    expect(later).not.toBe(former)
    expect(await lost('one-writer', former)).toEqual([])
    const writers = await query(namespace, later, 'SELECT member FROM test.written ORDER BY number')
    expect(writers.filter((member, index) => member !== writers[index - 1])).toEqual([former, later])
    await kubectl(['delete', 'pod', '--namespace', namespace, 'one-writer'])
  })

  it.each(['first', 'second'])(
    'recovers all committed data after all members were killed for the %s time',
    async (time) => {
      await query(namespace, 'mariadb-server-0', 'DELETE FROM test.written')
      await write(time)
      await progress(time, 50)

      await killPods(namespace, ...PODS)
      await progress(time, 20)
      await settled(3)

      expect(await lost(time, 'mariadb-server-2')).toEqual([])
      await kubectl(['delete', 'pod', '--namespace', namespace, time])
      const [first, ...others] = await Promise.all(PODS.map(written))
      for (const other of others) expect(other).toEqual(first)
    },
  )

  it('shrinks to one member, which keeps running, and grows again', async () => {
    const before = await podIds(namespace, SERVERS)
    const data = await written('mariadb-server-0')

    await deploy(1)
    await settled(1)
    expect(before).toMatchObject(await podIds(namespace, SERVERS))
    await query(namespace, 'mariadb-server-0', 'INSERT INTO test.written (number) VALUES (-1)')
    await killPods(namespace, 'mariadb-server-0')
    await settled(1)
    await deploy(3)

    await settled(3)
    for (const pod of PODS) expect(await written(pod)).toEqual(new Set([...data, '-1']))
  })
})
