import {mkdir, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {afterEach, beforeAll, describe, expect, inject, it} from 'vitest'
import {HELMS} from '../support/helms.ts'
import {atNight} from '../support/night.ts'
import {workloads} from './support/environment.ts'
import {clusterOfRun, done} from './support/guarded.ts'
import {deployOn, type Removable} from './support/removal.ts'
import {openTerminal} from './support/terminal.ts'

const cluster = clusterOfRun()

/** `db` is protected, and has a StatefulSet with a claim. */
const stores = {kk: {releases: {db: {chart: 'store'}}}, db: {}}

const names = async (...words: readonly string[]) =>
  (await cluster.kubectl('get', ...words, '--output', 'name')).stdout.split('\n').filter(Boolean)

/** Of its StatefulSet: those of the chart go with the release. */
const claims = async (environment: Removable, release: string) =>
  (await names('pvc', '--namespace', environment.name)).filter((claim) => claim.includes(release))

it.each(HELMS)(
  'kk remove uninstalls unused releases with %s, and dependents only with --with-dependents, in reverse order',
  async (helm) => {
    const content = workloads({db: {}, api: {requires: ['db']}, web: {requires: ['api']}, extra: {}})
    const environment = await deployOn(cluster, content, {helm})
    const before = await cluster.snapshot(environment.name)

    const alone = await environment.on('remove', 'extra', '--yes')
    const between = await cluster.snapshot(environment.name)
    const calls = await environment.uninstalls()
    const all = await environment.on('remove', 'db', '--with-dependents', '--yes')

    expect(alone.exitCode, alone.stderr).toBe(0)
    expect(calls).toEqual([
      expect.stringMatching(
        /^uninstall --cascade background --timeout \d+s --kubeconfig \S+ --kube-context \S+ --namespace \S+ -- extra$/,
      ),
    ])
    expect(between.split('\n')).toEqual(before.split('\n').filter((line) => !/extra/.test(line)))
    expect(all.exitCode, all.stderr).toBe(0)
    expect(await environment.releases()).toEqual([])
    const order = (await environment.uninstalls()).map((call) => call.split(' ').at(-1))
    expect(order).toEqual(['extra', 'web', 'api', 'db'])
  },
)

atNight(() => {
  it('kk remove deletes the history that helm uninstall --keep-history left', async () => {
    const environment = await deployOn(cluster, workloads({db: {}}))
    const at = ['--namespace', environment.name]
    await cluster.helm('helm4', 'uninstall', 'db', '--keep-history', ...at)

    const {exitCode, stderr} = await environment.on('remove', 'db', '--yes')

    expect(exitCode, stderr).toBe(0)
    expect(stderr).toMatch(/only its history is left\n/)
    expect(stderr).toMatch(/db {2}no objects/)
    expect(await environment.releases()).toEqual([])
  })

  it('a release stays while another release without a deployed revision uses it', async () => {
    const {kk: settings, ...sections} = workloads({db: {}, api: {requires: ['db']}})
    const environment = await deployOn(cluster, {kk: settings, ...sections})
    const at = ['--namespace', environment.name]
    await environment.write({kk: settings, ...sections, api: {replicas: 2}})
    await done(environment.on('deploy'))
    await done(cluster.kubectl('delete', 'secret', 'sh.helm.release.v1.api.v2', ...at))
    const record = ['secret', 'sh.helm.release.v1.api.v1', ...at]

    for (const status of ['superseded', 'failed', 'pending-install', 'uninstalling']) {
      await done(cluster.kubectl('label', ...record, '--overwrite', `status=${status}`))
      const {exitCode, stderr} = await environment.on('remove', 'db', '--yes')

      expect(exitCode, `${status}: ${stderr}`).toBe(3)
      expect(stderr).toContain('KK_HAS_DEPENDENTS')
      expect(stderr).toContain(`${environment.name}/api (environment "${environment.name}") requires db`)
    }
    const {stdout} = await environment.on('status', 'db', '--output', 'json')
    expect(JSON.parse(stdout).releases).toMatchObject([{dependents: [{release: `${environment.name}/api`}]}])
    expect(await environment.uninstalls()).toEqual([])
  })

  it('repeated kk remove keeps a release of the same name that an earlier file deployed to another namespace', async () => {
    const {kk: settings, ...sections} = workloads({db: {}})
    const environment = await deployOn(cluster, {kk: settings, ...sections})
    await environment.write({kk: {...settings, namespace: `${environment.name}-2`}, ...sections})
    const moved = await environment.on('deploy', '--yes')
    expect(moved.exitCode, moved.stderr).toBe(0)

    const first = await environment.on('remove', 'db', '--yes')
    const second = await environment.on('remove', 'db', '--yes')

    expect([first.exitCode, second.exitCode]).toEqual([0, 0])
    expect(second.stderr).toContain('db is not installed: nothing to remove')
    expect(await environment.releases()).toEqual(['db'])
  })

  it('kk remove lists claims that only superseded revisions had, and deletes them after confirmation by name', async () => {
    const withClaim = (claim: string | null) => workloads({web: {values: {claim}}})
    const environment = await deployOn(cluster, withClaim('general'))
    await environment.write(withClaim(null))
    const upgraded = await environment.on('deploy', '--yes')
    expect(upgraded.exitCode, upgraded.stderr).toBe(0)

    const dry = await environment.on('remove', 'web', '--dry-run')
    const removed = await environment.on('remove', 'web', '--yes', '--delete-data', '--confirm-data', 'web')

    expect(dry.stdout).toMatch(/web +PersistentVolumeClaim\/web +of an earlier revision/)
    expect(removed.exitCode, removed.stderr).toBe(0)
    expect(await names('pvc', '--namespace', environment.name)).toEqual([])
  })

  it('kk remove lists beforehand the objects that hooks of the removal create and leave', async () => {
    const job = {hook: 'post-delete', pod: {'complete-after': '1s'}}
    const environment = await deployOn(cluster, workloads({web: {values: {job}}}))

    const dry = await environment.on('remove', 'web', '--dry-run')
    const removed = await environment.on('remove', 'web', '--yes')

    const line = /web +Job\/web-job +made by a hook of the removal/
    expect(dry.stdout).toMatch(line)
    expect(removed.exitCode, removed.stderr).toBe(0)
    expect(removed.stderr.slice(removed.stderr.indexOf('left on the cluster'))).toMatch(line)
    expect(await names('jobs', '--namespace', environment.name)).toEqual(['job.batch/web-job'])
  })
})

describe('a release that others use', () => {
  const releases = {db: {}, cache: {}, api: {requires: ['db', 'cache']}, web: {requires: ['api']}}
  let ours: Removable
  let theirs: Removable
  let before: string
  beforeAll(async () => {
    ours = await deployOn(cluster, workloads(releases))
    theirs = await deployOn(cluster, workloads({wiki: {requires: [`${ours.name}/cache`]}}))
    await installByHelm('pages', {'kk.openstack.org/requires': 'cache'})
    await ours.write(workloads({...releases, later: {}}))
    before = await cluster.snapshot(ours.name)
  })

  /** A release without objects, by plain helm. */
  async function installByHelm(name: string, annotations: Readonly<Record<string, string>>): Promise<void> {
    const chart = join(ours.directory, name)
    await mkdir(chart)
    const content = {apiVersion: 'v2', name, version: '1.0.0', annotations}
    await writeFile(join(chart, 'Chart.yaml'), JSON.stringify(content))
    await done(cluster.helm('helm4', 'install', name, chart, '--namespace', ours.name))
  }

  describe('is not removed:', () => {
    afterEach(async () => {
      expect(await cluster.snapshot(ours.name)).toBe(before)
      expect(await ours.uninstalls()).toEqual([])
      expect(await theirs.releases()).toEqual(['wiki'])
    })

    it('kk remove refuses and names its dependents in any environment', async () => {
      const refused = await ours.on('remove', 'cache', '--yes')
      const stillRefused = await ours.on('remove', 'cache', '--with-dependents', '--yes', '--output', 'json')

      expect(refused.exitCode).toBe(3)
      expect(refused.stderr).toContain(`KK_HAS_DEPENDENTS: ${ours.name}/cache is in use by:`)
      expect(refused.stderr).toContain(`${ours.name}/api (environment "${ours.name}") requires cache`)
      expect(refused.stderr).toContain(`${theirs.name}/wiki (environment "${theirs.name}") requires cache`)
      expect(stillRefused.exitCode).toBe(3)
      expect(JSON.parse(stillRefused.stdout)).toMatchObject({
        error: {code: 'KK_HAS_DEPENDENTS', message: expect.not.stringContaining('/api (')},
      })
    })

    it('kk remove refuses because of the chart of a dependent that plain helm installed', async () => {
      const {exitCode, stderr} = await ours.on('remove', 'cache', '--with-dependents', '--yes')

      expect(exitCode).toBe(3)
      expect(stderr).toContain(`${ours.name}/pages (not installed by kk) requires cache`)
    })

    it('kk remove also refuses releases of other environments, and those that kk did not install', async () => {
      const owned = await ours.on('remove', `${theirs.name}/wiki`, '--yes')
      const foreign = await ours.on('remove', 'pages', '--yes')

      expect(owned.exitCode).toBe(3)
      expect(owned.stderr).toMatch(/KK_OWNER.*belongs to the environment/)
      expect(foreign.exitCode).toBe(3)
      expect(foreign.stderr).toContain('KK_FOREIGN')
    })

    it('kk remove refuses without a terminal and without --yes; a dry run shows both lists', async () => {
      const unconfirmed = await ours.on('remove', 'web')
      const dry = await ours.on('remove', 'web', '--dry-run')

      expect(unconfirmed.exitCode).toBe(3)
      expect(unconfirmed.stderr).toContain('KK_UNCONFIRMED')
      expect(dry.exitCode, dry.stderr).toBe(0)
      expect(dry.stdout).toMatch(/to be deleted\n\s+web\s+Deployment\s+web/)
      expect(dry.stdout).toContain(`Namespace/${ours.name}`)
    })

    it('kk remove refuses an unknown name, and reports a release that only the file contains as not installed', async () => {
      const misspelt = await ours.on('remove', 'cahce', '--yes')
      const absent = await ours.on('remove', 'later', '--yes')

      expect(misspelt.exitCode).toBe(2)
      expect(misspelt.stderr).toContain('did you mean cache?')
      expect(absent.exitCode).toBe(0)
      expect(absent.stderr).toContain('later is not installed: nothing to remove')
    })
  })

  it('stays when kk destroy removes all other releases, dependents first, with the reason', async () => {
    await ours.write(workloads(releases))
    await done(cluster.helm('helm4', 'uninstall', 'pages', '--namespace', ours.name))

    const unconfirmed = await ours.on('destroy', '--yes')
    const dry = await ours.on('destroy', '--dry-run', '--output', 'json')
    const {exitCode, stderr} = await ours.on('destroy', '--confirm', ours.name)

    expect(unconfirmed.exitCode).toBe(3)
    expect(unconfirmed.stderr).toContain(`--confirm ${ours.name}`)
    expect(dry.exitCode).toBe(3)
    expect(JSON.parse(dry.stdout)).toMatchObject({
      unconfirmed: [{code: 'KK_UNCONFIRMED', hint: expect.stringContaining(`--confirm ${ours.name}`)}],
    })
    expect(exitCode, stderr).toBe(0)
    expect(stderr).toMatch(
      new RegExp(`= stays +cache +used by ${theirs.name}/wiki \\(environment "${theirs.name}"\\)`),
    )
    expect(await ours.releases()).toEqual(['cache'])
    const order = (await ours.uninstalls()).map((call) => call.split(' ').at(-1))
    expect(order).toEqual(['web', 'api', 'db'])
  })
})

it('a protected release is removed only after confirmation by name, and its claims stay', async () => {
  const environment = await deployOn(cluster, stores)

  const refused = await environment.on('remove', 'db', '--yes')
  const held = await environment.on('remove', 'db', '--yes', '--confirm', 'db')
  const dry = await environment.on('remove', 'db', '--dry-run')
  expect(await environment.uninstalls()).toEqual([])
  const given = ['--delete-data', '--confirm-data', 'db-backup']
  const confirmed = await environment.on('remove', 'db', '--dry-run', '--confirm', 'db', ...given)
  const {exitCode, stderr} = await environment.on('remove', 'db', '--yes', '--confirm', 'db', ...given)
  const again = await environment.on('remove', 'db', '--yes', '--confirm', 'db', ...given)

  expect(dry.exitCode).toBe(3)
  expect(dry.stdout).toMatch(/^to be deleted\n/m)
  expect(dry.stderr).toContain('is protected and not confirmed')
  expect(dry.stderr).toContain('--delete-data --confirm-data db-backup')
  expect(confirmed.exitCode, confirmed.stderr).toBe(0)
  expect(held.exitCode).toBe(3)
  expect(held.stderr).toContain(`helm would delete ${environment.name}/db-backup with its data`)
  expect(held.stderr).toContain('--delete-data --confirm-data db-backup; to keep it')
  expect(again.exitCode, again.stderr).toBe(0)
  expect(refused.exitCode).toBe(3)
  expect(refused.stderr).toMatch(/KK_UNCONFIRMED: \S+\/db is protected and not confirmed/)
  expect(refused.stderr).toContain('--confirm db')
  expect(exitCode, stderr).toBe(0)
  expect(stderr).toMatch(/PersistentVolumeClaim\s+db-backup\s+with its data/)
  expect(stderr).toMatch(/PersistentVolumeClaim\/data-db-0\s+claim of its StatefulSet/)
  expect(await claims(environment, 'db')).toEqual(['persistentvolumeclaim/data-db-0'])
})

atNight(() => {
  describe('a protected release', () => {
    let environment: Removable
    beforeAll(async () => {
      const more = {files: {chart: 'store'}, images: {chart: 'store'}}
      environment = await deployOn(cluster, {kk: {releases: more}, files: {}, images: {}})
    })

    it('loses data only by confirmation of each claim', async () => {
      const own = ['--delete-data', '--confirm-data', 'files-backup']
      const remove = (...args: readonly string[]) =>
        environment.on('remove', 'files', '--yes', '--confirm', 'files', ...args)

      const unnamed = await remove('--delete-data')
      const misspelt = await remove(...own, '--confirm-data', 'data-files-9')
      expect(await environment.releases()).toContain('files')
      const {exitCode, stderr} = await remove(...own, '--confirm-data', 'data-files-0')

      expect(unnamed.exitCode).toBe(3)
      expect(unnamed.stderr).toContain('--confirm-data files-backup')
      expect(misspelt.exitCode).toBe(2)
      expect(misspelt.stderr).toContain('they have: files-backup, data-files-0')
      expect(exitCode, stderr).toBe(0)
      expect(await claims(environment, 'files')).toEqual([])
    })

    it('is confirmed by its name on a terminal, not by y', async () => {
      const line = [environment.file, '--sandbox-name', cluster.sandbox].join(' ')
      const open = () =>
        openTerminal(`${inject('run').kk} remove images ${line}`, {
          columns: 160,
          rows: 40,
          env: {KK_HELM: environment.helm},
        })

      const first = open()
      await first.shows(/type "images"/)
      first.type('y\n')
      expect((await first.end()).exitCode).toBe(3)
      expect(await environment.releases()).toContain('images')

      const second = open()
      await second.shows(/type "images"/)
      second.type('images\n')
      await second.shows(/to delete the data of \S+: type "images-backup"/)
      second.type('images-backup\n')
      await second.shows(/\[y\/N\]/)
      second.type('y\n')
      const {exitCode, everything} = await second.end()
      expect(exitCode, everything).toBe(0)
      expect(await environment.releases()).not.toContain('images')
    })
  })
})

atNight(() => {
  it('kk destroy keeps protected releases unless each is confirmed by name', async () => {
    const environment = await deployOn(cluster, stores)

    const first = await environment.on('destroy', '--confirm', environment.name)
    const words = [
      '--confirm',
      environment.name,
      '--confirm',
      'db',
      '--delete-data',
      '--confirm-data',
      'db-backup',
    ]
    const second = await environment.on('destroy', ...words)
    const again = await environment.on('destroy', ...words)

    expect([again.exitCode, again.stderr]).toEqual([0, expect.stringContaining('plan: no releases')])
    expect(first.exitCode).toBe(0)
    expect(first.stderr).toContain('protected: it is removed only with --confirm db')
    expect(second.exitCode, second.stderr).toBe(0)
    expect(await environment.releases()).toEqual([])
  })
})

atNight(() => {
  describe('kk orphans', () => {
    it('lists releases that were only required and have no dependent now; they are removed by name', async () => {
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
})
