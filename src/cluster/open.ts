import {clusterAccess} from './api/access.ts'
import {openClient} from './api/client.ts'
import {discoverKinds} from './api/discovery.ts'
import {readIdentity} from './api/identity.ts'
import type {KubeconfigOptions} from './api/kubeconfig.ts'
import type {Cluster} from './cluster.ts'
import {listCustomKinds} from './custom-kinds.ts'
import {openDiagnosis} from './diagnosis/open.ts'
import {dryApplyObjects} from './drift/dry-apply.ts'
import {listScaleTargets} from './drift/scale-targets.ts'
import {allExist} from './exist.ts'
import type {Gating} from './gate/evaluate.ts'
import {waitForHealth} from './gate/gate.ts'
import {healthByLists} from './gate/health-now.ts'
import {maySee} from './gate/may-see.ts'
import {NO_RULES, type ReadinessRules} from './gate/readiness/rules.ts'
import {watchHookObjects} from './gate/watch-hooks.ts'
import {openGuard} from './guard/open.ts'
import {useIntents} from './intents/intents.ts'
import {readInventory} from './inventory/read-inventory.ts'
import {deleteFailedJobs, listFailedJobs} from './jobs/failed-jobs.ts'
import {holdLease} from './lease/hold.ts'
import {createNamespace} from './lease/lease.ts'
import {viewLease, viewLeases} from './lease/view.ts'
import {withOperation} from './lease/with-operation.ts'
import {missingByLists} from './missing.ts'
import {namespaceExists} from './namespace-exists.ts'
import {imagePulls} from './pulls/image-pulls.ts'
import {helmRecords} from './records/records.ts'
import {deleteClaim, listClaims} from './removal/claims.ts'
import {deleteObject} from './removal/delete-object.ts'
import {keepObject} from './removal/keep-object.ts'
import {presentObjects} from './removal/present.ts'
import {runRecords} from './runs/runs.ts'
import {keptSecrets} from './secrets/kept-secrets.ts'
import {validateObjects} from './validate.ts'
import {ringOnChange} from './watch/ring-on-change.ts'
import {openWatches} from './watch/watches.ts'

interface ClusterOptions extends KubeconfigOptions {
  /** When custom resources are ready, where their conditions do not say. */
  readonly readiness?: ReadinessRules | undefined
}

/** The cluster of a kubeconfig context. Reads the kubeconfig and asks nothing of the cluster. Throws `KK_KUBECONFIG`. */
export async function openCluster({
  readiness: rules = NO_RULES,
  ...options
}: ClusterOptions): Promise<Cluster> {
  const access = clusterAccess(options)
  const client = openClient(access)
  const watches = openWatches(client)
  const discovery = discoverKinds(client)
  const gating: Gating = {
    discovery,
    rules,
    maySee: (...of) => maySee(client, ...of),
    now: client.now,
  }
  return {
    context: access.context,
    server: access.server,
    kubeconfig: access.kubeconfig,
    identity: () => readIdentity(client),
    ...helmRecords(client),
    customKinds: () => listCustomKinds(discovery),
    validate: (options) => validateObjects(client, discovery, options),
    health: healthByLists(client, gating),
    gate: (gate) => waitForHealth(client, {watches, ...gating}, gate),
    watchHooks: (hooks) => watchHookObjects(client, watches, hooks),
    makeNamespace: (name) => createNamespace(client, name),
    hasNamespace: (name) => namespaceExists(client, name),
    failedJobs: (namespace, objects) => listFailedJobs(client, namespace, objects),
    deleteFailedJobs: (namespace, objects) => deleteFailedJobs(client, namespace, objects),
    exist: (namespace, objects) => allExist(client, discovery, namespace, objects),
    present: (namespace, objects) => presentObjects(client, discovery, namespace, objects),
    missing: missingByLists(client, discovery),
    dryApply: (options) => dryApplyObjects(client, discovery, options),
    scaleTargets: (namespace) => listScaleTargets(client, namespace),
    deleteObject: (object) => deleteObject(client, discovery, object),
    claims: (namespace) => listClaims(client, namespace),
    keepObject: (namespace, object) => keepObject(client, discovery, namespace, object),
    deleteClaim: (claim) => deleteClaim(client, claim),
    hold: async (release, holder, deadline, onHeld) =>
      withOperation(await holdLease(client, {release, holder, deadline, ...(onHeld && {onHeld})}), client),
    onChange: (signal, ring) => ringOnChange(client, signal, ring),
    leases: () => viewLeases(client),
    lease: (release) => viewLease(client, release),
    now: client.now,
    inventory: (part) => readInventory(client, part),
    pulls: imagePulls(client),
    runs: runRecords(client),
    secrets: keptSecrets(client),
    guard: openGuard(client),
    diagnosis: openDiagnosis(client, discovery),
    intents: useIntents(client),
    async close() {
      watches.close()
      client.close()
    },
  }
}
