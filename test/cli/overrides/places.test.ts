import {expect, it} from 'vitest'
import {placeOfChart} from '../../../src/cli/overrides/places.ts'

const service = {
  charts: async () => [
    {name: 'ingress', namespaces: ['kube-system', 'openstack']},
    {name: 'keystone', namespaces: ['cloud']},
  ],
}

it('the namespace of a chart defaults to that of its only release', async () => {
  expect(await placeOfChart(service, {name: 'keystone'})).toEqual({name: 'keystone', namespace: 'cloud'})
  expect(await placeOfChart(service, {name: 'keystone', namespace: 'other'})).toMatchObject({
    namespace: 'other',
  })
})

it.each([
  ['ingress', 'KK_USAGE', 'ingress is in kube-system and openstack', 'for example "ingress kube-system"'],
  ['keyston', 'KK_UNKNOWN_CHART', 'no chart keyston is active', 'did you mean keystone?'],
])('%s without a matching release is refused with %s', async (name, code, message, hint) => {
  await expect(placeOfChart(service, {name})).rejects.toMatchObject({
    code,
    message: expect.stringContaining(message),
    hint,
  })
})
