import {mapParallel} from '../../base/parallel.ts'
import {readChartFiles} from '../../charts/files/chart-files.ts'
import type {Environment} from '../../environment/environment.ts'
import type {Cluster} from '../../kubernetes/cluster.ts'
import {lastRevisions} from '../../kubernetes/records/record.ts'
import type {ReleaseRecord} from '../../kubernetes/records/release-record.ts'
import {ownersOf, readLabels} from '../../plan/labels.ts'
import type {Prepared} from '../../prepare/prepare.ts'
import {visibleRevisions} from '../../prepare/visible-revisions.ts'
import type {ReleaseId} from '../../release.ts'
import {type ReleaseDrift, releaseDrift} from './drift.ts'
import {noSuchOwner} from './no-such-owner.ts'
import {releasesOnCluster} from './release-on-cluster.ts'

export interface DriftRequest {
  /** The names on the command line; all releases of the owner if empty. */
  readonly names: readonly string[]
  /** The name of the environment; all releases that kk installed if undefined. */
  readonly owner: string | undefined
  readonly environment: Environment | undefined
  /** The environment with its charts, if a file was named. */
  readonly prepared: Prepared | undefined
}

/**
 * Compares releases with the cluster. Throws `KK_UNKNOWN_RELEASE`; `KK_USAGE` for a name that matches several
 * releases, and for an environment without a file that has no release on the cluster.
 */
export async function drift(
  cluster: Cluster,
  {names, owner, environment, prepared}: DriftRequest,
): Promise<readonly ReleaseDrift[]> {
  const {revisions} = await visibleRevisions(cluster, {names, owner, environment})
  const releases = chosen([...lastRevisions(revisions).values()], {names, owner, environment})
  return mapParallel(releases, (release) => {
    const chart = prepared?.releases.get(release)?.chart
    return releaseDrift(cluster, {release, revisions, crds: chart && crdFiles(chart.directory)})
  })
}

function chosen(
  records: readonly ReleaseRecord[],
  {names, owner, environment}: Pick<DriftRequest, 'names' | 'owner' | 'environment'>,
): readonly ReleaseId[] {
  if (names.length > 0)
    return names.flatMap((name) => releasesOnCluster(records, name, owner).map(({release}) => release))
  const owned = records.filter(({labels}) => {
    const own = readLabels(labels)?.owner
    return own !== undefined && (owner === undefined || own === owner)
  })
  if (owned.length === 0 && owner !== undefined && !environment)
    throw noSuchOwner(owner, 'release', ownersOf(records))
  return owned.filter(({status}) => status !== 'uninstalled').map(({release}) => release)
}

/**
 * Returns the YAML files in `crds/` of a chart and its subcharts: helm creates them once and never updates
 * them.
 */
function crdFiles(directory: string): readonly string[] {
  return readChartFiles(directory)
    .filter(({path}) => /^(?:charts\/[^/]+\/)*crds\/.+\.ya?ml$/.test(path))
    .map(({bytes}) => bytes.toString('utf8'))
}
