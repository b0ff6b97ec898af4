import {setTimeout as wait} from 'node:timers/promises'
import {mapParallel} from '../base/parallel.ts'
import {NO_RULES, type ReadinessRules} from '../base/readiness.ts'
import {clusterAccess} from './api/access.ts'
import {isApiError} from './api/api-error.ts'
import {type ApiClient, type ApiRequest, openClient} from './api/client.ts'
import {type Discovery, discoverKinds} from './api/discovery.ts'
import {expectReady, readIdentity} from './api/identity.ts'
import type {KubeconfigOptions} from './api/kubeconfig.ts'
import {METADATA} from './api/list.ts'
import {type ContainerPlace, readLog} from './api/log.ts'
import {asking, LEASES, NAMESPACES, type Resource, readObject, resourcePath} from './api/resources.ts'
import type {Cluster, KubernetesObject} from './cluster.ts'
import {openDiagnosis} from './diagnosis/open.ts'
import {correctObjects, dryApplyObjects} from './dry-run/dry-apply.ts'
import {validateObjects} from './dry-run/validate.ts'
import type {Gating} from './gate/evaluate.ts'
import {deleteFailedJobs, listFailedJobs} from './gate/failed-jobs.ts'
import {waitForHealth} from './gate/gate.ts'
import {healthByLists} from './gate/health-now.ts'
import type {Observed} from './gate/kinds/observed.ts'
import {readNodeRolls} from './gate/read-node-rolls.ts'
import {listScaleTargets} from './gate/scale-targets.ts'
import {watchHookObjects} from './gate/watch-hooks.ts'
import type {Guard} from './guard/guard.ts'
import {keptObjects, listedClaims} from './guard/objects.ts'
import {isSupported, readParameters, readState} from './guard/read.ts'
import {installGuard, removeGuard, writeApprovals} from './guard/write.ts'
import {imagePulls} from './image-pulls.ts'
import {listCustomKinds} from './inventory/custom-kinds.ts'
import {readInventory} from './inventory/inventory.ts'
import {readDriver} from './lease/driver.ts'
import {holdLease} from './lease/hold.ts'
import {createNamespace, KK_NAMESPACE} from './lease/lease.ts'
import {viewLease, viewLeases} from './lease/view.ts'
import {KEPT} from './manifest/helm-view.ts'
import {apiGroup} from './manifest/manifest.ts'
import {takeFluxFields} from './objects/helm-release.ts'
import {createJobOf} from './objects/instantiate.ts'
import {missingByLists} from './objects/missing.ts'
import {openObjects} from './objects/objects.ts'
import {deleteClaim, listClaims, presentObjects} from './objects/removal.ts'
import {reviewAccess} from './permissions/access.ts'
import {keptSecrets} from './records/kept-secrets.ts'
import {OF_HELM} from './records/record.ts'
import {helmRecords} from './records/records.ts'
import {runRecords} from './records/runs.ts'
import {useReservations} from './reservations/reservations.ts'
import {openWatches} from './watch/watches.ts'

interface ClusterOptions extends KubeconfigOptions {
  /** The rules by which custom resources are ready, if their conditions do not tell. */
  readonly readiness?: ReadinessRules | undefined
}

/**
 * Returns the cluster of a kubeconfig context. Reads the kubeconfig and asks the cluster nothing. Throws
 * `KK_KUBECONFIG`.
 */
export async function openCluster({
  readiness: rules = NO_RULES,
  ...options
}: ClusterOptions): Promise<Cluster> {
  const access = clusterAccess(options)
  const client = openClient(access)
  const watches = openWatches(client)
  const discovery = discoverKinds(client)
  const scaleTargets = (namespace: string) => listScaleTargets(client, discovery, namespace)
  const gating: Gating = {
    discovery,
    rules,
    maySee: (...of) => maySee(client, ...of),
    scaleTargets,
    now: client.now,
  }
  return {
    context: access.context,
    server: access.server,
    kubeconfig: access.kubeconfig,
    helmContext: access.isOfPod ? undefined : access.context,
    identity: () => readIdentity(client),
    expectReady: () => expectReady(client),
    ...helmRecords(client),
    customKinds: () => listCustomKinds(discovery),
    validate: (options) => validateObjects(client, discovery, options),
    health: healthByLists(client, gating),
    gate: (gate) => waitForHealth(client, {watches, ...gating}, gate),
    watchHooks: (hooks) => watchHookObjects(client, watches, hooks),
    log: (namespace, pod, container) => wholeLog(client, {namespace, pod, container}),
    makeNamespace: (name) => createNamespace(client, name),
    hasNamespace: async (name) => (await namespaceState(client, name)) !== 'missing',
    isNamespaceGoing: async (name) => (await namespaceState(client, name)) === 'going',
    failedJobs: (namespace, objects) => listFailedJobs(client, namespace, objects),
    deleteFailedJobs: (namespace, objects) => deleteFailedJobs(client, namespace, objects),
    createJobOf: (job) => createJobOf(client, job),
    nodeRolls: (namespace, objects) => readNodeRolls(client, namespace, objects),
    exist: (namespace, objects) => allExist(client, discovery, namespace, objects),
    present: (namespace, objects) => presentObjects(client, discovery, namespace, objects),
    missing: missingByLists(client, discovery),
    dryApply: (options) => dryApplyObjects(client, discovery, options),
    correct: (options) => correctObjects(client, discovery, options),
    takeFluxFields: (namespace, objects) => takeFluxFields(client, discovery, {namespace, objects}),
    scaleTargets,
    deleteObject: (object) => deleteObject(client, discovery, object),
    claims: (namespace) => listClaims(client, namespace),
    keepObject: (namespace, object) => keepObject(client, discovery, namespace, object),
    deleteClaim: (claim) => deleteClaim(client, claim),
    hold: (release, holder, deadline, waiting) => holdLease(client, {release, holder, deadline, ...waiting}),
    onChange: (signal, ring) => ringOnChange(client, signal, ring),
    leases: () => viewLeases(client),
    lease: (release) => viewLease(client, release),
    driver: (environment) => readDriver(client, environment),
    now: client.now,
    inventory: (part) => readInventory(client, part),
    objects: openObjects(client),
    pulls: imagePulls(client),
    runs: runRecords(client),
    secrets: keptSecrets(client),
    guard: openGuard(client),
    diagnosis: openDiagnosis(client, discovery),
    reservations: useReservations(client),
    async close() {
      watches.close()
      client.close()
    },
  }
}

/** `unknown` if it may not be read. */
async function namespaceState(
  client: ApiClient,
  name: string,
): Promise<'there' | 'going' | 'missing' | 'unknown'> {
  try {
    const found = await readObject<Observed>(client, NAMESPACES, {namespace: '', name, accept: METADATA})
    if (!found) return 'missing'
    return found.metadata.deletionTimestamp === undefined ? 'there' : 'going'
  } catch (error) {
    if (isApiError(error, 403)) return 'unknown'
    throw error
  }
}

/** Returns all lines that a container has logged. */
async function wholeLog(client: ApiClient, place: ContainerPlace): Promise<readonly string[]> {
  return (await readLog(client, place, {timeoutMilliseconds: 60_000})).split('\n')
}

/** Whether the user may read, list and watch the objects of a kind in a namespace. */
async function maySee(
  client: ApiClient,
  {apiVersion, plural}: Resource,
  namespace: string,
): Promise<boolean> {
  const group = apiGroup(apiVersion)
  const accesses = ['get', 'list', 'watch'].map((verb) => ({group, resource: plural, verb, namespace}))
  return (await reviewAccess(client, accesses)).every(Boolean)
}

/** Returns the guard of the client's cluster. */
export function openGuard(client: ApiClient): Guard {
  return {
    supported: () => isSupported(client),
    read: () => readState(client),
    parameters: () => readParameters(client),
    claims: (releases) => listedClaims(client, releases),
    objects: (release, options) => keptObjects(client, release, options),
    install: (parameters, resourceVersion) => installGuard(client, parameters, resourceVersion),
    approve: (approvals, parameters, resourceVersion) =>
      writeApprovals(client, approvals, parameters, resourceVersion),
    remove: () => removeGuard(client),
  }
}

/** Whether every object exists; an object of a kind that the cluster does not know does not. */
async function allExist(
  client: ApiClient,
  discovery: Discovery,
  namespace: string,
  objects: readonly KubernetesObject[],
): Promise<boolean> {
  const found = await mapParallel(objects, async ({apiVersion, kind, metadata}) => {
    const resource = await discovery.find(apiVersion, kind)
    if (resource === undefined) return false
    const at = {namespace: metadata.namespace ?? namespace, name: metadata.name, accept: METADATA}
    return (await readObject(client, resource, at)) !== undefined
  })
  return found.every(Boolean)
}

/**
 * Marks an object so that helm leaves it (kube.Client.Update reads the live object). Returns false if it does not
 * exist, and so needs no mark.
 */
async function keepObject(
  client: ApiClient,
  discovery: Discovery,
  home: string,
  {apiVersion, kind, metadata: {name, namespace = home}}: KubernetesObject,
): Promise<boolean> {
  const resource = await discovery.find(apiVersion, kind)
  if (resource === undefined) return false
  try {
    await client.json({
      method: 'PATCH',
      path: resourcePath(resource, namespace, name),
      contentType: 'application/merge-patch+json',
      body: {metadata: {annotations: KEPT}},
      asked: asking('patch', resource, namespace, name),
    })
    return true
  } catch (error) {
    if (isApiError(error, 404)) return false
    throw error
  }
}

/** Deletes exactly the object that was seen, and in the background what it owns. Returns false if it is gone. */
async function deleteObject(
  client: ApiClient,
  discovery: Discovery,
  {apiVersion, kind, namespace, name, uid}: Parameters<Cluster['deleteObject']>[0],
): Promise<boolean> {
  const resource = await discovery.find(apiVersion, kind)
  if (resource === undefined) return false
  try {
    await client.json({
      method: 'DELETE',
      path: resourcePath(resource, namespace, name),
      body: {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        propagationPolicy: 'Background',
        preconditions: {uid},
      },
      asked: asking('delete', resource, namespace, name),
    })
    return true
  } catch (error) {
    if (!isApiError(error, 404, 409)) throw error
    return false
  }
}

const WATCH_SECONDS = 300
const PAUSE = 5_000

const WATCHED: readonly ApiRequest[] = [
  {
    path: '/api/v1/secrets',
    query: {...OF_HELM, labelSelector: 'owner=helm'},
    asked: 'watch secrets in all namespaces',
  },
  {path: resourcePath(LEASES, KK_NAMESPACE), asked: `watch leases in namespace ${KK_NAMESPACE}`},
]

/**
 * Calls `ring` when a record of helm or a Lease of kk changes, by watches of their metadata. It does not tell what
 * happened: the caller looks again. Objects that may not be watched, or whose API server does not answer, do not ring,
 * and are tried again.
 */
function ringOnChange(client: ApiClient, signal: AbortSignal, ring: () => void): void {
  for (const watched of WATCHED) void follow(client, watched, signal, ring)
}

async function follow(
  client: ApiClient,
  request: ApiRequest,
  signal: AbortSignal,
  ring: () => void,
): Promise<void> {
  const query = {...request.query, watch: 'true', timeoutSeconds: WATCH_SECONDS}
  while (!signal.aborted) {
    try {
      for await (const _ of await client.lines({...request, query, accept: METADATA, signal})) ring()
    } catch {
      await wait(PAUSE, undefined, {signal}).catch(() => undefined)
    }
  }
}
