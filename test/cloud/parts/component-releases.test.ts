import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import type {Values} from '../../../src/base/values.ts'
import {makeCloud, podIds} from '../support/own-cloud.ts'

let cloud: Awaited<ReturnType<typeof makeCloud>>
beforeAll(async () => {
  cloud = await makeCloud('mariadb-server', 'memcached', 'rabbitmq', 'keystone')
})
afterAll(() => cloud.remove())

/** keystone per component, and what it requires. */
const sections = (keystone: Values): Values => ({
  kk: {releases: {keystone: {components: true}}},
  ...{mariadb: {}, memcached: {}, rabbitmq: {}, keystone},
})

describe('keystone as releases per component', {timeout: 900_000}, () => {
  it('migrates its database, serves, and drops the old schema in order', async () => {
    await cloud.run('deploy', sections({}))

    await cloud.run('test', sections({}), 'keystone')
  })

  it('replaces only its own pods on an upgrade of the component', async () => {
    const others = () => podIds(cloud.namespace, 'app.kubernetes.io/component!=api')
    const own = () => podIds(cloud.namespace, 'app.kubernetes.io/component=api')
    const before = {others: await others(), own: await own()}
    const changed = {pod: {lifecycle: {termination_grace_period: {api: {timeout: 61}}}}}

    await cloud.run('upgrade', sections(changed), 'keystone-api')

    expect(await others()).toEqual(before.others)
    expect(Object.keys(await own())).not.toEqual(Object.keys(before.own))
    await cloud.run('test', sections(changed), 'keystone')
  })
})
