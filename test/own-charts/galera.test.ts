import {execa} from 'execa'
import {describe, expect, it} from 'vitest'
import {useCharts} from './support/charts.ts'
import {useGalera} from './support/galera.ts'
import {find} from './support/objects.ts'

const charts = await useCharts()
const objects = await charts.render('mariadb', {values: {pod: {replicas: 3}}})
const makeCluster = useGalera(find(objects, 'ConfigMap', 'mariadb-bin').data!['mariadb-start.py']!)

const HISTORY = '8c0b4f4e-c6a5-11f0-9b2c-3f2b6a5d1e00'
const OTHER = '9d1c5f5e-c6a5-11f0-9b2c-3f2b6a5d1e00'
const NONE = '00000000-0000-0000-0000-000000000000'

describe('members of MariaDB that were all killed', () => {
  it('wait until the last reports its position, and the most advanced one bootstraps from there', async () => {
    const cluster = await makeCluster()
    const first = await cluster.start(0, {history: HISTORY, recovered: `${HISTORY}:41`})
    const second = await cluster.start(1, {history: HISTORY, recovered: `${HISTORY}:40`})
    await first.says(`waiting for ${cluster.address(2)}`)
    expect(await first.waits()).toBe(true)

    const third = await cluster.start(2, {history: HISTORY, recovered: `${HISTORY}:42`})

    expect(await third.started()).toContain(`--wsrep-start-position=${HISTORY}:42 --wsrep-new-cluster`)
    expect(await third.read('grastate.dat')).toContain('safe_to_bootstrap: 1')
    await first.says('which may have newer data')
    expect([await first.waits(), await second.waits()]).toEqual([true, true])
  })

  it('join the member that bootstrapped', async () => {
    const cluster = await makeCluster()
    const first = await cluster.start(0, {history: HISTORY, seqno: 7})
    await cluster.start(1, {history: HISTORY, seqno: 7})
    const third = await cluster.start(2, {history: HISTORY, seqno: 9})
    await third.started()

    await cluster.runs(2)

    expect(await first.started()).toMatch(
      new RegExp(
        `--wsrep-start-position=${HISTORY}:7 --wsrep-cluster-address=gcomm://.*${cluster.address(2)}`,
      ),
    )
  })

  it('are bootstrapped by the first of several with the same position', async () => {
    const cluster = await makeCluster()
    const [first, second] = [
      await cluster.start(0, {history: HISTORY, seqno: 7}),
      await cluster.start(1, {history: HISTORY, seqno: 7}),
    ]
    await cluster.start(2, {history: HISTORY, seqno: 6})

    expect(await first.started()).toContain('--wsrep-new-cluster')
    expect(await second.waits()).toBe(true)
  })

  it.each([
    ['lost its data', {data: false}],
    ['had not copied all data', {history: NONE}],
    ['was initialized again', {}],
  ])('ignore a member that %s', async (_, state) => {
    const cluster = await makeCluster()
    const first = await cluster.start(0, state)
    const second = await cluster.start(1, {history: HISTORY, seqno: 3})
    await cluster.start(2, {history: HISTORY, seqno: 2})

    expect(await second.started()).toContain(`--wsrep-start-position=${HISTORY}:3`)
    expect(await first.waits()).toBe(true)
  })

  it('with different histories wait for a manual decision', async () => {
    const cluster = await makeCluster()
    const first = await cluster.start(0, {history: HISTORY, seqno: 100})
    const second = await cluster.start(1, {history: OTHER, seqno: 3})
    await cluster.start(2, {history: OTHER, seqno: 3})
    await first.says('different histories')
    expect(await first.waits()).toBe(true)

    await second.touch('begin-without-others')

    expect(await second.started()).not.toContain('--wsrep-start-position')
    expect(await second.read('grastate.dat')).toBeUndefined()
    expect(await second.read('begin-without-others')).toBeUndefined()
  })

  it('bootstrap a new history by a manual decision despite a silent member, whose data is not merged later', async () => {
    const cluster = await makeCluster()
    const first = await cluster.start(0, {history: HISTORY, seqno: 5})
    await first.says(`waiting for ${cluster.address(1)}, ${cluster.address(2)}`)

    await first.touch('begin-without-others')

    const started = await first.started()
    expect(started).toContain('--wsrep-new-cluster')
    expect(started).not.toContain(HISTORY)
  })
})

describe('a member of MariaDB', () => {
  it('of a new cluster bootstraps as the first, with its initial data', async () => {
    const cluster = await makeCluster()
    const [first, second] = [await cluster.start(0), await cluster.start(1, {data: false})]
    await cluster.start(2, {data: false})

    expect(await first.started()).toContain('--wsrep-new-cluster')
    expect(await second.waits()).toBe(true)
  })

  it('without peers bootstraps immediately, with its stored history', async () => {
    const cluster = await makeCluster(0)

    const member = await cluster.start(0, {history: HISTORY, recovered: `${HISTORY}:12`, safe: 1})

    expect(await member.started()).toContain(`--wsrep-start-position=${HISTORY}:12 --wsrep-new-cluster`)
  })

  it('without peers that was not the last starts a new history, because the last may be more advanced', async () => {
    const cluster = await makeCluster(0)

    const member = await cluster.start(0, {history: HISTORY, recovered: `${HISTORY}:12`})

    expect(await member.started()).not.toContain('--wsrep-start-position')
  })

  it('that is not in the list of members is found through the Service', async () => {
    const cluster = await makeCluster(0)
    await cluster.runs(0)

    const member = await cluster.start(1, {history: HISTORY, seqno: 1, safe: 1})

    expect(await member.started()).toContain(`gcomm://${cluster.address(0)}`)
  })

  it('exits with the output of the server if its data cannot be read', async () => {
    const cluster = await makeCluster()
    const member = await cluster.start(0, {history: HISTORY})

    const {exitCode, all} = await member.ended

    expect(exitCode).toBe(1)
    expect(all).toContain('mariadbd reported no position')
  })
})

describe('the probe of a member of MariaDB', () => {
  const script = find(objects, 'ConfigMap', 'mariadb-bin').data!['mariadb-probe.sh']!
  /** Runs it on a server with this status; `kill` prints what it would end. */
  async function probe(of: 'ready' | 'alive', status: Readonly<Record<string, string>>) {
    const cases = Object.entries(status).map(([name, value]) => `*"'${name}'"*) echo "${name}	${value}" ;;`)
    const programs = `
      mariadb() { case "$*" in ${cases.join(' ')} esac; }
      kill() { echo "kill $1"; }
      cat() { echo 6; }
      sleep() { :; }`
    const {exitCode, stdout} = await execa('bash', ['-c', `${programs}\n${script}`, 'probe', of], {
      reject: false,
    })
    return [exitCode, stdout]
  }

  it.each([
    ['synced', {wsrep_connected: 'ON', wsrep_local_state: '4'}, [0, '']],
    ['a donor', {wsrep_connected: 'ON', wsrep_local_state: '2'}, [0, '']],
    ['joining', {wsrep_connected: 'ON', wsrep_local_state: '1'}, [1, '']],
    [
      'disconnected from Galera, which only a new start changes',
      {wsrep_connected: 'OFF', wsrep_local_state: '0'},
      [1, 'Galera has disconnected this member: it starts again\nkill 6'],
    ],
    ['not yet running', {}, [1, '']],
  ])('is ready as expected if it is %s', async (_, status, result) => {
    expect(await probe('ready', status)).toEqual(result)
  })
})
