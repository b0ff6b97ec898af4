import {beforeAll, describe, expect, it} from 'vitest'
import type {PlanDocument} from '../../src/report/plan/plan-json.ts'
import {HELMS} from '../support/helms.ts'
import {atNight} from '../support/night.ts'
import {get, kubectl} from './support/cluster.ts'
import {makeEnvironment, type TestEnvironment, workloads} from './support/environment.ts'
import {helmRecords, revisions} from './support/records.ts'

const REPLICAS = {values: {replicas: 2}}

/** api requires db; both were deployed, then changed. */
async function upgradedTwo(helm: 'helm3' | 'helm4' = 'helm4'): Promise<TestEnvironment> {
  const environment = await makeEnvironment({content: workloads({db: {}, api: {requires: ['db']}}), helm})
  await environment.deploy()
  await environment.write(workloads({db: REPLICAS, api: {requires: ['db'], ...REPLICAS}}))
  await environment.deploy()
  return environment
}

async function replicas(namespace: string): Promise<Record<string, number>> {
  const {items} = await get<{items: {metadata: {name: string}; spec: {replicas: number}}[]}>(
    'deployments',
    '--namespace',
    namespace,
  )
  return Object.fromEntries(items.map(({metadata, spec}) => [metadata.name, spec.replicas]))
}

/** `rollback api 1`, in the order of time: which helm was told what. */
async function rollbacks({helmCalls}: TestEnvironment): Promise<string[]> {
  const calls = (await helmCalls()).filter((call) => call.startsWith('rollback '))
  return calls.map((call) => call.replace(/^rollback .* -- /, 'rollback '))
}

/** A claim named dumps. */
function claim(namespace: string): object {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {name: 'dumps', namespace},
    spec: {accessModes: ['ReadWriteOnce'], resources: {requests: {storage: '1Gi'}}},
  }
}

type Done = Awaited<ReturnType<TestEnvironment['kk']>>

describe.each(HELMS)('kk rollback with %s', (helm) => {
  let environment: TestEnvironment
  let unasked: Done
  let between: Readonly<Record<string, number>>
  let undone: Done
  beforeAll(async () => {
    environment = await upgradedTwo(helm)
    unasked = await environment.kk('rollback')
    between = await revisions(environment.name)
    undone = await environment.kk('rollback', '--yes')
  })

  it('shows the plan and changes nothing if no user can confirm', () => {
    expect(unasked.exitCode).toBe(3)
    expect(unasked.stderr).toMatch(/< rollback\s+api .*back to revision 1: undoes run/)
    expect(unasked.stderr).toContain('KK_UNCONFIRMED')
    expect(between).toEqual({api: 2, db: 2})
  })

  it('prints how to roll back a single release if a release is specified instead of a run', async () => {
    const named = await environment.kk('rollback', 'api')

    expect(named.exitCode).toBe(2)
    expect(named.stderr).toContain(
      'for the release api: kk rollback --release api --revision N; kk history api lists its revisions',
    )
  })

  it('undoes the last run, dependents first', async () => {
    expect(undone.exitCode, undone.stderr).toBe(0)
    expect(await rollbacks(environment)).toEqual(['rollback api 1', 'rollback db 1'])
    const [call] = (await environment.helmCalls()).filter((each) => each.startsWith('rollback '))
    expect(call).not.toMatch(/--wait|--atomic|--force|--cleanup-on-fail|--values/)
    expect(await replicas(environment.name)).toEqual({api: 1, db: 1})
    expect(await revisions(environment.name)).toEqual({api: 3, db: 3})
  })

  it('leaves records that kk recognises as its own, and notes that the file wants later versions', async () => {
    expect(undone.stderr).toMatch(
      /note: the environment file still wants the newer inputs: kk deploy would upgrade/,
    )
    const last = (await helmRecords(environment.name)).filter(({revision}) => revision === 3)
    expect(
      last.map(({labels}) => [labels['kk.openstack.org/revision'], labels['kk.openstack.org/gated']]),
    ).toEqual([
      ['3', '3'],
      ['3', '3'],
    ])
    const {actions} = await environment.json<PlanDocument>('plan')
    expect(actions.map(({kind, reasons}) => [kind, reasons.length])).toEqual([
      ['upgrade', 1],
      ['upgrade', 1],
    ])
  })

  it('is not repeated after it is done', async () => {
    const {exitCode, stderr} = await environment.kk('rollback', '--yes')

    expect(exitCode, stderr).toBe(0)
    expect(stderr).toContain('2 unchanged')
    expect(await revisions(environment.name)).toEqual({api: 3, db: 3})
  })
})

atNight(() => {
  describe.concurrent('kk rollback', () => {
    it('is refused immediately if helm has pruned a revision; a single release still returns, and its dependents are checked', async () => {
      const environment = await upgradedTwo()
      await kubectl(['delete', 'secret', 'sh.helm.release.v1.api.v1', '--namespace', environment.name])

      const refused = await environment.kk('rollback', '--yes')
      const calls = await rollbacks(environment)
      const one = ['--release', 'db', '--revision', '1', '--yes', '--output', 'json']
      const {exitCode, stderr, stdout} = await environment.kk('rollback', ...one)

      expect(refused.exitCode).toBe(3)
      expect(refused.stderr).toMatch(/KK_PRUNED.*revision 1 of .*\/api no longer exists \(helm keeps 2\)/)
      expect(calls).toEqual([])
      expect(exitCode, stderr).toBe(0)
      const {releases} = JSON.parse(stdout) as {releases: {release: string; kind: string; state: string}[]}
      expect(releases.map(({release, kind, state}) => [release.split('/')[1], kind, state])).toEqual([
        ['db', 'rollback', 'succeeded'],
        ['api', 'check', 'succeeded'],
      ])
      expect(await replicas(environment.name)).toEqual({api: 2, db: 1})
    })

    it('is refused across a migration, unless --keep-schema is set', async () => {
      const migrated = (version: number) =>
        workloads({api: {values: {replicas: version, job: {migration: true, version}}}})
      const environment = await makeEnvironment({content: migrated(1)})
      await environment.deploy()
      await environment.write(migrated(2))
      await environment.deploy()

      const refused = await environment.kk('rollback', '--yes')
      const kept = await environment.kk('rollback', '--yes', '--keep-schema')

      expect(refused.exitCode).toBe(3)
      expect(refused.stderr).toMatch(/KK_MIGRATION.*api-job-1, api-job-2.*no rollback reverts that/)
      expect(kept.exitCode, kept.stderr).toBe(0)
      expect(kept.stderr).toContain('keeps the schema')
      expect(await replicas(environment.name)).toEqual({api: 1})
    })

    it('that is refused names the dump from before the first of two migrations; an upgrade without its claim is refused', async () => {
      const migrated = (version: number, dumps?: string) =>
        workloads({api: {values: {replicas: version, job: {migration: true, version, dumps}}}})
      const environment = await makeEnvironment({content: migrated(1)})
      await environment.deploy()
      await environment.write(migrated(2, 'dumps'))
      const withoutClaim = await environment.kk('deploy', '--yes')
      await kubectl(['create', '--filename', '-'], {input: claim(environment.name)})
      const upgraded = await environment.kk('deploy', '--yes')
      await environment.write(migrated(3, 'dumps'))
      await environment.deploy()

      const refused = await environment.kk('rollback', '--release', 'api', '--revision', '1', '--yes')

      expect(withoutClaim.exitCode).toBe(2)
      expect(withoutClaim.stderr).toMatch(/KK_UNSERVED.*\n.*PersistentVolumeClaim\/dumps/)
      expect(upgraded.exitCode, upgraded.stderr).toBe(0)
      expect(upgraded.stderr).toContain('the databases are dumped to the claim dumps')
      expect(refused.exitCode).toBe(3)
      expect(refused.stderr).toContain('was dumped to the claim dumps: api/api-job-2.sql.gz')
      expect(refused.stderr).toContain('DUMP=api-job-2')
    })

    it('is refused before any change if a kept claim is in the way; a deploy with the claim takes the claim over', async () => {
      const withClaim = (claim: string | null) =>
        workloads({db: {values: {claim}}, api: {requires: ['db'], values: {replicas: claim ? 1 : 2}}})
      const environment = await makeEnvironment({content: withClaim('general')})
      await environment.deploy()
      await environment.write(withClaim(null))
      await environment.deploy()

      const dry = await environment.kk('rollback', '--dry-run')
      const refused = await environment.kk('rollback', '--yes')
      const calls = await rollbacks(environment)
      await environment.write(withClaim('general'))
      await environment.deploy()

      for (const {exitCode, stderr} of [dry, refused]) {
        expect(exitCode).toBe(3)
        expect(stderr).toMatch(/KK_IN_THE_WAY.*\/db \(PersistentVolumeClaim\/db\)/)
        expect(stderr).toContain('run kk deploy')
      }
      expect(calls).toEqual([])
      expect(await revisions(environment.name)).toEqual({api: 3, db: 3})
    })

    it('keeps releases that the run installed, with a note', async () => {
      const environment = await makeEnvironment({content: workloads({db: {}})})
      await environment.deploy()
      await environment.write(workloads({db: REPLICAS, api: {requires: ['db']}}))
      await environment.deploy()

      const {exitCode, stderr} = await environment.kk('rollback', '--yes')

      expect(exitCode, stderr).toBe(0)
      expect(stderr).toContain('note: api stays: the run installed it')
      expect(await revisions(environment.name)).toEqual({api: 1, db: 3})
    })
  })
})
