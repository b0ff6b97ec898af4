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
import {removalRules, SITE_ROLES, withRemoval} from '../../kubernetes/permissions/roles.ts'
import type {Records} from '../../kubernetes/records/records.ts'
import {releaseId} from '../../release.ts'
import {CRDS, crdManifest} from '../crds/crd.ts'
import {ENVIRONMENT} from '../crds/environment.ts'
import {RELEASE} from '../crds/release.ts'
import {expectServed, isNewerInstalled} from '../crds/versions.ts'
import type {InstallOptions} from './chart.ts'
import {listRights} from './rights.ts'
import {deleteWorkers, expectShape, nameLabel} from './shape.ts'

/** Of the operator of another cluster; the cluster may have an operator of its own beside. */
const SITE_ACCOUNT = 'kk-hub'

/** What helm brings about: the release of the operator, with its chart. */
export interface ChartRelease {
  readonly helm: Pick<Helm, 'install' | 'upgrade' | 'template'>
  readonly call: ReleaseCall
}

/** Returns everything that the operator is made of: namespaces and kinds, and what its chart renders. */
export async function operatorObjects(
  {namespaces, version}: Pick<InstallOptions, 'namespaces' | 'version'>,
  {helm, call}: ChartRelease,
): Promise<readonly KubernetesObject[]> {
  const rendered = await helm.template(call, {apiVersions: [`${POLICIES.apiVersion}/${POLICIES.kind}`]})
  return [...namespaceObjects(namespaces), ...crdObjects(version), ...parseManifest(rendered)]
}

/** Its account alone, for a cluster in which the operator of another one deploys. */
export function siteObjects({
  namespaces,
  removes = false,
  makesOfCluster = false,
}: Pick<InstallOptions, 'namespaces' | 'removes' | 'makesOfCluster'>): readonly KubernetesObject[] {
  const account = accountObjects({
    name: SITE_ACCOUNT,
    labels: nameLabel(SITE_ACCOUNT),
    namespace: KK_NAMESPACE,
    rights: removes ? withRemoval(SITE_ROLES) : SITE_ROLES,
    releases: namespaces,
    beside: removes ? removalRules() : [],
    makesOfCluster,
  })
  return [...namespaceObjects(namespaces), ...account]
}

/** The kinds alone, for whom the rest comes by a chart. */
export function crdObjects(version: string): readonly KubernetesObject[] {
  return [crdManifest(ENVIRONMENT, version), crdManifest(RELEASE, version)]
}

const KINDS = [
  ...[NAMESPACES, CRDS, ACCOUNTS, CLUSTER_ROLES, CLUSTER_BINDINGS, ROLES, BINDINGS],
  ...[POLICIES, POLICY_BINDINGS, DEPLOYMENTS],
]

/**
 * Applies objects of the operator on the server side, but has helm bring about those of its chart; what is there already is brought
 * up to date, but for kinds that a newer kk has written: with their fields, values in Environments would go. Resolves with the names
 * of these. Throws `KK_SHAPE`, and `KK_KINDS` where that one's kinds are served in other versions alone.
 */
export async function installOperator(
  made: readonly KubernetesObject[],
  cluster: {readonly apiServer: ApiServer; readonly records: Pick<Records, 'stored'>} & {
    readonly objects: Pick<Objects, 'apply' | 'read' | 'list' | 'merge' | 'delete'>
  },
  charted?: ChartRelease,
): Promise<readonly string[]> {
  const {objects, records} = cluster
  await expectShape(made, objects)
  const newer: string[] = []
  for (const each of made)
    if (each.kind === CRDS.kind && (await isNewerInstalled(each, objects))) newer.push(each.metadata.name)
  if (newer.length > 0) await expectServed(cluster.apiServer)
  for (const each of made) {
    const resource = KINDS.find(({kind}) => kind === each.kind)!
    if (charted && resource !== CRDS && resource !== NAMESPACES)
      await transferFieldOwnership(resource, each, objects)
    else if (resource !== CRDS || !newer.includes(each.metadata.name))
      await objects.apply(resource, each, {manager: MANAGER})
  }
  if (charted) {
    await installRelease(charted, records)
    await deleteWorkers(made, objects)
  }
  await revokeStaleRights(made, objects)
  return newer
}

/** Who applies an object on the server side. */
const MANAGER = 'kk'

interface Managed {
  readonly metadata: {
    readonly managedFields?: readonly {readonly manager?: string; readonly operation?: string}[]
  }
}

/** Makes helm the manager of an object's fields that kk has applied by itself: a field that goes from the chart would stay. */
async function transferFieldOwnership(
  resource: Resource,
  {metadata: {namespace = '', name}}: KubernetesObject,
  objects: Pick<Objects, 'read' | 'merge'>,
): Promise<void> {
  const found = await objects.read<Managed>(resource, {namespace, name})
  const fields = found?.metadata.managedFields ?? []
  const managedFields = fields.map((each) =>
    each.manager === MANAGER && each.operation === 'Apply' ? {...each, manager: 'helm'} : each,
  )
  if (managedFields.some((each, index) => each !== fields[index]))
    await objects.merge(resource, {namespace, name}, {metadata: {managedFields}})
}

/** Of helm, which does not wait for what it applies. */
const TIMEOUT_SECONDS = 300

/** Installs or upgrades the release of the operator; objects of it that were applied without helm become helm's. */
async function installRelease({helm, call}: ChartRelease, records: Pick<Records, 'stored'>): Promise<void> {
  const last = await records.stored(releaseId(call.namespace, call.name))
  const options = {timeoutSeconds: TIMEOUT_SECONDS, labels: {}, takeOwnership: true}
  if (last === undefined || last.status === 'uninstalled')
    await helm.install(call, {...options, forceConflicts: true, replace: last !== undefined})
  else await helm.upgrade(call, {...options, forceConflicts: last.applyMethod === 'ssa'})
}

/** Takes back what accounts that were installed may do no longer, also in namespaces that are named no more. */
async function revokeStaleRights(
  made: readonly KubernetesObject[],
  objects: Pick<Objects, 'delete' | 'list'>,
): Promise<void> {
  const accounts = made.filter(({kind}) => kind === ACCOUNTS.kind).map(({metadata}) => metadata.name)
  const objectKey = ({kind, metadata}: KubernetesObject) =>
    `${kind} ${metadata.namespace ?? ''}/${metadata.name}`
  const kept = new Set(made.map(objectKey))
  for (const [resource, namespace, name] of await listRights(accounts, objects))
    if (!kept.has(objectKey({...resource, metadata: {namespace, name}})))
      await objects.delete(resource, {namespace, name})
}

function namespaceObjects(names: readonly string[]): readonly KubernetesObject[] {
  const {apiVersion, kind} = NAMESPACES
  const object = (name: string, labels = {}) => ({apiVersion, kind, metadata: {name, labels}})
  const restricted = {'pod-security.kubernetes.io/enforce': 'restricted'}
  return [object(KK_NAMESPACE, restricted), ...names.map((name) => object(name))]
}
