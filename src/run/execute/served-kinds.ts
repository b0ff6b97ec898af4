import type {ApiServer} from '../../kubernetes/api/api-server.ts'
import {definedKinds} from '../../kubernetes/inventory/custom-kinds.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import type {Execution} from './execution.ts'

const POLL_INTERVAL_MS = 200
/** As long as helm waits for the definitions in `crds/`. */
const MAX_WAIT_MS = 60_000

/**
 * Returns true if the API server serves every kind that these objects define; a definition exists some time
 * before that.
 */
export async function areServed(
  apiServer: ApiServer,
  objects: readonly KubernetesObject[],
): Promise<boolean> {
  const defined = definedKinds(objects)
  if (defined.length === 0) return true
  const served = new Set(await apiServer.customKinds())
  return defined.every((each) => served.has(each))
}

/**
 * Waits until the kinds that a release defines are served, because its dependents may start then, and their
 * helm would not find them. The wait is limited, because a kind whose name is taken is never served.
 */
export async function awaitServed(
  {cluster, clock, controls, deadline}: Pick<Execution, 'cluster' | 'clock' | 'controls' | 'deadline'>,
  objects: readonly KubernetesObject[],
): Promise<void> {
  const end = Math.min(deadline, clock.now() + MAX_WAIT_MS)
  while (!(await areServed(cluster.apiServer, objects).catch(() => false))) {
    controls.onProgress('gate', 'waiting until its kinds are served')
    if (clock.now() >= end || !(await clock.wait(POLL_INTERVAL_MS, controls.signal))) return
  }
}
