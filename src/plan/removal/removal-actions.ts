import {components} from '../../graph/components.ts'
import {type Graph, reverse} from '../../graph/graph.ts'
import {order} from '../../graph/order.ts'
import type {ReleaseId} from '../../release.ts'
import type {Action} from '../plan.ts'
import {recordedChart} from '../recorded-chart.ts'
import type {Uses} from '../uses/uses.ts'

interface Removing {
  readonly releases: ReadonlySet<ReleaseId>
  readonly describeReason: (release: ReleaseId) => string
  readonly isProtected: (release: ReleaseId) => boolean
}

/** Returns one `remove` for each release, dependents first: each waits for those that use it. */
export function removalActions(
  uses: Uses,
  {releases, describeReason, isProtected}: Removing,
): readonly Action<'remove'>[] {
  const dependents = reverse(part(uses.graph, releases))
  const groupByRelease = new Map(
    components(dependents).flatMap((members) => members.map((member) => [member, members] as const)),
  )
  return order(dependents).map((release): Action<'remove'> => {
    const {record, labels} = uses.observed.get(release)!
    return {
      release,
      kind: 'remove',
      reasons: [describeReason(release), ...stateReasons(record.status)],
      chart: recordedChart(release, record),
      requires: dependents.requirements.get(release)!.map(({to}) => ({release: to, kind: 'ready'})),
      group: groupByRelease.get(release)!,
      revision: record.revision,
      inputs: labels?.inputs ?? '',
      protected: isProtected(release),
    }
  })
}

function stateReasons(status: string): readonly string[] {
  if (status === 'uninstalling') return ['its removal was interrupted: this finishes it']
  if (status === 'uninstalled') return ['only its history is left']
  return status === 'deployed' ? [] : [`last revision is ${status}`]
}

function part(graph: Graph, releases: ReadonlySet<ReleaseId>): Graph {
  const members = graph.releases.filter((release) => releases.has(release))
  const edges = (release: ReleaseId) => graph.requirements.get(release)!.filter(({to}) => releases.has(to))
  return {releases: members, requirements: new Map(members.map((release) => [release, edges(release)]))}
}
