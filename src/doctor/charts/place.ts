import {mapParallel} from '../../base/parallel.ts'
import type {ApiServer} from '../../kubernetes/api/api-server.ts'
import {parseManifest, type RenderedObject} from '../../kubernetes/manifest/manifest.ts'
import type {Records} from '../../kubernetes/records/records.ts'
import {KUBE_VERSION} from '../../prepare/inference/facts-of-releases.ts'
import type {ReleaseId} from '../../release.ts'

/** The objects that helm deployed with the last revision of a release, without hooks. */
export interface DeployedRelease {
  readonly revision: number
  readonly objects: readonly RenderedObject[]
}

/** The facts of a cluster that charts can read, and the deployed releases. */
export interface ExaminedCluster {
  readonly kubeVersion: string
  /** The custom kinds that it serves, in the format of `helm template --api-versions`. */
  readonly kinds: readonly string[]
  readonly deployed: ReadonlyMap<ReleaseId, DeployedRelease>
}

/**
 * Reads the cluster for the examination of charts; without one, returns defaults and no deployed releases.
 */
export async function readCluster(
  releases: readonly ReleaseId[],
  cluster: {readonly apiServer: ApiServer; readonly records: Records} | undefined,
): Promise<ExaminedCluster> {
  if (!cluster) return {kubeVersion: KUBE_VERSION, kinds: [], deployed: new Map()}
  const [{version: kubeVersion}, kinds, deployed] = await Promise.all([
    cluster.apiServer.identity(),
    cluster.apiServer.customKinds(),
    mapParallel(releases, (release) => deployedRelease(release, cluster.records)),
  ])
  return {kubeVersion, kinds, deployed: new Map(deployed.flat())}
}

/**
 * Returns the deployed revision of a release, installed by kk or another tool; empty if it is not installed.
 */
async function deployedRelease(
  release: ReleaseId,
  records: Records,
): Promise<readonly (readonly [ReleaseId, DeployedRelease])[]> {
  const stored = await records.stored(release)
  if (!stored) return []
  const objects = parseManifest(stored.manifest).map((object) => ({object, file: ''}))
  return [[release, {revision: stored.revision, objects}]]
}
