import {readdir, readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {describe, expect, it} from 'vitest'
import {leaseName} from '../../src/kubernetes/lease/lease.ts'
import type {RunEntry} from '../../src/kubernetes/records/run-entry.ts'
import {releaseId} from '../../src/release.ts'
import {atNight} from '../support/night.ts'
import {testDirectory} from '../support/test-directory.ts'
import {get, kubectl, waitFor} from './support/cluster.ts'
import {openCorner} from './support/corner.ts'
import {makeEnvironment, type TestEnvironment, workloads} from './support/environment.ts'
import {kk} from './support/kk.ts'
import {holders} from './support/leases.ts'
import {helmRecords, revisions} from './support/records.ts'

const TWO = workloads({db: {}, api: {requires: ['db']}})
const TWO_CHANGED = workloads({
  db: {values: {replicas: 2}},
  api: {requires: ['db'], values: {replicas: 2}},
})
/** Of the journal: the first release has ended, the second has not begun. */
const BETWEEN = 6
/** The helm of the second has ended, and its Lease was not given back. */
const HELM_ENDED = 9

/** Runs a verb until it kills itself at that step of its journal. */
async function killed(
  environment: TestEnvironment,
  killAt: number,
  ...words: readonly string[]
): Promise<void> {
  const {signal} = await kk([...words, environment.file], {
    cwd: environment.directory,
    env: {KK_HELM: environment.helm},
    killAt,
  })
  expect(signal).toBe('SIGKILL')
}

/** Dependents of this namespace that are about to be installed, or were by a run that is dead. */
async function reservationsOf(namespace: string): Promise<readonly string[]> {
  const {items} = await get<{items: readonly {data: {dependent: string}}[]}>(
    ...(['configmaps', '--namespace', 'kk-system', '--selector', 'kk.openstack.org/intent-of'] as const),
  )
  return items.map(({data}) => data.dependent).filter((dependent) => dependent.startsWith(`${namespace}/`))
}

async function statusOf(namespace: string): Promise<string | undefined> {
  return (await helmRecords(namespace))[0]?.status
}

async function runs(environment: TestEnvironment): Promise<readonly RunEntry[]> {
  return (await environment.json<{runs: readonly RunEntry[]}>('history')).runs
}

describe.concurrent('kk resume', () => {
  it('continues a run that is shown as killed, and repeats nothing', async () => {
    const environment = await makeEnvironment({content: TWO})
    await killed(environment, BETWEEN, 'deploy')
    expect(await revisions(environment.name)).toEqual({db: 1})
    expect((await runs(environment))[0]!.state).toBe('killed')

    const {exitCode, stderr} = await environment.kk('resume')

    expect(exitCode, stderr).toBe(0)
    expect(stderr).toMatch(/resuming run \S+: kk deploy of \S+, started by \S+@\S+/)
    expect(await revisions(environment.name)).toEqual({db: 1, api: 1})
    const [second, first] = await runs(environment)
    expect([first!.state, second!.state, second!.of]).toEqual(['interrupted', 'succeeded', first!.id])
  })

  atNight(() => {
    it('cleans up a run that was killed when its helm had ended: Lease and reservations', async () => {
      const environment = await makeEnvironment({content: TWO})
      await killed(environment, HELM_ENDED, 'deploy')
      const left = [await holders(environment.name), await reservationsOf(environment.name)]

      const {exitCode, stderr} = await environment.kk('resume')

      expect(left).toEqual([[expect.stringMatching(/^api by /)], [`${environment.name}/api`]])
      expect(exitCode, stderr).toBe(0)
      expect(await revisions(environment.name)).toEqual({db: 1, api: 1})
      expect(await holders(environment.name)).toEqual([])
      expect(await reservationsOf(environment.name)).toEqual([])
    })
  })

  it('is refused, with names, if the file has changed; works on another machine by the record of the run', async () => {
    const environment = await makeEnvironment({content: TWO})
    await killed(environment, BETWEEN, 'deploy')
    await environment.write(workloads({db: {}, api: {requires: ['db'], values: {replicas: 2}}}))
    const refused = await environment.kk('resume')
    const between = await revisions(environment.name)
    await environment.write(TWO)
    const home = testDirectory()
    const [{id}] = (await runs(environment)) as [RunEntry]

    const {exitCode, stderr} = await kk(['resume', id, environment.file], {
      cwd: home,
      env: {HOME: home, XDG_STATE_HOME: join(home, 'state')},
    })

    expect(refused.exitCode).toBe(3)
    expect(refused.stderr).toMatch(/KK_MOVED.*api \(its inputs changed\)/)
    expect(refused.stderr).not.toMatch(/db \(/)
    expect(between).toEqual({db: 1})
    expect(exitCode, stderr).toBe(0)
    expect(await revisions(environment.name)).toEqual({db: 1, api: 1})
  })

  atNight(() => {
    it('keeps the scope of the run', async () => {
      const environment = await makeEnvironment({content: TWO})
      await environment.deploy()
      await environment.write(TWO_CHANGED)
      const {signal} = await kk(['upgrade', 'db', environment.file], {
        cwd: environment.directory,
        env: {KK_HELM: environment.helm},
        killAt: 1,
      })
      expect(signal).toBe('SIGKILL')

      const {exitCode, stderr} = await environment.kk('resume')

      expect(exitCode, stderr).toBe(0)
      expect(await revisions(environment.name)).toEqual({db: 2, api: 1})
    })

    it('continues a rollback to the same revisions', async () => {
      const environment = await makeEnvironment({content: TWO})
      await environment.deploy()
      await environment.write(TWO_CHANGED)
      await environment.deploy()
      await killed(environment, BETWEEN, 'rollback', '--yes')
      expect(await revisions(environment.name)).toEqual({db: 2, api: 3})

      const {exitCode, stderr} = await environment.kk('resume', '--yes', '--report', 'json=kk.json')

      expect(exitCode, stderr).toBe(0)
      expect(await revisions(environment.name)).toEqual({db: 3, api: 3})
      const report = JSON.parse(await readFile(join(environment.directory, 'kk.json'), 'utf8'))
      expect(report).toMatchObject({
        outcome: 'succeeded',
        releases: [{kind: 'unchanged'}, {kind: 'rollback', state: 'succeeded'}],
      })
    })

    it('passes the values to helm again if kk was killed just after it had started helm', async () => {
      const corner = await openCorner(
        'kk:\n  OWN\n  releases: {api: {chart: workload}}\napi: {replicas: 2}\n',
      )
      const KK_HELM = await corner.helm(
        'case "$1" in install) kill -9 $PPID; exec $HELM "$@" </dev/null;; *) exec $HELM "$@";; esac',
      )
      const {signal} = await corner.kk(['deploy', 'env.yaml'], {env: {KK_HELM}})
      expect(signal).toBe('SIGKILL')
      const api = releaseId(corner.name, 'api')
      await waitFor(async () => (await statusOf(corner.name)) === 'deployed', {
        until: 'the helm that was left has ended',
      })
      await kubectl(['delete', 'lease', leaseName(api), '--namespace', 'kk-system', '--ignore-not-found'])

      const {exitCode, stderr} = await corner.kk(['resume', 'env.yaml'])

      expect(exitCode, stderr).toBe(0)
      expect(stderr).toContain('helm was started without its values, and now gets them')
      const {spec} = await get<{spec: {replicas: number}}>('deployment', 'api', '--namespace', corner.name)
      expect(spec.replicas).toBe(2)
    })

    it('finds no run to continue after a later run succeeded, and names the older one that did not', async () => {
      const environment = await makeEnvironment({content: TWO})
      const none = await environment.kk('resume')
      await killed(environment, BETWEEN, 'deploy')
      // With the same inputs the later run would have done all of the older one.
      await environment.write(TWO_CHANGED)
      await environment.deploy()
      const [{id: last}, {id: older}] = (await runs(environment)) as [RunEntry, RunEntry]

      const {exitCode, stdout, stderr} = await environment.kk('resume', '--output', 'json')

      expect(none.exitCode).toBe(2)
      expect(none.stderr).toContain('KK_NO_RUN')
      expect(exitCode, stderr).toBe(0)
      expect(stderr).toContain(
        `nothing to resume: run ${last}, the last of ${environment.name} (kk deploy), succeeded\n`,
      )
      expect(stderr).toContain(`to resume that: kk resume ${older} ${environment.file}`)
      expect(JSON.parse(stdout)).toMatchObject({run: null, releases: []})
    })
  })
})

describe('a journal', () => {
  it('that cannot be written at the start prevents the run, and nothing is changed', async () => {
    const environment = await makeEnvironment({content: TWO})

    const {exitCode, stderr} = await kk(['deploy', environment.file], {
      cwd: environment.directory,
      env: {KK_HELM: environment.helm, XDG_STATE_HOME: '/dev/null/state'},
    })

    expect(exitCode).toBe(2)
    expect(stderr).toMatch(/KK_FILE.*the journal of the run cannot be written: \/dev\/null\/state/)
    expect(await revisions(environment.name)).toEqual({})
    expect(await runs(environment)).toEqual([])
  })

  it('contains no secret, nor does any other file of a run', async () => {
    const secret = 'correct-horse-battery'
    const environment = await makeEnvironment({
      content: workloads({api: {values: {auth: {password: secret}}}}),
    })
    const home = testDirectory()
    const env = {KK_HELM: environment.helm, XDG_STATE_HOME: join(home, 'state')}

    const {exitCode, stderr} = await kk(['deploy', environment.file], {cwd: environment.directory, env})

    expect(exitCode, stderr).toBe(0)
    const directory = join(home, 'state', 'kk', 'runs')
    const [name] = await readdir(directory)
    const journal = await readFile(join(directory, name!), 'utf8')
    expect(journal).toContain('"type":"gate-passed"')
    expect(journal).not.toContain(secret)
  })
})
