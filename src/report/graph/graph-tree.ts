import {dependents} from '../../graph/dependents.ts'
import type {Graph} from '../../graph/graph.ts'
import {groups} from '../../graph/groups.ts'
import {levels} from '../../graph/levels.ts'
import type {ReleaseId} from '../../release.ts'
import type {Palette} from '../colour.ts'
import {type Columns, list} from '../table.ts'
import {type Labels, releaseLabels} from '../text/label.ts'
import {counted} from '../text/list.ts'
import type {Part, View} from '../text/view.ts'
import type {GraphView} from './graph-view.ts'

/**
 * Returns the levels of a graph, level 0 first: each release with its requirements, the other members of its
 * group, whether it is protected, and how many releases share it.
 */
export function graphTree(view: GraphView, palette: Palette): View {
  const {graph} = view
  if (graph.releases.length === 0) return 'no releases\n'
  const labels = releaseLabels(graph.releases)
  const groupByRelease = groups(graph)
  const columns: Columns<ReleaseId> = [
    labels,
    (release) => requiresText(release, graph, labels) || palette.quiet('requires nothing'),
    (release) =>
      palette.quiet(marks({release, view, group: groupByRelease.get(release) ?? [], labels}).join(', ')),
  ]
  return levels(graph).flatMap((releases, level): readonly Part[] => [
    palette.strong(`level ${level}`),
    list(releases, columns),
  ])
}

function requiresText(release: ReleaseId, {requirements}: Graph, labels: Labels): string {
  const edges = requirements.get(release) ?? []
  const required = edges.map(({to, kind, soft}) => {
    if (soft) return `${labels(to)} (order only)`
    return kind === 'applied' ? `${labels(to)} (applied)` : labels(to)
  })
  return required.length === 0 ? '' : `requires ${required.join(', ')}`
}

function marks(of: {
  readonly release: ReleaseId
  readonly view: GraphView
  readonly group: readonly ReleaseId[]
  readonly labels: Labels
}): readonly string[] {
  const {release, view, group, labels} = of
  const users = dependents(view.graph, [release]).filter((dependent) => dependent !== release)
  const partners = group.filter((member) => member !== release)
  return [
    ...(partners.length === 0 ? [] : [`group with ${partners.map(labels).join(', ')}`]),
    ...(view.protected.has(release) ? ['protected'] : []),
    ...(users.length === 0 ? [] : [`shared by ${counted(users.length, 'release')}`]),
  ]
}
