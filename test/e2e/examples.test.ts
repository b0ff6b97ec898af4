import {beforeAll, describe, it} from 'vitest'
import type {TestEnvironment} from './support/environment.ts'
import {allInOneEnvironment, EXAMPLES, expectToWork} from './support/examples.ts'

/** The first of each command that needs no cluster: test/long tries all. */
const LINES = EXAMPLES.flatMap(([first]) => (first && !first.includes('--sandbox') ? [first] : []))

describe('the example', () => {
  let environment: TestEnvironment
  beforeAll(async () => {
    environment = await allInOneEnvironment()
  })

  it.concurrent.each(LINES)('%s works', (line) => expectToWork(line, environment))
})
