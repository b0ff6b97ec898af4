import {describe, expect, it} from 'vitest'
import type {RunEvent} from '../../src/run/events.ts'
import {atNight} from '../support/night.ts'
import {get, uniqueName} from './support/cluster.ts'
import {makeEnvironment, type TestEnvironment, workloads} from './support/environment.ts'
import {kk} from './support/kk.ts'
import {revisions} from './support/records.ts'

/** What a release has in other services of these names; other tests on the cluster have others. */
function things() {
  const [mariadb, keystone] = [uniqueName('mariadb'), uniqueName('keystone')]
  return {
    database: {kind: 'database', name: 'api', at: mariadb},
    user: {kind: 'user', name: 'api', at: keystone},
    used: [
      {name: 'api', at: keystone},
      {name: 'openstack', at: 'rabbitmq'},
    ],
  }
}

interface Elsewhere {
  readonly elsewhere: {
    readonly goes: readonly {readonly name: string}[]
    readonly stays: readonly {readonly kind: string; readonly why: string}[]
  }
  readonly unconfirmed: readonly {readonly code: string}[]
}

interface Jobs {
  readonly items: readonly {
    readonly metadata: {readonly name: string; readonly ownerReferences?: readonly {readonly kind: string}[]}
    readonly spec: {
      readonly template: {
        readonly spec: {
          readonly containers: readonly {
            readonly env?: readonly [{readonly name: string; readonly value: string}]
          }[]
        }
      }
    }
  }[]
}

/** A release `api` that has a database and a user in other services. */
async function deployed(pod: object = {}) {
  const {database, user, used} = things()
  const environment = await makeEnvironment({
    content: workloads({api: {values: {cleanup: {made: [user, database], used, pod}}}}),
  })
  await environment.deploy()
  return {...environment, database, user}
}

async function remove(environment: TestEnvironment, ...flags: readonly string[]) {
  return environment.kk('remove', 'api', '--yes', ...flags)
}

async function calls(environment: TestEnvironment): Promise<readonly string[]> {
  return (await environment.helmCalls()).filter((call) => call.startsWith('uninstall'))
}

describe.concurrent('kk remove --purge', () => {
  it('lists resources in other services, is refused until the release is named, deletes them by a Job of the chart, then the release', async () => {
    const {database, user, ...environment} = await deployed()

    const dry = await environment.kk('remove', 'api', '--purge', '--dry-run', '--output', 'json')
    const refused = await remove(environment, '--purge')
    const before = await calls(environment)
    const {exitCode, stdout, stderr} = await remove(
      environment,
      ...['--purge', '--confirm', 'api', '--output', 'ndjson'],
    )

    const {elsewhere, unconfirmed} = JSON.parse(dry.stdout) as Elsewhere
    expect(dry.exitCode).toBe(3)
    expect(elsewhere.goes).toMatchObject([user, database])
    expect(elsewhere.stays).toMatchObject([{kind: 'account', name: 'openstack', at: 'rabbitmq'}])
    expect(unconfirmed).toMatchObject([{code: 'KK_UNCONFIRMED'}])
    expect(refused.exitCode).toBe(3)
    expect(refused.stderr).toContain('--confirm api')
    expect(before).toEqual([])
    expect(exitCode, stderr).toBe(0)
    const events = stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as RunEvent)
    const told = events.flatMap((event) => {
      if (event.type === 'object-deleted') return [event.object]
      return event.type === 'release-progressed' && event.message === 'helm uninstall' ? [event.message] : []
    })
    expect(told).toEqual(['user api', 'database api', 'helm uninstall'])
    expect(await calls(environment)).toHaveLength(1)
    const {runs} = await environment.json<{runs: readonly {releases: readonly object[]}[]}>('history')
    expect(runs[0]!.releases).toMatchObject([{deleted: ['user api', 'database api']}])
    const {items} = await get<Jobs>('jobs', '--namespace', environment.name)
    expect(items.every(({metadata}) => metadata.ownerReferences?.[0]?.kind === 'CronJob')).toBe(true)
  })

  atNight(() => {
    it('keeps resources of other releases and names their owners; without --purge all stay, reported before and after', async () => {
      const {database, user, used} = things()
      const own = {made: [user, database], used, pod: {fail: 'JobFailed'}}
      const other = {made: [], used: [{name: user.name, at: user.at}]}
      const environment = await makeEnvironment({
        content: workloads({api: {values: {cleanup: own}}, web: {values: {cleanup: other}}}),
      })
      await environment.deploy()

      const dry = await environment.kk(
        'remove',
        'api',
        '--purge',
        '--confirm',
        'api',
        '--dry-run',
        '--output',
        'json',
      )
      const failed = await remove(environment, '--purge', '--confirm', 'api')
      const {items} = await get<Jobs>('jobs', '--namespace', environment.name)
      const without = await environment.kk('remove', 'api', '--dry-run')
      const {exitCode, stderr} = await remove(environment)

      const {elsewhere} = JSON.parse(dry.stdout) as Elsewhere
      expect(dry.exitCode, dry.stderr).toBe(0)
      expect(elsewhere.goes).toMatchObject([database])
      expect(elsewhere.stays).toContainEqual(expect.objectContaining({...user, why: 'web has it, too'}))
      const [job] = items.filter(({metadata}) => metadata.name.startsWith('api-cleanup-'))
      const [{name, value}] = job!.spec.template.spec.containers[0]!.env!
      expect([name, JSON.parse(value)]).toEqual(['CLEANUP', [database]])
      expect(failed.exitCode).toBe(1)
      expect(without.exitCode).toBe(0)
      expect(without.stdout).toMatch(/api +database +api +mariadb\S* +it is deleted only with --purge/)
      expect(exitCode, stderr).toBe(0)
      expect(stderr.slice(stderr.indexOf('left in other services'))).toMatch(
        /database +api[\s\S]*deploy it once more, then kk remove it with --purge/,
      )
    })
  })

  atNight(() => {
    it('keeps the release if the Job fails, and continues with the same command after the fault is fixed', async () => {
      const environment = await deployed({fail: 'JobFailed'})

      const failed = await remove(environment, '--purge', '--confirm', 'api')
      const between = await revisions(environment.name)
      const status = await environment.kk('status')
      await environment.write(workloads({api: {values: {cleanup: {made: [environment.database], used: []}}}}))
      await environment.deploy()
      const mended = await remove(environment, '--purge', '--confirm', 'api')

      expect(failed.exitCode).toBe(1)
      expect(failed.stderr).toMatch(/KK_CLEANUP.*api stays/)
      expect(between).toEqual({api: 1})
      expect(status.stdout).toMatch(/api +1 +deployed +healthy/)
      expect(mended.exitCode, mended.stderr).toBe(0)
      expect(await calls(environment)).toHaveLength(1)
    })

    it('continues with the same command after it was killed before or during helm', async () => {
      const environment = await deployed()
      const words = ['remove', environment.file, 'api', '--yes', '--purge', '--confirm', 'api']
      const killedAt = (killAt: number) =>
        kk(words, {cwd: environment.directory, env: {KK_HELM: environment.helm}, killAt})

      // Of the journal: the Job is to be made; helm is to be started.
      const signals = [(await killedAt(2)).signal, (await killedAt(3)).signal]
      const {exitCode, stderr} = await remove(environment, '--purge', '--confirm', 'api')
      const resumed = await environment.kk('resume')

      expect(signals).toEqual(['SIGKILL', 'SIGKILL'])
      expect(exitCode, stderr).toBe(0)
      expect(stderr).toContain('deleted database api')
      expect(resumed.stderr).toContain('nothing to resume')
    })
  })
})
