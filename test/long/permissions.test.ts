import {beforeAll, describe, expect, it} from 'vitest'
import type {TestEnvironment} from '../e2e/support/environment.ts'
import {done, type OwnCluster} from '../e2e/support/guarded.ts'
import {
  outcomeWith,
  preparedEnvironment,
  ROLE_SETS,
  type RoleSetName,
  rolesWithout,
  startPreparedCluster,
  variantsOf,
} from '../e2e/support/permissions.ts'

type CommandLine = readonly [verb: string, ...args: readonly string[]]

const LINES: Readonly<Record<RoleSetName, readonly CommandLine[]>> = {
  look: [['status'], ['plan'], ['history']],
  drift: [['drift']],
  test: [['test']],
  change: [['deploy'], ['rollback', '--yes']],
  remove: [['remove', 'db', 'api', '--yes', '--delete-data', '--confirm-data', 'db']],
}
/**
 * By the API server, to kk or to helm, which does not always say so; or by kk, which sees that it does not
 * see.
 */
const REFUSED = /is forbidden: User|failed to delete release|the dependents of a release cannot be read/

describe('the roles in docs/permissions.md are minimal:', () => {
  let cluster: OwnCluster
  let deployed: TestEnvironment
  beforeAll(async () => {
    cluster = await startPreparedCluster()
    deployed = await preparedEnvironment(cluster, 'api')
    await done(deployed.kk('deploy', '--sandbox-name', cluster.sandbox))
    return cluster.end
  })

  it.each(ROLE_SETS.flatMap(variantsOf))('without $left, a verb of $set fails', async (variant) => {
    const environment = variant.set === 'change' ? await preparedEnvironment(cluster) : deployed
    const outcome = await outcomeWith(cluster, rolesWithout(variant, environment.name))

    const outcomes: string[] = []
    for (const [verb, ...args] of LINES[variant.set]) {
      outcomes.push(await outcome(environment, verb, ...args))
      if (outcomes.at(-1) !== 'done') break
    }

    expect(outcomes.at(-1)).toMatch(REFUSED)
  })
})
