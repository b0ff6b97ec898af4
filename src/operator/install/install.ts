import type {ApiServer} from '../../kubernetes/api/api-server.ts'
import {DEPLOYMENTS, NAMESPACES} from '../../kubernetes/api/resources.ts'
import {POLICIES, BINDINGS as POLICY_BINDINGS} from '../../kubernetes/guard/names.ts'
import {KK_NAMESPACE} from '../../kubernetes/lease/lease.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import type {Objects} from '../../kubernetes/objects/objects.ts'
import {
  ACCOUNTS,
  accountObjects,
  BINDINGS,
  CLUSTER_BINDINGS,
  CLUSTER_ROLES,
  ROLES,
} from '../../kubernetes/permissions/account.ts'
import {
  OPERATOR_ROLES,
  ROLE_SETS,
  type RoleSet,
  rulesOf,
  SITE_ROLES,
  withRemoval,
} from '../../kubernetes/permissions/roles.ts'
import {ENVIRONMENT} from '../kinds/environment-kind.ts'
import {DEFINITIONS, definitionOf} from '../kinds/kind.ts'
import {RELEASE} from '../kinds/release-kind.ts'
import {expectServed, isNewerThere} from '../kinds/versions.ts'
import {deletionGuard} from './deletion-guard.ts'
import {rightsOf} from './rights.ts'
import {dropChildren, expectShape, LABELS, labelsOf, NAME, ONE, type Shape, shapeObjects} from './shape.ts'

/** Of the operator of another cluster; the cluster may have an operator of its own beside. */
const SITE_ACCOUNT = 'kk-hub'

export interface InstallOptions {
  /** The version of this kk. */
  readonly version: string
  /** The image of kk, with helm in it. */
  readonly image: string
  /** The namespaces in which it may deploy. */
  readonly namespaces: readonly string[]
  /** Whether it may remove what an approved plan says: for that it reads the records of all namespaces. */
  readonly removes?: boolean
  /** Whether it may make the objects of the whole cluster that kk's own charts render. */
  readonly makesOfCluster?: boolean
  /** Whether the cluster has policies by which the API server refuses deletions (Kubernetes 1.30). */
  readonly isGuarded?: boolean
  /** Which processes it consists of; one for all unless it is said. */
  readonly shape?: Shape
}

/** Returns everything that the operator is made of, in the order in which it is applied. */
export function operatorObjects({
  version,
  image,
  namespaces,
  removes = false,
  makesOfCluster = false,
  isGuarded = true,
  shape = ONE,
}: InstallOptions): readonly KubernetesObject[] {
  return [
    ...namespaceObjects(namespaces),
    ...kindObjects(version),
    ...(isGuarded ? deletionGuard(NAME, LABELS) : []),
    ...accountOf(NAME, OPERATOR_ROLES, {namespaces, removes, makesOfCluster}),
    ...shapeObjects(shape, {image, namespaces, makesOfCluster}),
  ]
}

type AccountOptions = Pick<InstallOptions, 'namespaces' | 'removes' | 'makesOfCluster'>

/** Its account alone, for a cluster in which the operator of another one deploys. */
export function siteObjects(account: AccountOptions): readonly KubernetesObject[] {
  return [...namespaceObjects(account.namespaces), ...accountOf(SITE_ACCOUNT, SITE_ROLES, account)]
}

function accountOf(
  name: string,
  rights: RoleSet,
  {namespaces, removes = false, makesOfCluster = false}: AccountOptions,
): readonly KubernetesObject[] {
  return accountObjects({
    name,
    labels: labelsOf(name),
    namespace: KK_NAMESPACE,
    rights: removes ? withRemoval(rights) : rights,
    releases: namespaces,
    beside: removes ? rulesOf(ROLE_SETS.remove).cluster : [],
    makesOfCluster,
  })
}

/** The kinds alone, for whom the rest comes by a chart. */
export function kindObjects(version: string): readonly KubernetesObject[] {
  return [definitionOf(ENVIRONMENT, version), definitionOf(RELEASE, version)]
}

/** Whether an object is made by whatever installs the operator: neither a kind nor a namespace, which outlive it. */
export function isOfCluster({kind}: KubernetesObject): boolean {
  return kind !== DEFINITIONS.kind && kind !== NAMESPACES.kind
}

const KINDS = [
  NAMESPACES,
  DEFINITIONS,
  ACCOUNTS,
  CLUSTER_ROLES,
  CLUSTER_BINDINGS,
  ROLES,
  BINDINGS,
  POLICIES,
  POLICY_BINDINGS,
  DEPLOYMENTS,
]

/**
 * Applies the objects of the operator on the server side; what is there already is brought up to date, but for kinds that a
 * newer kk has written: with their fields, values in Environments would go. Resolves with the names of these. Throws `KK_SHAPE`,
 * and `KK_KINDS` where that one's kinds are served in other versions alone.
 */
export async function installOperator(
  made: readonly KubernetesObject[],
  cluster: {readonly apiServer: ApiServer} & {
    readonly objects: Pick<Objects, 'apply' | 'read' | 'list' | 'delete'>
  },
): Promise<readonly string[]> {
  const {objects} = cluster
  await expectShape(made, objects)
  const newer: string[] = []
  for (const each of made)
    if (each.kind === DEFINITIONS.kind && (await isNewerThere(each, objects))) newer.push(each.metadata.name)
  if (newer.length > 0) await expectServed(cluster.apiServer)
  for (const each of made) {
    const resource = KINDS.find(({kind}) => kind === each.kind)!
    if (resource !== DEFINITIONS || !newer.includes(each.metadata.name))
      await objects.apply(resource, each, {manager: 'kk'})
  }
  if (made.some(({kind}) => kind === DEPLOYMENTS.kind)) await dropChildren(made, objects)
  await dropRights(made, objects)
  return newer
}

/** Takes back what accounts that were installed may do no longer, also in namespaces that are named no more. */
async function dropRights(
  made: readonly KubernetesObject[],
  objects: Pick<Objects, 'delete' | 'list'>,
): Promise<void> {
  const accounts = made.filter(({kind}) => kind === ACCOUNTS.kind).map(({metadata}) => metadata.name)
  const placeOf = ({kind, metadata}: KubernetesObject) =>
    `${kind} ${metadata.namespace ?? ''}/${metadata.name}`
  const kept = new Set(made.map(placeOf))
  for (const [resource, namespace, name] of await rightsOf(accounts, objects))
    if (!kept.has(placeOf({...resource, metadata: {namespace, name}})))
      await objects.delete(resource, {namespace, name})
}

function namespaceObjects(names: readonly string[]): readonly KubernetesObject[] {
  const {apiVersion, kind} = NAMESPACES
  const object = (name: string, labels = {}) => ({apiVersion, kind, metadata: {name, labels}})
  const restricted = {'pod-security.kubernetes.io/enforce': 'restricted'}
  return [object(KK_NAMESPACE, restricted), ...names.map((name) => object(name))]
}
