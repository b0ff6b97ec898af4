import {mapParallel} from '../../base/parallel.ts'
import type {ApiServer} from '../../kubernetes/api/api-server.ts'
import {isUserTest, objectName, testHooks} from '../../kubernetes/manifest/manifest.ts'
import type {Records} from '../../kubernetes/records/records.ts'
import {makeTestPlan, testable} from '../../plan/make-test-plan.ts'
import type {Plan} from '../../plan/plan.ts'
import {namedReleases, type Prepared} from '../../prepare/prepare.ts'
import {visibleRecords} from '../../prepare/visible-records.ts'
import {releaseName} from '../../release.ts'
import {type Task, timedTasks} from '../../run/task.ts'
import {planCluster} from '../cluster-of.ts'

/** Which tests to run: those of single releases, or those that use the whole cloud. */
export const TEST_SCOPES = ['releases', 'user'] as const

export interface TestScope {
  /** The releases to test; empty for all that the environment has installed. */
  readonly names: readonly string[]
  /** Defaults to both, or to those of the releases if there are names. */
  readonly only?: (typeof TEST_SCOPES)[number] | undefined
}

/**
 * Plans the tests of these releases. The records, not the charts, determine which releases have tests,
 * because helm runs what was deployed. Throws as `testable`, and `KK_RECORD`.
 */
export async function planTests(
  {environment, graph}: Prepared,
  cluster: {
    readonly context: string
    readonly server: string
    readonly apiServer: ApiServer
    readonly records: Records
  },
  {names, only = names.length > 0 ? 'releases' : undefined}: TestScope,
): Promise<Plan<'test'>> {
  const named = namedReleases({environment, graph}, names)
  const [plansCluster, seen] = await Promise.all([
    planCluster(cluster),
    visibleRecords(cluster, graph.releases),
  ])
  const selected = testable({environment: environment.name, graph, records: seen.records, named})
  const tests = await mapParallel(selected.records, async ({release, revision}) => {
    const stored = await cluster.records.stored(release, revision)
    const hooks = stored ? testHooks(stored) : []
    const user = hooks.filter(isUserTest).map(objectName)
    const own = hooks.filter((hook) => !isUserTest(hook)).map(objectName)
    return [release, {own, user}] as const
  })
  const withTests = tests.filter(([, {own, user}]) => own.length + user.length > 0)
  const chosen = withTests.map(
    ([release, {own, user}]) =>
      [release, {own: only === 'user' ? [] : own, user: only === 'releases' ? [] : user}] as const,
  )
  return makeTestPlan({
    ...selected,
    environment: environment.name,
    file: environment.file,
    cluster: plansCluster,
    graph,
    tests: new Map(chosen),
  })
}

/** Returns the tasks of planned tests. The timeout of each defaults to that of its release. */
export function testTasks(
  {actions}: Plan<'test'>,
  {releases}: Prepared['environment'],
  timeoutSeconds?: number,
): readonly Task[] {
  const tested = new Map(actions.map(({release, userTestOf = release}) => [release, userTestOf]))
  return timedTasks(
    actions,
    (release) => timeoutSeconds ?? releases.get(releaseName(tested.get(release)!))?.timeoutSeconds,
  )
}
