import {collectors} from '../../audit/gather.ts'
import {readVersions, type Versions} from '../../audit/versions.ts'
import type {Environment} from '../../environment/environment.ts'
import type {Cluster} from '../../kubernetes/cluster.ts'
import {deployedReleases} from '../deployed-releases.ts'

interface VersionsOptions {
  readonly environment: Environment
  /** The names of releases; all if empty. */
  readonly names: readonly string[]
  /** The directory of kk's own files, which has the collectors. */
  readonly files: string
}

/** Reads the versions of images, services, schemas and QEMU of an environment in the pods of its releases. */
export async function cloudVersions(
  cluster: Pick<Cluster, 'exec' | 'records'>,
  {environment, names, files}: VersionsOptions,
): Promise<Versions> {
  const all = await deployedReleases(cluster, environment)
  const releases = names.length === 0 ? all : all.filter(({name}) => names.includes(name))
  return readVersions({exec: cluster.exec, program: collectors(files)}, {releases})
}
