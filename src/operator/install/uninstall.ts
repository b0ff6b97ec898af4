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
import {RELEASE} from '../crds/release.ts'
import {expectServed} from '../crds/versions.ts'
import {TASK_LABEL} from '../workers/task-secret.ts'
import {listRights} from './rights.ts'
import {deleteWorkers, NAME, WORKER_NAME} from './shape.ts'

/** The names of the operator's kinds. */
export const CRD_NAMES = [ENVIRONMENT, RELEASE].map(crdName)

/** The annotation of a kind that may be deleted, with every object of it: the chart's policy denies it otherwise. */
export const ALLOW_REMOVAL = 'kk.openstack.org/allow-removal'

type UninstallCluster = {readonly apiServer: ApiServer; readonly leases: Leases} & {
  readonly objects: Pick<Objects, 'delete' | 'list' | 'merge' | 'read'>
}

/** Returns the names of the Environments that go with the operator. */
export async function environmentNames({
  objects,
}: Pick<UninstallCluster, 'objects'>): Promise<readonly string[]> {
  return (await environmentsIn(objects)).map(({metadata}) => metadata.name)
}

/**
 * Deletes the operator, once nothing of it runs any more. Releases stay as they are, and the command line drives their environments again.
 * `until` is in milliseconds since the epoch. Throws `KK_KINDS`, and `KK_HELD` if something of it still runs by then.
 */
export async function uninstallOperator(
  cluster: UninstallCluster,
  {until}: {readonly until: number},
): Promise<void> {
  const {objects} = cluster
  await expectServed(cluster.apiServer)
  await stopWork(cluster, until)
  // Nobody would be there to let them go.
  for (const {metadata, spec} of await environmentsIn(objects)) {
    const {name, finalizers = []} = metadata
    if (!spec.cluster) await releaseClaim({name}, {cluster, isOwn: true})
    if (!finalizers.includes(REMOVAL_FINALIZER)) continue
    const kept = finalizers.filter((each) => each !== REMOVAL_FINALIZER)
    await objects.merge(ENVIRONMENTS, {namespace: KK_NAMESPACE, name}, {metadata: {finalizers: kept}})
  }
  // The API server goes on to enforce a policy for a while after it is deleted.
  for (const name of CRD_NAMES) {
    const place = {namespace: '', name}
    if (await objects.read(CRDS, place))
      await objects.merge(CRDS, place, {metadata: {annotations: {[ALLOW_REMOVAL]: 'true'}}})
  }
  await deleteWorkers([], objects)
  for (const [resource, namespace, name] of await listOperatorObjects(objects))
    await objects.delete(resource, {namespace, name})
}

/** Suspends all Environments, and resolves once a leading operator has said of each that it does nothing to it. */
async function stopWork(cluster: UninstallCluster, until: number): Promise<void> {
  const {objects} = cluster
  for (const {metadata, spec} of await environmentsIn(objects)) {
    const place = {namespace: KK_NAMESPACE, name: metadata.name}
    if (!spec.suspend) await objects.merge(ENVIRONMENTS, place, {spec: {suspend: true}})
  }
  let busy: readonly string[] = []
  const isStill = async () => {
    if (!(await hasLeader(cluster.leases))) return true
    busy = (await environmentsIn(objects)).filter(isBusy).map(({metadata}) => metadata.name)
    return busy.length === 0
  }
  if (await pollUntil(isStill, {interval: POLL_INTERVAL_MS, deadline: until})) return
  throw new KkError('KK_HELD', `the operator is still at work on ${busy.join(', ')}; it was not taken away`, {
    hint: `see what it does: kk operator status ${busy[0]}; it is paused once that has ended: then try again`,
  })
}

/** One that is being deleted goes once its releases are removed, or left: those that are suspended by then are. */
function isBusy(environment: EnvironmentObject): boolean {
  const {deletionTimestamp, finalizers = []} = environment.metadata
  return deletionTimestamp ? finalizers.includes(REMOVAL_FINALIZER) : !isPaused(environment)
}

async function environmentsIn(objects: Pick<Objects, 'list'>): Promise<readonly EnvironmentObject[]> {
  return (await objects.list<EnvironmentObject>(ENVIRONMENTS, KK_NAMESPACE)) ?? []
}

/**
 * Returns what is left of the operator when it goes: its kinds, with the objects of them, all that it runs by, helm's records of it,
 * and orders to children.
 */
async function listOperatorObjects(
  objects: Pick<Objects, 'list'>,
): Promise<readonly (readonly [Resource, string, string])[]> {
  const rights = await listRights([NAME, WORKER_NAME], objects)
  const places = [...new Set(rights.map(([, namespace]) => namespace))].filter(Boolean)
  const orders = await Promise.all(
    places.map(async (place) => (await objects.list<Named>(SECRETS, place, TASK_LABEL)) ?? []),
  )
  const records = await objects.list<Named>(SECRETS, KK_NAMESPACE, `owner=helm,name=${NAME}`)
  return [
    [DEPLOYMENTS, KK_NAMESPACE, NAME],
    [POLICY_BINDINGS, '', NAME],
    [POLICIES, '', NAME],
    ...CRD_NAMES.map((name) => [CRDS, '', name] as const),
    ...[...orders.flat(), ...(records ?? [])].map(
      ({metadata: {namespace, name}}) => [SECRETS, namespace, name] as const,
    ),
    ...rights,
    ...[NAME, WORKER_NAME].map((account) => [ACCOUNTS, KK_NAMESPACE, account] as const),
  ]
}

interface Named {
  readonly metadata: {readonly namespace: string; readonly name: string}
}
