import type {Cluster} from '../../../cluster/cluster.ts'
import {parseManifest, type RenderedObject} from '../../../cluster/manifest.ts'
import {mapParallel} from '../../../cluster/parallel.ts'
import type {ReleaseId} from '../../../release.ts'
import {KUBE_VERSION} from '../../preparation/inference/facts-of-releases.ts'

const READERS = 8

/** What helm deployed with the last revision of a release, hooks left out. */
export interface DeployedRelease {
  readonly revision: number
  readonly objects: readonly RenderedObject[]
}

/** What charts can ask of a cluster, and what is deployed there. */
export interface ExaminedCluster {
  readonly kubeVersion: string
  /** The custom kinds that it serves, as `helm template --api-versions` takes them. */
  readonly kinds: readonly string[]
  readonly deployed: ReadonlyMap<ReleaseId, DeployedRelease>
}

/** Where charts are examined: on a cluster or, without one, nowhere in particular. */
export async function placeOf(
  releases: readonly ReleaseId[],
  cluster: Pick<Cluster, 'identity' | 'customKinds' | 'stored'> | undefined,
): Promise<ExaminedCluster> {
  if (!cluster) return {kubeVersion: KUBE_VERSION, kinds: [], deployed: new Map()}
  const [{version: kubeVersion}, kinds, deployed] = await Promise.all([
    cluster.identity(),
    cluster.customKinds(),
    mapParallel(releases, READERS, (release) => deployedRelease(release, cluster)),
  ])
  return {kubeVersion, kinds, deployed: new Map(deployed.flat())}
}

/** Whoever installed it; none where it is not there. */
async function deployedRelease(
  release: ReleaseId,
  cluster: Pick<Cluster, 'stored'>,
): Promise<readonly (readonly [ReleaseId, DeployedRelease])[]> {
  const stored = await cluster.stored(release)
  if (!stored) return []
  const objects = parseManifest(stored.manifest).map((object) => ({object, file: ''}))
  return [[release, {revision: stored.revision, objects}]]
}
