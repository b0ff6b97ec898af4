import {beforeAll, describe, it} from 'vitest'
import {pair} from './support/cloud.ts'
import type {Fault} from './support/fault-proxy.ts'
import {liveThroughFaults} from './support/faults.ts'
import {type Reference, undisturbed} from './support/life.ts'

const HOW = ['cut-before', 'cut-after', 'throttled', 'error', 'delayed'] as const
/**
 * Of two releases one after the other. The shortest station, a first deploy, writes six times to records and
 * four times to Leases.
 */
const FAULTS: readonly Fault[] = HOW.flatMap((how) => [
  ...[1, 2, 3, 4, 5, 6].map((nth) => ({on: 'record', nth, how}) as const),
  ...[1, 2, 3, 4].map((nth) => ({on: 'lease', nth, how}) as const),
])

describe('an environment with API server faults', () => {
  let reference: Reference

  beforeAll(async () => {
    reference = await undisturbed(pair)
  })

  it.concurrent.each(FAULTS)(
    'continues without lost or repeated changes after a fault of write $nth of a $on, $how',
    async (fault) => {
      await liveThroughFaults({content: pair, reference, faultAt: () => fault})
    },
  )
})
