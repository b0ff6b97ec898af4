import {beforeAll, describe, it} from 'vitest'
import {makeEnvironment, type TestEnvironment, workloads} from '../e2e/support/environment.ts'
import {allInOneEnvironment, EXAMPLES, expectToWork} from '../e2e/support/examples.ts'

/** Whatever changes nothing may run beside others. */
const LOOKS = (line: string) =>
  line.includes('--dry-run') ||
  /^kk (graph|drift|history|openrc|render|orphans|plan|schema|status|values|overrides (list|show)|helm-override-(list|show))\b/.test(
    line,
  )

/**
 * Of the workload chart: an installation of the six costs a tenth, and these lines show nothing of what is in
 * them.
 */
const LIGHT = workloads({
  mariadb: {},
  rabbitmq: {},
  memcached: {},
  keystone: {requires: ['mariadb', 'memcached', 'rabbitmq'], values: {test: {pod: {}}}},
  glance: {requires: ['keystone', 'mariadb']},
  horizon: {requires: ['keystone']},
})

describe('the example', () => {
  let deployed: TestEnvironment
  let written: TestEnvironment
  beforeAll(async () => {
    const {releases} = LIGHT.kk as {releases: Record<string, object>}
    const protectedMariadb = {...releases, mariadb: {...releases.mariadb, protected: true}}
    deployed = await makeEnvironment({content: {...LIGHT, kk: {releases: protectedMariadb}}})
    written = await allInOneEnvironment()
    await deployed.deploy()
  })

  const [looking, changing] = [LOOKS, (line: string) => !LOOKS(line)].map((kind) =>
    EXAMPLES.flat().filter((line) => kind(line)),
  )
  it.concurrent.each(looking!)('%s works', works)
  it.each(changing!)('%s works', works)

  function works(line: string): Promise<void> {
    return expectToWork(line, line.includes('--sandbox') ? deployed : written)
  }
})
