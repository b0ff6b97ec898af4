import {join} from 'node:path'
import {beforeAll, describe, expect, it} from 'vitest'
import {allInOne, FIXTURES, makeEnvironment, type TestEnvironment} from '../e2e/support/environment.ts'
import {done, type OwnCluster} from '../e2e/support/guarded.ts'
import {kk} from '../e2e/support/kk.ts'
import {
  necessaryRoles,
  outcomeWith,
  preparedEnvironment,
  prepareEnvironment,
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
  return cluster.end
})

const SETS = [
  {which: 'the roles of docs/permissions.md', helm: 'helm4', roles: rolesOf},
  {which: 'what of these is not optional', helm: 'helm3', roles: necessaryRoles},
] as const

/**
 * The name of a step, whose rights it has, and the command line; the environment file comes after the verb.
 */
type Step = readonly [name: string, set: RoleSetName, verb: string, ...args: readonly string[]]

const FAIL = ['--set', 'api:job.hook=post-upgrade', '--set', 'api:job.pod.fail=JobFailed']

/** In this order. `LAST` is the last revision of `api`. */
const STEPS: readonly Step[] = [
  ['adopt', 'change', 'adopt', 'db', '--yes'],
  ['deploy', 'change', 'deploy'],
  ['plan', 'look', 'plan', '--diff'],
  ['status', 'look', 'status'],
  ['history', 'look', 'history'],
  ['history of a release', 'look', 'history', 'api'],
  ['drift', 'drift', 'drift'],
  ['test', 'test', 'test'],
  ['upgrade', 'change', 'upgrade', '--set', 'api:replicas=2'],
  ['reconfigure', 'change', 'reconfigure', '--set', 'api:replicas=3'],
  ['update', 'change', 'update', '--set', 'api:image=registry.example.org/workload:2'],
  ['plan --save', 'look', 'plan', '--save', 'plan.json', '--set', 'api:replicas=2'],
  ['apply', 'change', 'apply', 'plan.json', '--set', 'api:replicas=2'],
  ['rollback of a run', 'change', 'rollback', '--yes'],
  ['rollback of a release', 'change', 'rollback', '--release', 'api', '--revision', '1', '--yes'],
  ['resume', 'change', 'resume', '--set', 'api:replicas=4'],
  ['unlock', 'change', 'unlock', 'api', '--revision', 'LAST', '--yes'],
  ['drift --prune', 'change', 'drift', '--prune', '--yes'],
  ['orphans', 'remove', 'orphans'],
  ['remove', 'remove', 'remove', 'api', '--yes'],
  ['destroy', 'remove', 'destroy', '--confirm', 'NAME', '--delete-data', '--confirm-data', 'db'],
]

/** What an administrator does to the cluster before a step. */
function preparations(
  environment: TestEnvironment,
  helm: 'helm3' | 'helm4',
): Readonly<Record<string, () => Promise<unknown>>> {
  const {name, directory} = environment
  const asAdministrator = (words: readonly string[], killAt?: number) =>
    kk([...words, environment.file, '--sandbox-name', cluster.sandbox], {
      cwd: directory,
      env: {KK_HELM: environment.helm},
      killAt,
    })
  return {
    async adopt() {
      await done(cluster.helm(helm, 'install', 'db', join(FIXTURES, 'workload'), '--namespace', name))
    },
    async resume() {
      const {signal} = await asAdministrator(['upgrade', '--set', 'api:replicas=4'], 1)
      expect(signal).toBe('SIGKILL')
    },
    async unlock() {
      const record = ['secret', `sh.helm.release.v1.api.v${await lastRevision(name)}`, '--namespace', name]
      await done(cluster.kubectl('label', ...record, '--overwrite', 'status=pending-upgrade'))
    },
    async 'drift --prune'() {
      const failed = await asAdministrator(['upgrade', 'api', '--set', 'api:conf.extra=1', ...FAIL])
      expect(failed.exitCode, failed.stderr).toBe(1)
      await done(asAdministrator(['upgrade', 'api']))
    },
  }
}

async function lastRevision(namespace: string): Promise<number> {
  const listed = await done(cluster.helm('helm4', 'list', '--namespace', namespace, '--output', 'json'))
  const releases = JSON.parse(listed) as readonly {readonly name: string; readonly revision: string}[]
  return Number(releases.find(({name}) => name === 'api')!.revision)
}

describe.each(SETS)('an account with $which and no other right, through $helm,', ({helm, roles}) => {
  const outcomes: Record<string, string> = {}
  let environment: TestEnvironment
  beforeAll(async () => {
    environment = await prepareEnvironment(cluster, {dependents: ['api'], helm})
    const {name} = environment
    const users = await Promise.all(ROLE_SETS.map((set) => outcomeWith(cluster, roles(set, name))))
    const before = preparations(environment, helm)
    for (const [step, set, verb, ...args] of STEPS) {
      await before[step]?.()
      const revision = args.includes('LAST') ? String(await lastRevision(name)) : ''
      const words = args.map((word) => word.replace('LAST', revision).replace('NAME', name))
      outcomes[step] = await users[ROLE_SETS.indexOf(set)]!(environment, verb, ...words)
      if (step === 'drift --prune')
        outcomes.left = (await cluster.kubectl('get', 'configmap', 'api', '--namespace', name)).stderr
      if (step === 'orphans') outcomes.blindly = await removeBlindly(environment)
    }
  })

  it.each(STEPS.map(([step]) => step))('can run kk %s', (step) => {
    expect(outcomes[step]).toBe('done')
  })

  it('can prune an object that a failed revision left', () => {
    expect(outcomes.left).toContain('"api" not found')
  })

  it('can remove nothing without permission to list Secrets in all namespaces', () => {
    expect(outcomes.blindly).toMatch(/^exit 3: [\s\S]*KK_HAS_DEPENDENTS/)
  })
})

async function removeBlindly(environment: TestEnvironment): Promise<string> {
  const blind = variantsOf('remove').find(({left}) => left === 'list secrets on the cluster')!
  const outcome = await outcomeWith(cluster, rolesWithout(blind, environment.name))
  return outcome(environment, 'remove', 'api', '--yes')
}

describe('the roles for a change', () => {
  it("suffice for kk's own charts", async () => {
    const environment = await makeEnvironment({content: await allInOne()})
    await done(cluster.kubectl('create', 'namespace', environment.name))
    const outcome = await outcomeWith(cluster, rolesOf('change', environment.name))

    expect(await outcome(environment, 'deploy', '--dry-run')).toBe('done')
  })

  it.each(variantsOf('change').slice(-1))('do not suffice without $left', async (variant) => {
    const environment = await preparedEnvironment(cluster)
    const outcome = await outcomeWith(cluster, rolesWithout(variant, environment.name))

    expect(await outcome(environment, 'deploy')).toContain('is forbidden: User')
  })
})
