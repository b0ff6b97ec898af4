import {beforeAll, describe, it} from 'vitest'
import {cloud, pair, RELEASES} from '../long/support/cloud.ts'
import type {Fault} from '../long/support/fault-proxy.ts'
import {liveThroughFaults} from '../long/support/faults.ts'
import {killAtTransition, liveThroughKills} from '../long/support/kill.ts'
import {type Reference, undisturbed} from '../long/support/life.ts'
import {play} from '../long/support/operators.ts'
import {seedOfRun, throwDice} from '../long/support/seed.ts'

/** A sample of `npm run test:long`, the same each time unless `KK_TEST_SEED` says otherwise. */
const SEED = seedOfRun({KK_TEST_SEED: '4', ...process.env})
const dice = throwDice(SEED)
/** One early, one in the middle, one late; each is a kill of a first deploy and of an upgrade. */
const KILLS = [dice.between(1, 7), dice.between(8, 15), dice.between(16, 22)]
const FAULTS: readonly Fault[] = [
  {on: 'record', nth: dice.between(1, 6), how: dice.pick(['cut-before', 'cut-after', 'error'] as const)},
  {on: 'record', nth: dice.between(1, 6), how: 'throttled'},
  {on: 'lease', nth: dice.between(1, 4), how: dice.pick(['cut-before', 'cut-after', 'error'] as const)},
]

describe.concurrent(`a sample of the long tests (KK_TEST_SEED=${SEED})`, () => {
  let ofCloud: Reference
  let ofPair: Reference

  beforeAll(async () => {
    const stations = ['deploy', 'upgrade'] as const
    const references = await Promise.all([undisturbed(cloud, stations), undisturbed(pair, stations)])
    ofCloud = references[0]
    ofPair = references[1]
  })

  // The longest first.
  it('two operators leave the cluster in order after each of five rounds', async () => {
    await play({dice: dice.for('match'), rounds: 5})
  })

  it.each(KILLS)('one command mends a kill at transition %i', async (transition) => {
    const own = dice.for(`transition ${transition}`)
    const killAt = killAtTransition(own, transition, ofCloud, RELEASES)
    await liveThroughKills({content: cloud, reference: ofCloud, killAt})
  })

  it.each(FAULTS)('nothing is lost or doubled when write $nth of a $on is $how', async (fault) => {
    await liveThroughFaults({content: pair, reference: ofPair, faultAt: () => fault})
  })
})
