import {mkdir, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {beforeAll, describe, expect, inject, it} from 'vitest'
import {workloads} from './support/environment.ts'
import {type OwnCluster, startOwnCluster} from './support/guarded.ts'
import {deployOn} from './support/removal.ts'
import {openTerminal} from './support/terminal.ts'

let cluster: OwnCluster
beforeAll(async () => {
  cluster = await startOwnCluster()
})

const chain = workloads({db: {}, api: {requires: ['db']}, web: {requires: ['api']}})
/** `db` is protected, and has a StatefulSet with a claim. */
const stores = {kk: {releases: {db: {chart: 'store'}}}, db: {}}

const names = async (...words: readonly string[]) =>
  (await cluster.kubectl('get', ...words, '--output', 'name')).stdout.split('\n').filter(Boolean)

describe.each(['helm3', 'helm4'] as const)('kk remove with %s', (helm) => {
  it('uninstalls a release that nothing requires, and nothing else', async () => {
    const environment = await deployOn(cluster, chain, {helm})
    const before = await cluster.snapshot(environment.name)

    const {exitCode, stderr} = await environment.on('remove', 'web', '--yes')

    expect(exitCode, stderr).toBe(0)
    expect(await environment.releases()).toEqual(['api', 'db'])
    expect(await environment.uninstalls()).toEqual([
      expect.stringMatching(
        /^uninstall --cascade background --timeout \d+s --kubeconfig \S+ --kube-context \S+ --namespace \S+ -- web$/,
      ),
    ])
    const kept = before.split('\n').filter((line) => !/web/.test(line))
    expect((await cluster.snapshot(environment.name)).split('\n')).toEqual(kept)
  })

  it('takes dependents along when it is told to, in reverse order', async () => {
    const environment = await deployOn(cluster, chain, {helm})

    const {exitCode, stderr} = await environment.on('remove', 'db', '--with-dependents', '--yes')

    expect(exitCode, stderr).toBe(0)
    expect(await environment.releases()).toEqual([])
    const order = (await environment.uninstalls()).map((call) => call.split(' ').at(-1))
    expect(order).toEqual(['web', 'api', 'db'])
  })
})

it('kk remove takes away the history that helm uninstall --keep-history left', async () => {
  const environment = await deployOn(cluster, workloads({db: {}}))
  const at = ['--namespace', environment.name]
  await cluster.helm('helm4', 'uninstall', 'db', '--keep-history', ...at)

  const {exitCode, stderr} = await environment.on('remove', 'db', '--yes')

  expect(exitCode, stderr).toBe(0)
  expect(stderr).toMatch(/only its history is left\n/)
  expect(stderr).toMatch(/db {2}no objects/)
  expect(await environment.releases()).toEqual([])
})

describe('kk remove refuses', () => {
  it('what dependents of any environment require, and names them', async () => {
    const ours = await deployOn(cluster, workloads({db: {}, api: {requires: ['db']}}))
    const theirs = await deployOn(cluster, workloads({wiki: {requires: [`${ours.name}/api`]}}))
    const before = await cluster.snapshot(ours.name)

    const refused = await ours.on('remove', 'db', '--yes')
    const stillRefused = await ours.on('remove', 'db', '--with-dependents', '--yes', '--output', 'json')

    expect(refused.exitCode).toBe(3)
    expect(refused.stderr).toContain(`KK_HAS_DEPENDENTS: ${ours.name}/db is in use by:`)
    expect(refused.stderr).toContain(`${ours.name}/api (environment "${ours.name}") requires db`)
    expect(refused.stderr).toContain(`${theirs.name}/wiki (environment "${theirs.name}") requires api`)
    expect(stillRefused.exitCode).toBe(3)
    expect(JSON.parse(stillRefused.stdout)).toMatchObject({
      error: {code: 'KK_HAS_DEPENDENTS', message: expect.not.stringContaining('/api (')},
    })
    expect(await cluster.snapshot(ours.name)).toBe(before)
    expect(await ours.uninstalls()).toEqual([])
  })

  it('what a release that plain helm installed requires, as its chart says', async () => {
    const environment = await deployOn(cluster, workloads({db: {}}))
    const chart = join(environment.directory, 'wiki')
    await mkdir(chart)
    const annotations = {'kk.openstack.org/requires': 'db'}
    await writeFile(
      join(chart, 'Chart.yaml'),
      JSON.stringify({apiVersion: 'v2', name: 'wiki', version: '1.0.0', annotations}),
    )
    await cluster.helm('helm4', 'install', 'wiki', chart, '--namespace', environment.name)

    const {exitCode, stderr} = await environment.on('remove', 'db', '--with-dependents', '--yes')

    expect(exitCode).toBe(3)
    expect(stderr).toContain(`${environment.name}/wiki (not installed by kk) requires db`)
    expect(await environment.releases()).toEqual(['db', 'wiki'])
  })

  it('releases of other environments, and those that kk did not install', async () => {
    const ours = await deployOn(cluster, workloads({db: {}}))
    const theirs = await deployOn(cluster, workloads({cache: {}}))
    const chart = join(import.meta.dirname, '../fixtures/charts/workload')
    await cluster.helm('helm4', 'install', 'plain', chart, '--namespace', ours.name)

    const owned = await ours.on('remove', `${theirs.name}/cache`, '--yes')
    const foreign = await ours.on('remove', 'plain', '--yes')

    expect(owned.exitCode).toBe(3)
    expect(owned.stderr).toMatch(/KK_OWNER.*belongs to the environment/)
    expect(foreign.exitCode).toBe(3)
    expect(foreign.stderr).toContain('KK_FOREIGN')
    expect(await ours.releases()).toEqual(['db', 'plain'])
    expect(await theirs.releases()).toEqual(['cache'])
  })

  it('to go on without a terminal unless it is told to; a dry run shows both lists', async () => {
    const environment = await deployOn(cluster, workloads({db: {}}))

    const unconfirmed = await environment.on('remove', 'db')
    const dry = await environment.on('remove', 'db', '--dry-run')

    expect(unconfirmed.exitCode).toBe(3)
    expect(unconfirmed.stderr).toContain('KK_UNCONFIRMED')
    expect(dry.exitCode, dry.stderr).toBe(0)
    expect(dry.stdout).toMatch(/goes\n\s+db\s+Deployment\s+db/)
    expect(dry.stdout).toContain(`Namespace/${environment.name}`)
    expect(await environment.releases()).toEqual(['db'])
  })

  it('a name that nothing bears; what only the file knows is told as absent', async () => {
    const environment = await deployOn(cluster, workloads({database: {}}))
    await environment.write(workloads({database: {}, api: {}}))

    const misspelt = await environment.on('remove', 'databse', '--yes')
    const absent = await environment.on('remove', 'api', '--yes')

    expect(misspelt.exitCode).toBe(2)
    expect(misspelt.stderr).toContain('did you mean database?')
    expect(absent.exitCode).toBe(0)
    expect(absent.stderr).toContain('api is not installed: nothing to remove')
  })
})

describe('a protected release', () => {
  it('goes only when it is confirmed by name, and leaves its claims', async () => {
    const environment = await deployOn(cluster, stores)

    const refused = await environment.on('remove', 'db', '--yes')
    const {exitCode, stderr} = await environment.on('remove', 'db', '--yes', '--confirm', 'db')

    expect(refused.exitCode).toBe(3)
    expect(refused.stderr).toMatch(/KK_UNCONFIRMED: \S+\/db is protected and not confirmed/)
    expect(refused.stderr).toContain('--confirm db')
    expect(exitCode, stderr).toBe(0)
    expect(stderr).toMatch(/PersistentVolumeClaim\s+db-backup\s+with its data/)
    expect(stderr).toMatch(/PersistentVolumeClaim\/data-db-0\s+claim of its StatefulSet/)
    expect(await names('pvc', '--namespace', environment.name)).toEqual(['persistentvolumeclaim/data-db-0'])
  })

  it('gives up data only claim by claim', async () => {
    const environment = await deployOn(cluster, stores)
    const remove = (...args: readonly string[]) =>
      environment.on('remove', 'db', '--yes', '--confirm', 'db', '--delete-data', ...args)

    const unnamed = await remove()
    const misspelt = await remove('--confirm-data', 'data-db-9')
    expect(await environment.releases()).toEqual(['db'])
    const {exitCode, stderr} = await remove('--confirm-data', 'data-db-0')

    expect(unnamed.exitCode).toBe(3)
    expect(unnamed.stderr).toContain('--confirm-data data-db-0')
    expect(misspelt.exitCode).toBe(2)
    expect(misspelt.stderr).toContain('there are: data-db-0')
    expect(exitCode, stderr).toBe(0)
    expect(await names('pvc', '--namespace', environment.name)).toEqual([])
  })

  it('is confirmed by its name on a terminal, and a y is not enough', async () => {
    const environment = await deployOn(cluster, stores)
    const line = [environment.file, '--sandbox-name', cluster.sandbox].join(' ')
    const open = () =>
      openTerminal(`${inject('run').kk} remove db ${line}`, {
        columns: 160,
        rows: 40,
        env: {KK_HELM: environment.helm},
      })

    const first = open()
    await first.shows(/type "db"/)
    first.type('y\n')
    expect((await first.end()).exitCode).toBe(3)
    expect(await environment.releases()).toEqual(['db'])

    const second = open()
    await second.shows(/type "db"/)
    second.type('db\n')
    await second.shows(/\[y\/N\]/)
    second.type('y\n')
    const {exitCode, everything} = await second.end()
    expect(exitCode, everything).toBe(0)
    expect(await environment.releases()).toEqual([])
  })
})

describe('kk destroy', () => {
  it('takes away what nobody else uses, dependents first, and says what stays and why', async () => {
    const content = workloads({db: {}, cache: {}, api: {requires: ['db', 'cache']}, web: {requires: ['api']}})
    const environment = await deployOn(cluster, content)
    const theirs = await deployOn(cluster, workloads({wiki: {requires: [`${environment.name}/cache`]}}))

    const unconfirmed = await environment.on('destroy', '--yes')
    const {exitCode, stderr} = await environment.on('destroy', '--confirm', environment.name)

    expect(unconfirmed.exitCode).toBe(3)
    expect(unconfirmed.stderr).toContain(`--confirm ${environment.name}`)
    expect(exitCode, stderr).toBe(0)
    expect(stderr).toMatch(
      new RegExp(`= stays +cache +used by ${theirs.name}/wiki \\(environment "${theirs.name}"\\)`),
    )
    expect(await environment.releases()).toEqual(['cache'])
    const order = (await environment.uninstalls()).map((call) => call.split(' ').at(-1))
    expect(order).toEqual(['web', 'api', 'db'])
  })

  it('leaves protected releases unless each is confirmed by name', async () => {
    const environment = await deployOn(cluster, stores)

    const first = await environment.on('destroy', '--confirm', environment.name)
    const second = await environment.on('destroy', '--confirm', environment.name, '--confirm', 'db')

    expect(first.exitCode).toBe(0)
    expect(first.stderr).toContain('protected: it goes only with --confirm db')
    expect(second.exitCode, second.stderr).toBe(0)
    expect(await environment.releases()).toEqual([])
  })
})

describe('kk orphans', () => {
  it('lists what was only required, when nothing requires it any more; it goes by name', async () => {
    const {kk: settings} = workloads({db: {}, api: {requires: ['db']}})
    const deployed = await deployOn(cluster, {kk: settings!, api: {}})
    const orphans = async () => {
      const {stdout} = await deployed.on('orphans', '--output', 'json')
      const found = (JSON.parse(stdout) as {orphans: readonly {release: string; owner: string}[]}).orphans
      return found.filter(({owner}) => owner === deployed.name).map(({release}) => release)
    }

    const before = await orphans()
    await deployed.on('remove', 'api', '--yes')
    const after = await orphans()
    const {exitCode, stderr} = await deployed.on('remove', 'db', '--yes')

    expect(before).toEqual([])
    expect(after).toEqual([`${deployed.name}/db`])
    expect(exitCode, stderr).toBe(0)
    expect(await deployed.releases()).toEqual([])
  })
})

it('under a guard, a protected release goes when it was approved; before that nothing of it does', async () => {
  const environment = await deployOn(cluster, stores)
  await cluster.guard('install', '--yes')
  const before = await cluster.snapshot(environment.name)
  const remove = () => environment.on('remove', 'db', '--yes', '--confirm', 'db')

  const refused = await remove()
  const untouched = await cluster.snapshot(environment.name)
  await cluster.guard('approve', `${environment.name}/db`, '--for', '10m')
  const {exitCode, stderr} = await remove()

  expect(refused.exitCode).toBe(3)
  expect(refused.stderr).toContain(`kk guard approve ${environment.name}/db`)
  expect(untouched).toBe(before)
  expect(exitCode, stderr).toBe(0)
  expect(await environment.releases()).toEqual([])
})
