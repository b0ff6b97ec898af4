import {mapParallel} from '../../base/parallel.ts'
import type {ApiServer} from '../../kubernetes/api/api-server.ts'
import {objectName, testHooks} from '../../kubernetes/manifest/manifest.ts'
import type {Records} from '../../kubernetes/records/records.ts'
import {makeTestPlan, testable} from '../../plan/make-test-plan.ts'
import type {Plan} from '../../plan/plan.ts'
import {namedReleases, type Prepared} from '../../prepare/prepare.ts'
import {visibleRecords} from '../../prepare/visible-records.ts'
import {planCluster} from '../cluster-of.ts'

/**
 * Plans the tests of these releases, or of all that the environment has installed. The records, not the
 * charts, determine which releases have tests, because helm runs what was deployed. Throws as `testable`, and
 * `KK_RECORD`.
 */
export async function planTests(
  {environment, graph}: Prepared,
  cluster: {
    readonly context: string
    readonly server: string
    readonly apiServer: ApiServer
    readonly records: Records
  },
  names: readonly string[],
): Promise<Plan<'test'>> {
  const named = namedReleases({environment, graph}, names)
  const [plansCluster, seen] = await Promise.all([
    planCluster(cluster),
    visibleRecords(cluster, graph.releases),
  ])
  const selected = testable({environment: environment.name, graph, records: seen.records, named})
  const tests = await mapParallel(selected.records, async ({release, revision}) => {
    const stored = await cluster.records.stored(release, revision)
    return [release, stored ? testHooks(stored).map(objectName) : []] as const
  })
  return makeTestPlan({
    ...selected,
    environment: environment.name,
    file: environment.file,
    cluster: plansCluster,
    graph,
    tests: new Map(tests),
  })
}
