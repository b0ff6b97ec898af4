import {beforeAll, describe, expect, it} from 'vitest'
import type {PlanDocument} from '../../src/report/plan/plan-json.ts'
import {atNight} from '../support/night.ts'
import {auditEvents, kubectl} from './support/cluster.ts'
import {makeEnvironment, type TestEnvironment, workloads} from './support/environment.ts'
import {history} from './support/history.ts'
import {revisions} from './support/records.ts'

describe.concurrent('kk upgrade of a named release', () => {
  it('is refused if a requirement is not installed', async () => {
    const environment = await makeEnvironment({content: workloads({db: {}, api: {requires: ['db']}})})

    const {exitCode, stderr} = await environment.kk('upgrade', 'api')

    expect(exitCode).toBe(2)
    expect(stderr).toContain('KK_NOT_INSTALLED')
    expect(stderr).toMatch(/db is not installed \(required by api\)/)
    expect(await revisions(environment.name)).toEqual({})
  })

  it('accepts only releases of the environment, and suggests one', async () => {
    const environment = await makeEnvironment({content: workloads({database: {}})})

    const {exitCode, stderr} = await environment.kk('upgrade', 'databse')

    expect(exitCode).toBe(2)
    expect(stderr).toContain('KK_UNKNOWN_RELEASE')
    expect(stderr).toContain('did you mean database?')
  })

  atNight(() => {
    it('upgrades all installed releases without a name', async () => {
      const environment = await makeEnvironment({content: workloads({db: {}, api: {requires: ['db']}})})
      await environment.deploy()
      const changed = {values: {replicas: 2}}
      await environment.write(workloads({db: changed, api: {requires: ['db'], ...changed}}))

      const {exitCode, stderr} = await environment.kk('upgrade')

      expect(exitCode, stderr).toBe(0)
      expect(await revisions(environment.name)).toEqual({db: 2, api: 2})
      expect(await environment.json<PlanDocument>('plan')).toMatchObject({changes: false})
    })
  })
})

describe('kk upgrade with two installed releases', () => {
  const pair = {database: {}, api: {requires: ['database']}}
  let environment: TestEnvironment
  beforeAll(async () => {
    environment = await makeEnvironment({content: workloads(pair)})
    await environment.deploy()
    await environment.write(workloads({...pair, web: {requires: ['database']}}))
  })

  it('refuses a release that is not installed', async () => {
    const {exitCode, stderr} = await environment.kk('upgrade', 'web')

    expect(exitCode).toBe(2)
    expect(stderr).toMatch(/KK_NOT_INSTALLED.*web is not installed/)
    expect(await revisions(environment.name)).toEqual({database: 1, api: 1})
  })

  it('without names installs nothing', async () => {
    const {exitCode, stderr} = await environment.kk('upgrade')

    expect(exitCode, stderr).toBe(0)
    expect(stderr).toContain('not installed, and left so: web')
    expect(await revisions(environment.name)).toEqual({database: 1, api: 1})
  })

  it('refuses a value for a release that is not named or does not exist', async () => {
    const other = await environment.kk('upgrade', 'api', '--set', 'database:replicas=2')
    const unknown = await environment.kk('plan', 'api', '--set', 'databse:replicas=2')

    expect([other.exitCode, unknown.exitCode]).toEqual([2, 2])
    expect(other.stderr).toContain('KK_USAGE: --values or --set is for database, but only api may be changed')
    expect(unknown.stderr).toContain('KK_UNKNOWN_RELEASE: --values or --set names databse')
    expect(unknown.stderr).toContain('did you mean database?')
    expect(await revisions(environment.name)).toEqual({database: 1, api: 1})
  })

  it('waits until the requirements of the named release are Ready again', async () => {
    await environment.write(workloads({...pair, api: {requires: ['database'], values: {replicas: 2}}}))
    await restart('database', environment.name, '3s')

    const {exitCode, stderr} = await environment.kk('upgrade', 'api')

    expect(exitCode, stderr).toBe(0)
    const events = await auditEvents(environment.name)
    const upgraded = events.find(
      ({verb, objectRef}) => verb === 'create' && objectRef?.name === 'sh.helm.release.v1.api.v2',
    )
    const {ready} = (await history(environment.name))('database')
    expect(upgraded!.requestReceivedTimestamp > ready).toBe(true)
  })
})

/** Replaces the pods of a Deployment by some that are Ready only after a while. */
async function restart(name: string, namespace: string, readyAfter: string): Promise<void> {
  const annotations = {'sandbox.kk.openstack.org/ready-after': readyAfter}
  const patch = {spec: {template: {metadata: {annotations}}}}
  await kubectl(['patch', 'deployment', name, '--namespace', namespace, '--patch', JSON.stringify(patch)])
}
