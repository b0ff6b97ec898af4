import {expect, it} from 'vitest'
import {driverLease, readDriver} from '../../../src/kubernetes/lease/driver.ts'
import {json, refuse, scriptedServer} from '../support/api-server.ts'

const MINUTE = 60_000

/** Who drives `production` on an API server that has this Lease, or none. */
async function driverOf(lease: object | undefined): Promise<string | undefined> {
  const {client} = await scriptedServer((_, response) =>
    lease ? json(response, lease) : refuse(response, 404, 'not found'),
  )
  return readDriver(client, 'production')
}

it.each([
  ['in the same cluster, without a renewal', driverLease('production', 'it', {owner: {}}), 'it'],
  [
    'in another cluster, renewed within the hour',
    driverLease('production', 'it', {now: Date.now() - 50 * MINUTE}),
    'it',
  ],
  [
    'in another cluster, not renewed for an hour',
    driverLease('production', 'it', {now: Date.now() - 61 * MINUTE}),
    undefined,
  ],
  ['without a Lease', undefined, undefined],
])('the manager %s is parsed as %3$s', async (_, lease, driver) => {
  expect(await driverOf(lease)).toBe(driver)
})
