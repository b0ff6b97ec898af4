import {KkError} from '../../base/errors.ts'
import {pollUntil} from '../../base/poll.ts'
import type {ApiServer} from '../../kubernetes/api/api-server.ts'
import {DEPLOYMENTS, type Resource, SECRETS} from '../../kubernetes/api/resources.ts'
import {POLICIES, BINDINGS as POLICY_BINDINGS} from '../../kubernetes/guard/names.ts'
import {KK_NAMESPACE} from '../../kubernetes/lease/lease.ts'
import type {Leases} from '../../kubernetes/lease/leases.ts'
import type {Objects} from '../../kubernetes/objects/objects.ts'
import {ACCOUNTS} from '../../kubernetes/permissions/account.ts'
import {hasLeader, isPaused, POLL_INTERVAL_MS} from '../client/environment-commands.ts'
import {releaseClaim} from '../cluster-connections.ts'
import {CRDS, crdName} from '../crds/crd.ts'
import {ENVIRONMENT, ENVIRONMENTS, type EnvironmentObject, REMOVAL_FINALIZER} from '../crds/environment.ts'
import {NODE_OPERATION, NODE_OPERATIONS, type NodeOperationObject} from '../crds/node-operation.ts'
import {RELEASE} from '../crds/release.ts'
import {expectServed} from '../crds/versions.ts'
import {TASK_LABEL} from '../workers/task-secret.ts'
import {listRights} from './rights.ts'
import {deleteWorkers, NAME, WORKER_NAME} from './shape.ts'

/** The names of the operator's CRDs. */
export const CRD_NAMES = [ENVIRONMENT, RELEASE, NODE_OPERATION].map(crdName)

/**
 * The annotation that permits the deletion of a CRD with all its objects; without it the chart's policy
 * denies the deletion.
 */
export const ALLOW_REMOVAL = 'kk.openstack.org/allow-removal'

type UninstallCluster = {readonly apiServer: ApiServer; readonly leases: Leases} & {
  readonly objects: Pick<Objects, 'delete' | 'list' | 'merge' | 'read'>
}

/** Returns the names of all Environments, which are deleted with the operator. */
export async function environmentNames({
  objects,
}: Pick<UninstallCluster, 'objects'>): Promise<readonly string[]> {
  return (await environmentsIn(objects)).map(({metadata}) => metadata.name)
}

/**
 * Deletes the operator once its runs have ended. Releases are not changed, and the command line can manage
 * their environments again. `until` is in milliseconds since the epoch. Throws `KK_KINDS`, and `KK_HELD` if a
 * run has not ended by then.
 */
export async function uninstallOperator(
  cluster: UninstallCluster,
  {until}: {readonly until: number},
): Promise<void> {
  const {objects} = cluster
  await expectServed(cluster.apiServer)
  await stopWork(cluster, until)
  // Without the operator no process would remove the finalizers.
  for (const {metadata, spec} of await environmentsIn(objects)) {
    const {name, finalizers = []} = metadata
    if (!spec.cluster) await releaseClaim({name}, {cluster, isOwn: true})
    if (!finalizers.includes(REMOVAL_FINALIZER)) continue
    const remaining = finalizers.filter((each) => each !== REMOVAL_FINALIZER)
    await objects.merge(ENVIRONMENTS, {namespace: KK_NAMESPACE, name}, {metadata: {finalizers: remaining}})
  }
  // The API server enforces a policy for a while after its deletion.
  for (const name of CRD_NAMES) {
    const place = {namespace: '', name}
    if (await objects.read(CRDS, place))
      await objects.merge(CRDS, place, {metadata: {annotations: {[ALLOW_REMOVAL]: 'true'}}})
  }
  await deleteWorkers([], objects)
  for (const [resource, namespace, name] of await listOperatorObjects(objects))
    await objects.delete(resource, {namespace, name})
}

/** Suspends all Environments, and resolves once each is paused, or if the operator has no leader. */
async function stopWork(cluster: UninstallCluster, until: number): Promise<void> {
  const {objects} = cluster
  for (const {metadata, spec} of await environmentsIn(objects)) {
    const place = {namespace: KK_NAMESPACE, name: metadata.name}
    if (!spec.suspend) await objects.merge(ENVIRONMENTS, place, {spec: {suspend: true}})
  }
  let busy: readonly string[] = []
  const isIdle = async () => {
    if (!(await hasLeader(cluster.leases))) return true
    const operations = (await objects.list<NodeOperationObject>(NODE_OPERATIONS, KK_NAMESPACE)) ?? []
    const begun = operations.filter(({status}) => status?.started && !status.finished)
    busy = [...(await environmentsIn(objects)).filter(isBusy), ...begun].map(({metadata}) => metadata.name)
    return busy.length === 0
  }
  if (await pollUntil(isIdle, {interval: POLL_INTERVAL_MS, deadline: until})) return
  throw new KkError(
    'KK_HELD',
    `the operator is still working on ${busy.join(', ')}; it was not uninstalled`,
    {
      hint: `see what it runs: kk operator status ${busy[0]}; it pauses once that has ended: then try again`,
    },
  )
}

/** Returns whether an Environment is not paused, or waits for its finalizer; a suspended one is orphaned. */
function isBusy(environment: EnvironmentObject): boolean {
  const {deletionTimestamp, finalizers = []} = environment.metadata
  return deletionTimestamp ? finalizers.includes(REMOVAL_FINALIZER) : !isPaused(environment)
}

async function environmentsIn(objects: Pick<Objects, 'list'>): Promise<readonly EnvironmentObject[]> {
  return (await objects.list<EnvironmentObject>(ENVIRONMENTS, KK_NAMESPACE)) ?? []
}

/**
 * Lists the objects to delete, in order: Deployment, policy, CRDs, tasks of workers, Helm records of the
 * operator, rights and accounts.
 */
async function listOperatorObjects(
  objects: Pick<Objects, 'list'>,
): Promise<readonly (readonly [Resource, string, string])[]> {
  const rights = await listRights([NAME, WORKER_NAME], objects)
  const namespaces = [...new Set(rights.map(([, namespace]) => namespace))].filter(Boolean)
  const tasks = await Promise.all(
    namespaces.map(
      async (namespace) => (await objects.list<NamedObject>(SECRETS, namespace, TASK_LABEL)) ?? [],
    ),
  )
  const records = await objects.list<NamedObject>(SECRETS, KK_NAMESPACE, `owner=helm,name=${NAME}`)
  return [
    [DEPLOYMENTS, KK_NAMESPACE, NAME],
    [POLICY_BINDINGS, '', NAME],
    [POLICIES, '', NAME],
    ...CRD_NAMES.map((name) => [CRDS, '', name] as const),
    ...[...tasks.flat(), ...(records ?? [])].map(
      ({metadata: {namespace, name}}) => [SECRETS, namespace, name] as const,
    ),
    ...rights,
    ...[NAME, WORKER_NAME].map((account) => [ACCOUNTS, KK_NAMESPACE, account] as const),
  ]
}

interface NamedObject {
  readonly metadata: {readonly namespace: string; readonly name: string}
}
