import {beforeAll, describe, expect, it} from 'vitest'
import type {PlanDocument} from '../../src/report/plan/plan-json.ts'
import {atNight} from '../support/night.ts'
import {allInOne, makeEnvironment, only, type TestEnvironment, workloads} from './support/environment.ts'
import {helmRecords, revisions} from './support/records.ts'

atNight(() => {
  describe('keystone and glance of two environments, one after the other', () => {
    let identity: TestEnvironment
    let images: TestEnvironment
    beforeAll(async () => {
      identity = await makeEnvironment({content: only(await allInOne(), 'keystone')})
      images = await makeEnvironment({content: only(await allInOne(), 'glance'), namespace: identity.name})
      await identity.deploy()
      await images.deploy()
    })

    it('share one mariadb, with one revision, owned by the first', async () => {
      const records = await helmRecords(identity.name)

      const owners = records.map(({name, revision, labels}) => [
        name,
        revision,
        labels['kk.openstack.org/owner'],
      ])
      expect(owners.sort()).toEqual([
        ['glance', 1, images.name],
        ['keystone', 1, identity.name],
        ['mariadb', 1, identity.name],
        ['memcached', 1, identity.name],
        ['rabbitmq', 1, identity.name],
      ])
    })

    it('have no further changes, either of them', async () => {
      const plans = [await identity.json<PlanDocument>('plan'), await images.json<PlanDocument>('plan')]

      expect(plans).toMatchObject([{changes: false}, {changes: false}])
      expect(plans[1]?.actions.find(({release}) => release === `${identity.name}/mariadb`)).toMatchObject({
        reasons: expect.arrayContaining([`belongs to the environment "${identity.name}"`]),
      })
    })

    it('may not both state it: the second gets an error with the owner, and changes nothing', async () => {
      const greedy = await makeEnvironment({
        content: {...only(await allInOne(), 'glance'), mariadb: {}},
        namespace: identity.name,
      })

      const {exitCode, stdout, stderr} = await greedy.kk('deploy', '--output', 'json')

      expect(exitCode).toBe(3)
      expect(JSON.parse(stdout)).toMatchObject({error: {code: 'KK_OWNER'}})
      expect(stderr).toContain(`mariadb ("${identity.name}")`)
      expect(await revisions(identity.name)).toEqual({
        glance: 1,
        keystone: 1,
        mariadb: 1,
        memcached: 1,
        rabbitmq: 1,
      })
    })
  })
})

describe.concurrent('a release of another environment', () => {
  it('in another namespace is used by namespace/name, after its gate', async () => {
    const infra = await makeEnvironment({content: workloads({db: {}})})
    await infra.deploy()
    const content = workloads({api: {requires: [`${infra.name}/db`]}})
    const environment = await makeEnvironment({content})

    await environment.deploy()

    expect(await revisions(environment.name)).toEqual({api: 1})
    expect(await revisions(infra.name)).toEqual({db: 1})
    expect(await environment.helmCalls()).not.toContainEqual(expect.stringMatching(/ db /))
  })

  it('must be installed before another environment can use it', async () => {
    const environment = await makeEnvironment({content: workloads({api: {requires: ['nowhere/db']}})})

    const {exitCode, stderr} = await environment.kk('deploy')

    expect(exitCode).toBe(2)
    expect(stderr).toMatch(/KK_NOT_INSTALLED.*nowhere\/db is not installed \(required by api\)/)
    expect(await revisions(environment.name)).toEqual({})
  })
})
