import {KkError} from '../base/errors.ts'
import type {Graph} from '../graph/graph.ts'
import {groups} from '../graph/groups.ts'
import {order} from '../graph/order.ts'
import {requirements} from '../graph/requirements.ts'
import type {ReleaseRecord} from '../kubernetes/records/release-record.ts'
import {type ReleaseId, releaseName} from '../release.ts'
import {readLabels} from './labels.ts'
import type {Action, Plan} from './plan.ts'
import {recordedChart} from './recorded-chart.ts'
import {foreign, notInstalled} from './refusals.ts'

/** The releases whose tests are meant, and what is to be said of the others. */
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
  /** None means every release that this environment has installed. */
  readonly named: readonly ReleaseId[]
}

/**
 * Helm writes the record of a release that it tests: so only those of this environment are tested. What is named and
 * cannot be is an error: `KK_NOT_INSTALLED`, `KK_FOREIGN`, `KK_OWNER`.
 */
export function testable({environment, graph, records, named}: TestableInputs): Testable {
  const recordOf = new Map(records.map((record) => [record.release, record]))
  const owner = (release: ReleaseId) => readLabels(recordOf.get(release)?.labels ?? {})?.owner
  for (const release of named) {
    const record = recordOf.get(release)
    if (!record) throw notInstalled(release, undefined)
    if (owner(release) === undefined) throw foreign(record)
    if (owner(release) !== environment) throw testedElsewhere(release, owner(release)!)
  }
  const meant = new Set(named)
  const releases = order(graph).filter((release) => named.length === 0 || meant.has(release))
  const own = releases.filter((release) => owner(release) === environment)
  const others = releases.filter((release) => recordOf.has(release) && owner(release) !== environment)
  return {
    records: own.map((release) => recordOf.get(release)!),
    notes: [
      ...listed(
        'not installed',
        releases.filter((release) => !recordOf.has(release)),
      ),
      ...listed('not tested, for they are not of this environment', others),
    ],
  }
}

interface TestPlanInputs extends Testable {
  readonly environment: string
  readonly file: string
  readonly cluster: Plan['cluster']
  readonly graph: Graph
  /** The tests of each of the releases, for people: `Pod/keystone-test`. */
  readonly tests: ReadonlyMap<ReleaseId, readonly string[]>
}

/** Tests of what a release requires, through whatever is not tested, come before its own. */
export function makeTestPlan(inputs: TestPlanInputs): Plan<'test'> {
  const {environment, file, cluster, graph, records, tests, notes} = inputs
  const tested = records.filter(({release}) => (tests.get(release) ?? []).length > 0)
  const isTested = new Set(tested.map(({release}) => release))
  const groupOf = groups(graph)
  const actions = tested.map((record): Action<'test'> => {
    const {release} = record
    const group = groupOf.get(release)!.filter((member) => isTested.has(member))
    const before = [...requirements(graph, [release])].filter((each) => isTested.has(each))
    const names = tests.get(release)!
    return {
      release,
      kind: 'test',
      reasons: [`${names.length === 1 ? '1 test' : `${names.length} tests`}: ${names.join(', ')}`],
      chart: recordedChart(release, record),
      requires: before
        .filter((each) => !group.includes(each))
        .map((each) => ({release: each, kind: 'ready'})),
      group,
      revision: record.revision,
      inputs: readLabels(record.labels)?.inputs ?? '',
      protected: readLabels(record.labels)?.protected ?? false,
    }
  })
  const without = records.map(({release}) => release).filter((release) => !isTested.has(release))
  return {
    environment,
    file,
    cluster,
    actions,
    bystanders: [],
    notes: [...listed('no tests', without), ...notes],
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
