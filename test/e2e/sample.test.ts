import {beforeAll, describe, it} from 'vitest'
import {pair} from '../long/support/cloud.ts'
import type {Fault} from '../long/support/fault-proxy.ts'
import {liveThroughFaults} from '../long/support/faults.ts'
import {killAtTransition, liveThroughKills} from '../long/support/kill.ts'
import {type Reference, undisturbed} from '../long/support/life.ts'
import {play} from '../long/support/operators.ts'
import {seedOfRun, throwDice} from '../long/support/seed.ts'
import {atNight} from '../support/night.ts'

/** A sample of `npm run test:long`, the same each time unless `KK_TEST_SEED` says otherwise. */
const SEED = seedOfRun({KK_TEST_SEED: '4', ...process.env})
const dice = throwDice(SEED)
/** Of a first deploy and of an upgrade of two releases, which have a dozen transitions. */
const KILL = dice.between(2, 11)
const FAULT: Fault = {
  on: 'record',
  nth: dice.between(1, 6),
  how: dice.pick(['cut-before', 'cut-after', 'error'] as const),
}

describe.concurrent(`a sample of the long tests (KK_TEST_SEED=${SEED})`, () => {
  let reference: Reference

  beforeAll(async () => {
    reference = await undisturbed(pair, ['deploy', 'upgrade'])
  })

  atNight(() => {
    it('two operators leave the cluster in order after a round', async () => {
      await play({dice: dice.for('match'), rounds: 1})
    })

    it(`nothing is lost or doubled when write ${FAULT.nth} of a ${FAULT.on} is ${FAULT.how}`, async () => {
      await liveThroughFaults({content: pair, reference, faultAt: () => FAULT})
    })
  })

  it(`one command mends a kill at transition ${KILL}`, async () => {
    const killAt = killAtTransition(dice.for('kill'), KILL, reference, ['db', 'api'])
    await liveThroughKills({content: pair, reference, killAt})
  })
})
