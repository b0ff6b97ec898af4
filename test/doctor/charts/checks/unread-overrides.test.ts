import {expect, it} from 'vitest'
import {unreadOverrides} from '../../../../src/doctor/charts/examine-charts.ts'
import {KK, OSH, preparedOf} from '../../../verbs/secrets/environments.ts'

it('system overrides that a chart does not read are reported once per release', async () => {
  const content = {kk: {charts: [OSH, KK]}, facts: {controllers: 3}}
  const prepared = await preparedOf({neutron: {}, mariadb: {}, horizon: {}}, content)

  const [finding, ...others] = unreadOverrides(prepared)

  expect(finding).toMatchObject({check: 'overrides', level: 'info', release: 'openstack/neutron'})
  expect(finding!.what).toMatch(
    /^system overrides set values that neutron does not read: pod\.replicas\.server, /,
  )
  expect(others).toEqual([])
})
