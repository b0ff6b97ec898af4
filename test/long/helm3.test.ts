import {beforeAll, describe, expect, it} from 'vitest'
import type {PlanDocument} from '../../src/report/plan/plan-json.ts'
import type {ReleaseStatus} from '../../src/verbs/observation/release-status.ts'
import {allInOne, makeEnvironment, type TestEnvironment} from '../e2e/support/environment.ts'
import {history} from '../e2e/support/history.ts'
import {helmRecords, revisions} from '../e2e/support/records.ts'

const FIRST = {mariadb: 1, rabbitmq: 1, memcached: 1, keystone: 1, glance: 1, horizon: 1}

describe('an environment with helm 3', () => {
  let environment: TestEnvironment
  beforeAll(async () => {
    environment = await makeEnvironment({content: await allInOne(), helm: 'helm3'})
    await environment.deploy()
  })

  it('is deployed in order, with six healthy charts', async () => {
    const {actions} = await environment.json<PlanDocument>('plan')
    const {releases} = await environment.json<{releases: ReleaseStatus[]}>('status')

    const of = await history(environment.name)
    for (const {release, requires} of actions) {
      for (const required of requires) {
        const [name, earlier] = [release, required.release].map((id) => id.split('/')[1]!) as [string, string]
        expect(of(name).started > of(earlier).ready, `${name} after ${earlier}`).toBe(true)
      }
    }
    expect(releases.map(({health}) => health?.state)).toEqual(releases.map(() => 'healthy'))
    for (const {labels} of await helmRecords(environment.name)) {
      expect(labels).toMatchObject({
        'kk.openstack.org/owner': environment.name,
        'kk.openstack.org/gated': '1',
      })
    }
  })

  it('is not changed by a second deploy, which starts no helm', async () => {
    const calls = await environment.helmCalls()

    await environment.deploy()

    expect(calls.filter((call) => call.startsWith('install'))).toHaveLength(6)
    expect(await environment.helmCalls()).toEqual(calls)
  })

  it('is upgraded only in the changed releases', async () => {
    const content = await allInOne()
    await environment.write({...content, keystone: {pod: {replicas: {api: 2}}}})

    await environment.deploy()

    expect(await revisions(environment.name)).toEqual({...FIRST, keystone: 2})
    const last = (await helmRecords(environment.name)).find(
      ({name, revision}) => name === 'keystone' && revision === 2,
    )
    expect(last?.labels).toMatchObject({'kk.openstack.org/gated': '2', 'kk.openstack.org/revision': '2'})
  })
})
