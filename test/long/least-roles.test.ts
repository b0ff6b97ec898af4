import {beforeAll, describe, expect, it} from 'vitest'
import {allInOne, makeEnvironment} from '../e2e/support/environment.ts'
import {done, type OwnCluster} from '../e2e/support/guarded.ts'
import {
  necessaryRoles,
  outcomeWith,
  preparedEnvironment,
  ROLE_SETS,
  type RoleSetName,
  rolesOf,
  rolesWithout,
  startPreparedCluster,
  variantsOf,
} from '../e2e/support/permissions.ts'

let cluster: OwnCluster
beforeAll(async () => {
  cluster = await startPreparedCluster()
})

describe('with the roles of docs/permissions.md and no other right', () => {
  const outcomes: Record<string, string> = {}
  beforeAll(async () => {
    const environment = await preparedEnvironment(cluster, 'api')
    const {name} = environment
    const users = await Promise.all(ROLE_SETS.map((set) => outcomeWith(cluster, rolesOf(set, name))))
    const as = async (set: RoleSetName, verb: string, ...args: readonly string[]) => {
      outcomes[verb] = await users[ROLE_SETS.indexOf(set)]!(environment, verb, ...args)
    }
    const pend = async () => {
      const record = ['secret', `sh.helm.release.v1.api.v5`, '--namespace', name]
      await done(cluster.kubectl('label', ...record, '--overwrite', 'status=pending-upgrade'))
    }
    await as('change', 'deploy')
    await as('look', 'plan', '--diff')
    await as('look', 'status')
    await as('look', 'history', 'api')
    await as('drift', 'drift')
    await as('test', 'test')
    await as('change', 'upgrade', '--set', 'api:replicas=2')
    await as('change', 'reconfigure', '--set', 'api:replicas=3')
    await as('change', 'update', '--set', 'api:image=registry.example.org/workload:2')
    await as('change', 'rollback', '--yes')
    await pend()
    await as('change', 'unlock', 'api', '--revision', '5', '--yes')
    await as('remove', 'orphans')
    const blind = variantsOf('remove').find(({left}) => left === 'list secrets on the cluster')!
    const asBlind = await outcomeWith(cluster, rolesWithout(blind, name))
    outcomes['remove blindly'] = await asBlind(environment, 'remove', 'api', '--yes')
    await as('remove', 'remove', 'api', '--yes')
    await as('remove', 'destroy', '--confirm', name, '--yes')
  })

  it.each([
    ...['plan', 'status', 'history', 'drift', 'test', 'deploy', 'upgrade', 'reconfigure', 'update'],
    ...['rollback', 'unlock', 'orphans', 'remove', 'destroy'],
  ])('kk %s is done', (verb) => {
    expect(outcomes[verb]).toBe('done')
  })

  it('nothing is removed by who may not list Secrets everywhere', () => {
    expect(outcomes['remove blindly']).toMatch(/^exit 3: [\s\S]*KK_HAS_DEPENDENTS/)
  })
})

describe('the roles for a change', () => {
  it("suffice for kk's own charts", async () => {
    const environment = await makeEnvironment({content: await allInOne()})
    await done(cluster.kubectl('create', 'namespace', environment.name))
    const outcome = await outcomeWith(cluster, rolesOf('change', environment.name))

    expect(await outcome(environment, 'deploy', '--dry-run')).toBe('done')
  })

  it('suffice without what is optional', async () => {
    const environment = await preparedEnvironment(cluster)
    const outcome = await outcomeWith(cluster, necessaryRoles('change', environment.name))

    expect(await outcome(environment, 'deploy')).toBe('done')
  })

  it.each(variantsOf('change').slice(-1))('do not suffice without $left', async (variant) => {
    const environment = await preparedEnvironment(cluster)
    const outcome = await outcomeWith(cluster, rolesWithout(variant, environment.name))

    expect(await outcome(environment, 'deploy')).toContain('is forbidden: User')
  })
})
