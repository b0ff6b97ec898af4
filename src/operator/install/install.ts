import type {Helm, ReleaseCall} from '../../helm/helm.ts'
import type {ApiServer} from '../../kubernetes/api/api-server.ts'
import {DEPLOYMENTS, NAMESPACES, type Resource} from '../../kubernetes/api/resources.ts'
import {POLICIES, BINDINGS as POLICY_BINDINGS} from '../../kubernetes/guard/names.ts'
import {KK_NAMESPACE} from '../../kubernetes/lease/lease.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import {parseManifest} from '../../kubernetes/manifest/manifest.ts'
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
  removalRules,
  SITE_ROLES,
  withNodeOperations,
  withRemoval,
} from '../../kubernetes/permissions/roles.ts'
import type {Records} from '../../kubernetes/records/records.ts'
import {releaseId} from '../../release.ts'
import {CRDS, crdManifest} from '../crds/crd.ts'
import {ENVIRONMENT} from '../crds/environment.ts'
import {NODE_OPERATION} from '../crds/node-operation.ts'
import {RELEASE} from '../crds/release.ts'
import {expectServed, isNewerInstalled} from '../crds/versions.ts'
import type {InstallOptions} from './chart.ts'
import {listRights} from './rights.ts'
import {deleteWorkers, expectShape, nameLabel} from './shape.ts'

/** The account of the operator of another cluster; the cluster can also have its own operator. */
const SITE_ACCOUNT = 'kk-hub'

/** The Helm release of the operator. */
export interface ChartRelease {
  readonly helm: Pick<Helm, 'install' | 'upgrade' | 'template'>
  readonly call: ReleaseCall
}

/** Returns all objects of the operator: namespaces, CRDs, and the rendered chart. */
export async function operatorObjects(
  {namespaces, version}: Pick<InstallOptions, 'namespaces' | 'version'>,
  {helm, call}: ChartRelease,
): Promise<readonly KubernetesObject[]> {
  const rendered = await helm.template(call, {apiVersions: [`${POLICIES.apiVersion}/${POLICIES.kind}`]})
  return [...namespaceObjects(namespaces), ...crdObjects(version), ...parseManifest(rendered)]
}

/** Returns the account for the operator of another cluster, with its namespaces. */
export function siteObjects({
  namespaces,
  removes = false,
  makesOfCluster = false,
  changesNodes = false,
}: Pick<
  InstallOptions,
  'namespaces' | 'removes' | 'makesOfCluster' | 'changesNodes'
>): readonly KubernetesObject[] {
  const rights = removes ? withRemoval(SITE_ROLES) : SITE_ROLES
  const account = accountObjects({
    name: SITE_ACCOUNT,
    labels: nameLabel(SITE_ACCOUNT),
    namespace: KK_NAMESPACE,
    rights: changesNodes ? withNodeOperations(rights) : rights,
    releases: namespaces,
    beside: removes ? removalRules() : [],
    makesOfCluster,
  })
  return [...namespaceObjects(namespaces), ...account]
}

/** Returns only the CRDs, for installations of the chart with other tools. */
export function crdObjects(version: string): readonly KubernetesObject[] {
  return [ENVIRONMENT, RELEASE, NODE_OPERATION].map((each) => crdManifest(each, version))
}

const RESOURCES = [
  ...[NAMESPACES, CRDS, ACCOUNTS, CLUSTER_ROLES, CLUSTER_BINDINGS, ROLES, BINDINGS],
  ...[POLICIES, POLICY_BINDINGS, DEPLOYMENTS],
]

/**
 * Installs or upgrades the operator: its chart as a Helm release, all other objects by server-side apply.
 * CRDs of a newer kk are kept, because without their fields, values of Environments would be lost; resolves
 * with the names of these CRDs. Throws `KK_SHAPE`, and `KK_KINDS` if the newer CRDs are served only in other
 * versions.
 */
export async function installOperator(
  desired: readonly KubernetesObject[],
  cluster: {readonly apiServer: ApiServer; readonly records: Pick<Records, 'stored'>} & {
    readonly objects: Pick<Objects, 'apply' | 'read' | 'list' | 'merge' | 'delete'>
  },
  charted?: ChartRelease,
): Promise<readonly string[]> {
  const {objects, records} = cluster
  await expectShape(desired, objects)
  const newer: string[] = []
  for (const each of desired)
    if (each.kind === CRDS.kind && (await isNewerInstalled(each, objects))) newer.push(each.metadata.name)
  if (newer.length > 0) await expectServed(cluster.apiServer)
  for (const each of desired) {
    const resource = RESOURCES.find(({kind}) => kind === each.kind)!
    if (charted && resource !== CRDS && resource !== NAMESPACES)
      await transferFieldOwnership(resource, each, objects)
    else if (resource !== CRDS || !newer.includes(each.metadata.name))
      await objects.apply(resource, each, {manager: MANAGER})
  }
  if (charted) {
    await installRelease(charted, records)
    await deleteWorkers(desired, objects)
  }
  await revokeStaleRights(desired, objects)
  return newer
}

/** The field manager of the installation without helm. */
const MANAGER = 'kk'

interface Managed {
  readonly metadata: {
    readonly managedFields?: readonly {readonly manager?: string; readonly operation?: string}[]
  }
}

/**
 * Transfers fields that kk has applied to helm, so that helm removes fields that are removed from the chart.
 */
async function transferFieldOwnership(
  resource: Resource,
  {metadata: {namespace = '', name}}: KubernetesObject,
  objects: Pick<Objects, 'read' | 'merge'>,
): Promise<void> {
  const existing = await objects.read<Managed>(resource, {namespace, name})
  const fields = existing?.metadata.managedFields ?? []
  const managedFields = fields.map((each) =>
    each.manager === MANAGER && each.operation === 'Apply' ? {...each, manager: 'helm'} : each,
  )
  if (managedFields.some((each, index) => each !== fields[index]))
    await objects.merge(resource, {namespace, name}, {metadata: {managedFields}})
}

/** The timeout of helm, which does not wait for readiness. */
const TIMEOUT_SECONDS = 300

/**
 * Installs or upgrades the Helm release of the operator; objects that were applied without helm are adopted.
 */
async function installRelease({helm, call}: ChartRelease, records: Pick<Records, 'stored'>): Promise<void> {
  const last = await records.stored(releaseId(call.namespace, call.name))
  const options = {timeoutSeconds: TIMEOUT_SECONDS, labels: {}, takeOwnership: true}
  if (last === undefined || last.status === 'uninstalled')
    await helm.install(call, {...options, forceConflicts: true, replace: last !== undefined})
  else await helm.upgrade(call, {...options, forceConflicts: last.applyMethod === 'ssa'})
}

/** Deletes roles and bindings of the installed accounts that are no longer wanted, in all namespaces. */
async function revokeStaleRights(
  desired: readonly KubernetesObject[],
  objects: Pick<Objects, 'delete' | 'list'>,
): Promise<void> {
  const accounts = desired.filter(({kind}) => kind === ACCOUNTS.kind).map(({metadata}) => metadata.name)
  const objectKey = ({kind, metadata}: KubernetesObject) =>
    `${kind} ${metadata.namespace ?? ''}/${metadata.name}`
  const desiredKeys = new Set(desired.map(objectKey))
  for (const [resource, namespace, name] of await listRights(accounts, objects))
    if (!desiredKeys.has(objectKey({...resource, metadata: {namespace, name}})))
      await objects.delete(resource, {namespace, name})
}

function namespaceObjects(names: readonly string[]): readonly KubernetesObject[] {
  const {apiVersion, kind} = NAMESPACES
  const object = (name: string, labels = {}) => ({apiVersion, kind, metadata: {name, labels}})
  const restricted = {'pod-security.kubernetes.io/enforce': 'restricted'}
  return [object(KK_NAMESPACE, restricted), ...names.map((name) => object(name))]
}
