import {expect, it} from 'vitest'
import {accounts} from '../../../src/doctor/charts/checks/accounts/accounts.ts'
import {renderedObjects} from '../../../src/kubernetes/manifest/manifest.ts'
import {releaseId} from '../../../src/release.ts'
import {SERVICES, useCharts} from '../../own-charts/support/charts.ts'

const charts = await useCharts()

it("the check of accounts finds no fault in kk's own charts, and finds each client with another value than its server", async () => {
  const bus = {endpoints: {oslo_messaging: {auth: {admin: {password: 'another-value'}}}}}
  const agreeing = await Promise.all(SERVICES.map((name) => examined(name)))
  const clients = await Promise.all(
    ['mariadb', 'memcached', 'keystone', 'glance'].map((name) => examined(name)),
  )
  const other = await examined('rabbitmq', bus)

  const same = accounts(agreeing)
  const different = accounts([other, ...clients])

  expect(same).toEqual([])
  expect(different).toMatchObject([
    {level: 'problem', release: 'openstack/keystone', other: {object: 'Secret/rabbitmq-files'}},
    {level: 'problem', release: 'openstack/glance', other: {object: 'Secret/rabbitmq-files'}},
  ])
})

async function examined(name: string, values: object = {}) {
  const objects = renderedObjects(await charts.text(name, {values}))
  return {release: releaseId('openstack', name), objects, secondRender: objects}
}
