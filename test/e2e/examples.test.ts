import {beforeAll, describe, it} from 'vitest'
import type {TestEnvironment} from './support/environment.ts'
import {allInOneEnvironment, EXAMPLES, expectToWork} from './support/examples.ts'

/**
 * Other tests start these: `config.test.ts`, `doctor-charts.test.ts`, `export.test.ts`, `init.test.ts`,
 * `import.test.ts`, `locked.test.ts`, `operator.test.ts`, `overrides.test.ts`, `sandbox.test.ts`,
 * `secrets.test.ts`, those of the server, and `cloud/whole/audit.test.ts`, because simulated pods answer
 * nothing.
 */
const STARTED_ELSEWHERE =
  /^kk (overrides (delete|export|history|import|list|show|update)|helm-override-\w+|sandbox (down|shell|status|up)|operator (pause|resume)|config (import|merge)|audit|check|export|import|init|values (show|split)|charts (lock|publish)) /

/** The first of each other command that needs no cluster: test/long tries all. */
const LINES = EXAMPLES.flatMap(([first]) =>
  first && !first.includes('--sandbox') && !STARTED_ELSEWHERE.test(`${first} `) ? [first] : [],
)

describe('the example', () => {
  let environment: TestEnvironment
  beforeAll(async () => {
    environment = await allInOneEnvironment()
  })

  it.concurrent.each(LINES)('%s works', (line) => expectToWork(line, environment))
})
