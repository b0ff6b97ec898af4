import {KkError} from '../base/errors.ts'
import type {Graph} from '../graph/graph.ts'
import {order} from '../graph/order.ts'
import type {ReleaseRecord} from '../kubernetes/records/release-record.ts'
import {type ReleaseId, releaseName} from '../release.ts'
import type {DesiredRelease} from './desired.ts'
import {readLabels} from './labels.ts'
import {untouchedReleases} from './make-plan.ts'
import type {ObservedRecord} from './pending/evidence.ts'
import type {Action, Plan} from './plan.ts'
import {recordedChart} from './recorded-chart.ts'
import {foreign, handedOver, ownedByOthers, unfinished} from './refusals.ts'

interface HandOverInputs extends Pick<Plan, 'environment' | 'file' | 'cluster'> {
  /** The tool as in the label `exported-to`: `flux`. */
  readonly tool: string
  readonly graph: Graph
  /** The exported releases. */
  readonly desired: ReadonlyMap<ReleaseId, DesiredRelease>
  /** The last revision of every release on the cluster, in any order. */
  readonly records: readonly ObservedRecord[]
}

type HandOverPlan = Plan<'hand-over' | 'unchanged'>

/**
 * Returns the plan that marks the installed releases of an environment as another tool's. Throws
 * `KK_NOT_INSTALLED` if none is installed, `KK_FOREIGN`, `KK_OWNER`, `KK_PENDING`, and `KK_HANDED_OVER` for
 * releases of a third tool.
 */
export function makeHandOverPlan(inputs: HandOverInputs): HandOverPlan {
  const {environment, file, cluster, tool, graph, desired, records} = inputs
  const recordByRelease = new Map(records.map((record) => [record.release, record]))
  const wanted = order(graph).filter((release) => desired.has(release))
  const actions = wanted.flatMap((release): HandOverPlan['actions'] => {
    const record = recordByRelease.get(release)
    const isOurs = record && isOwned(desired.get(release)!, record, file)
    return isOurs ? [makeAction(record, desired.get(release)!, tool)] : []
  })
  if (actions.length === 0) throw nothingInstalled(inputs)
  const missing = wanted.filter((release) => !recordByRelease.has(release)).map(releaseName)
  return {
    environment,
    file,
    cluster,
    actions,
    bystanders: untouchedReleases({environment, graph, records}),
    notes: [
      ...(missing.length === 0 ? [] : [`not installed, and not marked: ${missing.join(', ')}`]),
      `from then on kk refuses to change the marked releases, until kk adopt takes them back; kk does not notify ${tool}`,
    ],
  }
}

/**
 * Returns true if the release is the environment's; one that it only uses is not. Throws `KK_FOREIGN`,
 * `KK_OWNER`.
 */
function isOwned({owner, stated}: DesiredRelease, record: ReleaseRecord, file: string): boolean {
  const labels = readLabels(record.labels)
  if (!labels) throw foreign(record)
  if (labels.owner === owner) return true
  if (stated) throw ownedByOthers([{release: record.release, owner: labels.owner}], file)
  return false
}

function makeAction(
  record: ObservedRecord,
  desired: DesiredRelease,
  tool: string,
): Action<'hand-over' | 'unchanged'> {
  const {release, revision} = record
  const labels = readLabels(record.labels)
  const facts = {
    release,
    chart: recordedChart(release, record),
    requires: [],
    group: [release],
    revision,
    inputs: labels?.inputs ?? '',
    protected: desired.protected,
  }
  const before = labels?.exportedTo
  if (before === tool) return {...facts, kind: 'unchanged', reasons: [`handed over to ${tool} already`]}
  const refusal = before === undefined ? unfinished(record) : handedOver([{release, tool: before}])
  if (refusal) throw refusal
  return {...facts, kind: 'hand-over', tool, reasons: [`${tool} takes it over`]}
}

function nothingInstalled({environment, cluster}: HandOverInputs): KkError {
  return new KkError(
    'KK_NOT_INSTALLED',
    `nothing of "${environment}" is installed on ${cluster.context}: there is nothing to hand over`,
    {hint: 'omit --hand-over: the tool installs it from scratch'},
  )
}
