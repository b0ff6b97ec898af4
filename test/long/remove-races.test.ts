import {readFile, rm, stat, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {beforeAll, expect, inject, it} from 'vitest'
import {leaseName} from '../../src/kubernetes/lease/lease.ts'
import {releaseId} from '../../src/release.ts'
import {waitFor} from '../e2e/support/cluster.ts'
import {workloads} from '../e2e/support/environment.ts'
import {type OwnCluster, startOwnCluster} from '../e2e/support/guarded.ts'
import {kkEnvironment} from '../e2e/support/kk.ts'
import {leaseOf} from '../e2e/support/leases.ts'
import {deployOn, type Removable} from '../e2e/support/removal.ts'

let cluster: OwnCluster
beforeAll(async () => {
  cluster = await startOwnCluster()
  return cluster.end
})

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  )

interface Held {
  /** Resolves when helm was called, and is held. */
  called(): Promise<void>
  /** Lets helm go. */
  go(): Promise<void>
}

/** From now on, helm waits when it is called for this verb on this release. */
async function hold({directory, helm}: Removable, verb: string, release: string): Promise<Held> {
  const real = await readFile(helm, 'utf8')
  const [called, go] = [join(directory, 'called'), join(directory, 'go')]
  await rm(go, {force: true})
  const wait = `touch '${called}'; until [ -e '${go}' ]; do sleep 0.05; done`
  const held = `case "$1 $*" in "${verb} "*"-- ${release}"*) ${wait};; esac`
  await writeFile(helm, real.replace('\nexec ', `\n${held}\nexec `))
  return {
    called: async () => void (await waitFor(() => exists(called), {until: `helm ${verb} is called`})),
    go: () => writeFile(go, ''),
  }
}

/** The same as `on`, in the background. */
function start({directory, file, helm}: Removable, verb: string, ...args: readonly string[]) {
  const words = [verb, file, ...args, '--sandbox-name', cluster.sandbox]
  return execa(inject('run').kk, words, {
    cwd: directory,
    env: {...kkEnvironment(), KK_HELM: helm},
    extendEnv: false,
    reject: false,
  })
}

const reservations = async () =>
  (
    await cluster.kubectl(
      ...['get', 'configmaps', '--namespace', 'kk-system', '--selector', 'kk.openstack.org/intent-on'],
      ...['--output', 'name'],
    )
  ).stdout

/** An environment that has `db`, and another that is about to require it. */
async function twoEnvironments(): Promise<{readonly ours: Removable; readonly theirs: Removable}> {
  const ours = await deployOn(cluster, workloads({db: {}}))
  const theirs = await deployOn(cluster, workloads({other: {}}))
  await theirs.write(workloads({other: {}, wiki: {requires: [`${ours.name}/db`]}}))
  return {ours, theirs}
}

it('removal is refused while a dependent is being installed, before helm has created its record', async () => {
  const {ours, theirs} = await twoEnvironments()
  const held = await hold(theirs, 'install', 'wiki')
  const installing = start(theirs, 'deploy')
  await held.called()

  const {exitCode, stderr} = await ours.on('remove', 'db', '--yes')
  await held.go()
  const installed = await installing

  expect(exitCode).toBe(3)
  expect(stderr).toContain('KK_HAS_DEPENDENTS')
  expect(stderr).toMatch(new RegExp(`${theirs.name}/wiki, by \\S+ \\(process ${installing.pid}, run`))
  expect(installed.exitCode, installed.stderr).toBe(0)
  expect(await ours.releases()).toEqual(['db'])
  expect(await reservations()).toBe('')
})

it('an install of a dependent waits for the removal of its requirement, and then installs nothing', async () => {
  const {ours, theirs} = await twoEnvironments()
  const held = await hold(ours, 'uninstall', 'db')
  const removing = start(ours, 'remove', 'db', '--yes')
  await held.called()

  const installing = start(theirs, 'deploy', '--output', 'ndjson')
  await new Promise<void>((resolve) =>
    installing.stdout.on('data', (text: Buffer) => {
      if (/is being removed by \S+ \(process \d+/.test(text.toString())) resolve()
    }),
  )
  await held.go()
  const [removed, installed] = await Promise.all([removing, installing])

  expect(removed.exitCode, removed.stderr).toBe(0)
  expect(installed.exitCode).toBe(1)
  expect(installed.stderr).toMatch(
    /KK_NOT_INSTALLED: \S+\/db, which wiki requires, was removed in the meantime/,
  )
  expect(await theirs.releases()).toEqual(['other'])
  expect(await reservations()).toBe('')
})

it('a group stays as a whole if a new dependent of one of its members appears', async () => {
  const needs = (release: string) => ({chart: 'workload', requires: [{release, kind: 'applied'}]})
  const releases = {api: needs('worker'), worker: needs('api')}
  const ours = await deployOn(cluster, {kk: {releases}, api: {}, worker: {}})
  const theirs = await deployOn(cluster, workloads({other: {}}))
  await theirs.write(workloads({other: {}, wiki: {requires: [`${ours.name}/api`]}}))
  const worker = releaseId(ours.name, 'worker')
  await cluster.create(leaseOf(worker, 'colleague@elsewhere'))

  const removing = start(ours, 'remove', 'api', 'worker', '--yes', '--output', 'ndjson')
  await new Promise<void>((resolve) =>
    removing.stdout.on('data', (text: Buffer) => {
      if (text.includes('it is held by colleague@elsewhere')) resolve()
    }),
  )
  const held = await hold(theirs, 'install', 'wiki')
  const installing = start(theirs, 'deploy')
  await held.called()
  await cluster.kubectl('delete', 'lease', leaseName(worker), '--namespace', 'kk-system')
  const {exitCode, stderr} = await removing
  await held.go()
  const installed = await installing

  expect(exitCode).toBe(3)
  expect(stderr).toMatch(/KK_HAS_DEPENDENTS: \S+\/api .*about to be used/)
  expect(stderr).toContain('worker stays because api, which needs it, cannot be removed')
  expect(await ours.uninstalls()).toEqual([])
  expect(await ours.releases()).toEqual(['api', 'worker'])
  expect(installed.exitCode, installed.stderr).toBe(0)
})

it('the reservation of a killed run prevents removal until its dependent is deployed again', async () => {
  const {ours, theirs} = await twoEnvironments()
  const held = await hold(theirs, 'install', 'wiki')
  const installing = start(theirs, 'deploy')
  await held.called()
  installing.kill('SIGKILL')
  await installing
  await held.go()
  await waitFor(async () => (await theirs.releases()).includes('wiki'), {
    until: 'the orphaned helm has ended',
  })
  await cluster.helm('helm4', 'uninstall', 'wiki', '--namespace', theirs.name)

  const refused = await ours.on('remove', 'db', '--yes')
  const name = /kk-system\/kk-intent-[0-9a-f-]+/.exec(refused.stderr)?.[0] ?? ''
  const excused = await ours.on('remove', 'db', '--dry-run', '--ignore-record', name)
  await cluster.kubectl('delete', 'leases', '--all', '--namespace', 'kk-system')
  const again = await theirs.on('deploy')

  expect(refused.exitCode).toBe(3)
  expect(refused.stderr).toContain('about to be used')
  expect(excused.exitCode, excused.stderr).toBe(0)
  expect(again.exitCode, again.stderr).toBe(0)
  expect(await reservations()).toBe('')
})

it('a removal whose helm was killed is completed by the same command', async () => {
  const job = {hook: 'pre-delete', pod: {'complete-after': '3s'}}
  const environment = await deployOn(cluster, workloads({db: {values: {job}}}))
  const removing = start(environment, 'remove', 'db', '--yes')
  const uninstalling = async () => {
    const words = ['--namespace', environment.name, '--selector', 'status=uninstalling', '--output', 'name']
    return (await cluster.kubectl('get', 'secrets', ...words)).stdout !== ''
  }
  await waitFor(uninstalling, {until: 'helm has begun to uninstall'})
  const {stdout: pids} = await execa('pgrep', ['--full', `uninstall.*${environment.name}`])
  for (const pid of pids.split('\n')) process.kill(Number(pid), 'SIGKILL')

  const first = await removing
  const second = await environment.on('remove', 'db', '--yes')

  expect(first.exitCode).toBe(1)
  expect(second.exitCode, second.stderr).toBe(0)
  expect(second.stderr).toContain('its removal was interrupted: this finishes it')
  expect(await environment.releases()).toEqual([])
})
