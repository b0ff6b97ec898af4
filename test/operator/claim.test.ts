import {afterEach, expect, it, vi} from 'vitest'
import {type ClusterConnection, whileClaimed} from '../../src/operator/cluster-connections.ts'
import type {EnvironmentObject} from '../../src/operator/crds/environment.ts'

const HOUR = 3_600_000
const environment: EnvironmentObject = {
  metadata: {name: 'production', uid: 'u'},
  spec: {source: {configMap: 'production'}},
}

/** A cluster that keeps the Lease of who drives as it was written last. */
function connectionWith({isOwn}: {readonly isOwn: boolean}) {
  const leases: {readonly renewTime?: string}[] = []
  const cluster = {
    leases: {driver: async () => undefined, now: () => Date.now()},
    live: {hasNamespace: async () => true},
    objects: {
      apply: async (_: unknown, {spec}: {readonly spec: {readonly renewTime?: string}}) =>
        void leases.push(spec),
    },
  }
  return {leases, connection: {cluster, isOwn} as unknown as ClusterConnection}
}

afterEach(() => {
  vi.useRealTimers()
})

it.each([
  ['in another cluster is renewed during a run of hours', false],
  ['in the own cluster, which does not expire, is written once', true],
])('the claim on an Environment %s', async (_, isOwn) => {
  vi.useFakeTimers()
  const {leases, connection} = connectionWith({isOwn})
  const run = Promise.withResolvers<string>()

  const claimed = whileClaimed(environment, connection, () => run.promise)
  await vi.advanceTimersByTimeAsync(3 * HOUR)
  const last = leases.at(-1)?.renewTime
  const age = last === undefined ? undefined : Date.now() - Date.parse(last)
  run.resolve('done')
  const result = await claimed
  const {length} = leases
  await vi.advanceTimersByTimeAsync(HOUR)

  expect(result).toBe('done')
  expect(leases).toHaveLength(length)
  if (isOwn) expect(leases).toEqual([{holderIdentity: 'the operator'}])
  else expect(age).toBeLessThan(HOUR / 2)
})
