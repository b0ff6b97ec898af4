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
  it('makes its tables, serves, and drops what an older release needed, each in its turn', async () => {
    await cloud.run('deploy', sections({}))

    await cloud.run('test', sections({}), 'keystone')
  })

  it('has its pods replaced by an upgrade of the component, and those of nobody else', async () => {
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
