import {X509Certificate} from 'node:crypto'
import {afterEach, expect, it, vi} from 'vitest'
import type {Change} from '../../../../src/doctor/checks/change.ts'
import {certificates, nodeClocks} from '../../../../src/doctor/checks/upgrade/surroundings.ts'
import type {NodeClock} from '../../../../src/kubernetes/node-clocks.ts'
import {generateSecret} from '../../../../src/overrides/generate-secret.ts'
import {makeAuthority} from '../../../../src/overrides/tls/authority.ts'
import {certifier} from '../../../../src/overrides/tls/certificates.ts'
import {deployment} from './support/service.ts'

const DAY = 86_400_000
const CERTIFICATE = certifier(makeAuthority()).certificate(['keystone'], generateSecret('server'))
const END = Date.parse(new X509Certificate(CERTIFICATE['tls.crt']).validTo)

afterEach(() => vi.useRealTimers())

/** Checks the upgrade of cinder beside keystone, which has the certificate, so many days before it ends. */
async function find(days: number, clocks: readonly NodeClock[], replaces = true) {
  vi.useFakeTimers({now: END - days * DAY, toFake: ['Date']})
  const secret = {apiVersion: 'v1', kind: 'Secret', metadata: {name: 'keystone-tls'}, stringData: {}}
  const data = Object.fromEntries(
    Object.entries(CERTIFICATE).map(([name, text]) => [name, Buffer.from(text).toString('base64')]),
  )
  const next = {
    objects: [{object: deployment('api', 'cinder:2'), file: ''}],
    before: [deployment('api', 'cinder:1')],
    hooksBefore: [],
  }
  const staying = {release: 'openstack/keystone', objects: [{object: {...secret, data}, file: ''}]}
  const change = {
    next: new Map([['openstack/cinder', next]]),
    upgrade: replaces ? {near: new Set(['openstack/cinder', 'openstack/keystone'])} : undefined,
    staying: async () => ({releases: [staying], unread: []}),
    cluster: {diagnosis: {clocks: async () => clocks}},
  } as unknown as Change
  return [...(await certificates.find(change)), ...(await nodeClocks.find(change))]
}

it('a certificate that ends within a day, and a clock that is far off, are refusals', async () => {
  const found = await find(0.5, [
    {node: 'one', ahead: -31},
    {node: 'two', ahead: 30},
  ])

  expect(found).toMatchObject([
    {
      what: `openstack/keystone: the certificate of keystone in the Secret openstack/keystone-tls ends at ${new Date(END).toISOString()}`,
      refusal: 'KK_UPGRADE_CHECK',
    },
    {what: "the clock of node one is 31 s behind the API server's", refusal: 'KK_UPGRADE_CHECK'},
  ])
})

it('what ends later, or a change without a new image, is none', async () => {
  expect(await find(1.5, [])).toEqual([])
  expect(await find(0.5, [{node: 'one', ahead: 99}], false)).toEqual([])
})
