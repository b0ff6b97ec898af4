import {KkError} from '../base/errors.ts'
import type {Graph} from '../graph/graph.ts'
import {groups} from '../graph/groups.ts'
import {order} from '../graph/order.ts'
import {requirements} from '../graph/requirements.ts'
import type {ReleaseRecord} from '../kubernetes/records/release-record.ts'
import {type ReleaseId, releaseName, userTestId} from '../release.ts'
import {readLabels} from './labels.ts'
import type {Action, Plan} from './plan.ts'
import {recordedChart} from './recorded-chart.ts'
import {foreign, notInstalled} from './refusals.ts'

/** The releases to test, and notes about the others. */
export interface Testable {
  readonly records: readonly ReleaseRecord[]
  /** For people. */
  readonly notes: readonly string[]
}

interface TestableInputs {
  readonly environment: string
  readonly graph: Graph
  /** The last revision of each release on the cluster. */
  readonly records: readonly ReleaseRecord[]
  /** The releases to test; empty for every release that this environment has installed. */
  readonly named: readonly ReleaseId[]
}

/**
 * Selects the releases to test. Helm writes the record of a release that it tests, so only those of this
 * environment are tested. Throws `KK_NOT_INSTALLED`, `KK_FOREIGN` or `KK_OWNER` for a named release that
 * cannot be tested.
 */
export function testable({environment, graph, records, named}: TestableInputs): Testable {
  const recordByRelease = new Map(records.map((record) => [record.release, record]))
  const owner = (release: ReleaseId) => readLabels(recordByRelease.get(release)?.labels ?? {})?.owner
  for (const release of named) {
    const record = recordByRelease.get(release)
    if (!record) throw notInstalled(release, undefined)
    if (owner(release) === undefined) throw foreign(record)
    if (owner(release) !== environment) throw testedElsewhere(release, owner(release)!)
  }
  const selected = new Set(named)
  const releases = order(graph).filter((release) => named.length === 0 || selected.has(release))
  const own = releases.filter((release) => owner(release) === environment)
  const notOwned = releases.filter(
    (release) => recordByRelease.has(release) && owner(release) !== environment,
  )
  return {
    records: own.map((release) => recordByRelease.get(release)!),
    notes: [
      ...listed(
        'not installed',
        releases.filter((release) => !recordByRelease.has(release)),
      ),
      ...listed('not tested, because they are not of this environment', notOwned),
    ],
  }
}

interface TestPlanInputs extends Testable {
  readonly environment: string
  readonly file: string
  readonly cluster: Plan['cluster']
  readonly graph: Graph
  readonly tests: ReadonlyMap<ReleaseId, ReleaseTests>
}

/** The tests of a release, for people: `Pod/keystone-test`. */
interface ReleaseTests {
  /** The tests of its own service. */
  readonly own: readonly string[]
  /** Its tests that use the whole cloud; see `isUserTest`. */
  readonly user: readonly string[]
}

/**
 * Orders tests: those of a release's requirements, also through untested releases, come before its own. Tests
 * that use the whole cloud come after all others, whatever their results, but only if those of their own
 * release have passed.
 */
export function makeTestPlan(inputs: TestPlanInputs): Plan<'test'> {
  const {environment, file, cluster, graph, records, tests, notes} = inputs
  const tested = records.filter(({release}) => hasTests(tests.get(release)?.own))
  const isTested = new Set(tested.map(({release}) => release))
  const groupByRelease = groups(graph)
  const own = tested.map((record): Action<'test'> => {
    const {release} = record
    const group = groupByRelease.get(release)!.filter((member) => isTested.has(member))
    const before = [...requirements(graph, [release])].filter((each) => isTested.has(each))
    return {
      ...testFacts(record, tests.get(release)!.own),
      release,
      requires: before
        .filter((each) => !group.includes(each))
        .map((each) => ({release: each, kind: 'ready'})),
      group,
    }
  })
  const user = records
    .filter(({release}) => hasTests(tests.get(release)?.user))
    .map((record): Action<'test'> => {
      const release = userTestId(record.release)
      const isOwn = ({release: other}: ReleaseRecord) => other === record.release
      return {
        ...testFacts(record, tests.get(record.release)!.user),
        release,
        requires: tested.filter(isOwn).map((each) => ({release: each.release, kind: 'ready'})),
        follows: tested.filter((each) => !isOwn(each)).map((each) => each.release),
        group: [release],
        userTestOf: record.release,
      }
    })
  const without = records.map(({release}) => release).filter((release) => !tests.has(release))
  return {
    environment,
    file,
    cluster,
    actions: [...own, ...user],
    bystanders: [],
    notes: [...listed('no tests', without), ...notes],
  }
}

function hasTests(names: readonly string[] = []): boolean {
  return names.length > 0
}

function testFacts(record: ReleaseRecord, names: readonly string[]) {
  return {
    kind: 'test' as const,
    reasons: [`${names.length === 1 ? '1 test' : `${names.length} tests`}: ${names.join(', ')}`],
    chart: recordedChart(record.release, record),
    revision: record.revision,
    inputs: readLabels(record.labels)?.inputs ?? '',
    protected: readLabels(record.labels)?.protected ?? false,
  }
}

function listed(what: string, releases: readonly ReleaseId[]): readonly string[] {
  return releases.length === 0 ? [] : [`${what}: ${releases.map(releaseName).join(', ')}`]
}

function testedElsewhere(release: ReleaseId, owner: string): KkError {
  return new KkError(
    'KK_OWNER',
    `${release} belongs to the environment "${owner}": its tests are not run from here`,
    {hint: `run kk test ${releaseName(release)} with the file of the environment "${owner}"`},
  )
}
