import {describe, it} from 'vitest'
import {play} from './support/operators.ts'
import {seedOfRun, throwDice} from './support/seed.ts'

const SEED = seedOfRun()
const MATCHES = Array.from({length: 10}, (_, index) => index + 1)

describe(`two concurrent operators, and at times a third with plain helm (KK_TEST_SEED=${SEED})`, () => {
  it.concurrent.each(MATCHES)(
    'leave the cluster consistent after each of five rounds, match %i',
    async (match) => {
      await play({dice: throwDice(SEED).for(`match ${match}`), rounds: 5})
    },
  )
})
