import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import {loadAll} from 'js-yaml'
import {expect} from 'vitest'
import {accountWith, type Role, type Rule} from './account.ts'
import {makeEnvironment, type TestEnvironment, workloads} from './environment.ts'
import {done, type OwnCluster, startOwnCluster} from './guarded.ts'

export const ROLE_SETS = ['look', 'drift', 'change', 'test', 'remove'] as const
export type RoleSetName = (typeof ROLE_SETS)[number]

/** The file of a set, as users apply it. */
function readRoles(set: RoleSetName): string {
  return readFileSync(join(import.meta.dirname, `../../../docs/permissions/kk-${set}.yaml`), 'utf8')
}

/** The roles of a set as its file gives them, for another namespace than `openstack`. */
export function rolesOf(set: RoleSetName, namespace: string): readonly Role[] {
  return roles(readRoles(set), namespace)
}

/** The same without the rules below a comment that says that they are optional. */
export function necessaryRoles(set: RoleSetName, namespace: string): readonly Role[] {
  return roles(
    readRoles(set).replaceAll(/ +# [^\n]+\n +# optional: [^\n]+\n(?: +[^#\s][^\n]*\n)+/g, ''),
    namespace,
  )
}

function roles(yaml: string, namespace: string): readonly Role[] {
  const all = loadAll(yaml.replaceAll('namespace: openstack', `namespace: ${namespace}`)) as Role[]
  return all.filter(({rules}) => rules !== null)
}

/** A necessary rule of kk's own. */
export interface Variant {
  readonly set: RoleSetName
  readonly rule: Rule
  /** For the name of a test. */
  readonly left: string
}

export function variantsOf(set: RoleSetName): readonly Variant[] {
  const own = necessaryRoles(set, 'openstack').filter(({metadata}) => !metadata.name.endsWith('-charts'))
  return own.flatMap(({kind, metadata, rules}) =>
    rules.map((rule) => {
      const place = kind === 'Role' ? `in ${metadata.namespace}` : 'on the cluster'
      return {set, rule, left: `${rule.verbs.join(', ')} ${rule.resources.join(', ')} ${place}`}
    }),
  )
}

/** The necessary roles without that rule; nor does the role for the charts give the same right. */
export function rolesWithout({set, rule: left}: Variant, namespace: string): readonly Role[] {
  return necessaryRoles(set, namespace).map((role) => ({
    ...role,
    rules: role.rules.filter((rule) => !isPart(rule, left)),
  }))
}

function isPart({apiGroups, resources, resourceNames}: Rule, left: Rule): boolean {
  const isSame = (one: unknown, other: unknown) => String(one) === String(other)
  return (
    isSame(apiGroups, left.apiGroups) &&
    isSame(resourceNames, left.resourceNames) &&
    resources.some((each) => left.resources.includes(each))
  )
}

/** With an object of each kind that the gate looks at, and a test. */
const DATABASE = {test: {pod: {}}, job: {pod: {}}, claim: 'general', auth: {password: 'of-the-database'}}

/** A cluster with `kk-system`, as administrators leave it to those who may not make namespaces. */
export async function startPreparedCluster(): Promise<OwnCluster> {
  const cluster = await startOwnCluster()
  await done(cluster.kubectl('create', 'namespace', 'kk-system'))
  return cluster
}

/** An environment in a namespace that exists: `db`, and those of these names that require it. */
export async function preparedEnvironment(
  cluster: OwnCluster,
  ...dependents: readonly string[]
): Promise<TestEnvironment> {
  return prepareEnvironment(cluster, {dependents})
}

interface PreparedOptions {
  readonly dependents: readonly string[]
  readonly helm?: 'helm3' | 'helm4'
}

/** The same, and of the helm that is named. */
export async function prepareEnvironment(
  cluster: OwnCluster,
  {dependents, helm = 'helm4'}: PreparedOptions,
): Promise<TestEnvironment> {
  const others = dependents.map((name) => [name, {requires: ['db'], values: {}}] as const)
  const content = workloads({db: {values: DATABASE}, ...Object.fromEntries(others)})
  const environment = await makeEnvironment({content, helm})
  await done(cluster.kubectl('create', 'namespace', environment.name))
  return environment
}

/** What came of a command line, by a user with these roles: `done`, or the exit code and what was said. */
export async function outcomeWith(
  cluster: OwnCluster,
  roles: readonly Role[],
): Promise<(environment: TestEnvironment, verb: string, ...args: readonly string[]) => Promise<string>> {
  const account = await accountWith(cluster, roles)
  return async (environment, verb, ...args) => {
    const {exitCode, stderr} = await environment.kk(verb, ...args, '--kubeconfig', account)
    expect(exitCode).toBeTypeOf('number')
    return exitCode === 0 ? 'done' : `exit ${exitCode}: ${stderr}`
  }
}
