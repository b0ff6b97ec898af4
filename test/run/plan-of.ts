import fc from 'fast-check'
import type {Graph} from '../../src/graph/graph.ts'
import {groups} from '../../src/graph/groups.ts'
import {order} from '../../src/graph/order.ts'
import type {Action, ActionKind, Plan} from '../../src/plan/plan.ts'
import {type ReleaseId, releaseName} from '../../src/release.ts'
import {arbitraryGraph} from '../graph/arbitrary-graph.ts'
import {graphOf} from '../graph/graph-of.ts'

/** A plan from `{keystone: ['mariadb', 'neutron:applied']}`; `kinds` names what is not an install. */
export function planOf(
  requires: Readonly<Record<string, readonly string[]>>,
  kinds: Readonly<Record<string, ActionKind>> = {},
): Plan {
  return planOfGraph(graphOf(requires), (release) => kinds[releaseName(release)] ?? 'install')
}

function planOfGraph(graph: Graph, kindOf: (release: ReleaseId) => ActionKind): Plan {
  const groupOf = groups(graph)
  return {
    environment: 'all-in-one',
    file: 'all-in-one.yaml',
    cluster: {context: 'sandbox', server: 'https://127.0.0.1:6443', uid: 'u', version: 'v1.36.0'},
    bystanders: [],
    actions: order(graph).map((release) => ({
      ...factsOf(kindOf(release)),
      release,
      reasons: [],
      chart: {name: releaseName(release), version: '0.1.0', appVersion: ''},
      requires: graph.requirements.get(release)!.map(({to, kind}) => ({release: to, kind})),
      group: groupOf.get(release)!,
      revision: kindOf(release) === 'install' ? 0 : 3,
      inputs: '',
      protected: false,
    })),
  }
}

/** The kind of an action with what it has to tell. */
function factsOf(kind: ActionKind) {
  if (kind === 'hand-over') return {kind, tool: 'flux'}
  return kind === 'rollback' ? {kind, target: 2, uses: []} : {kind}
}

const KINDS: readonly ActionKind[] = [
  'install',
  'install',
  'upgrade',
  'await',
  'check',
  'relabel',
  'unchanged',
]

/** Any plan of up to `size` actions, with groups, both kinds of edges and all kinds of actions. */
export function arbitraryPlan(size = 12): fc.Arbitrary<Plan> {
  const kinds = fc.array(fc.constantFrom(...KINDS), {maxLength: size})
  return fc.tuple(arbitraryGraph(size), kinds).map(([graph, drawn]) => {
    const kindOf = new Map(graph.releases.map((release, index) => [release, drawn[index] ?? 'install']))
    return planOfGraph(graph, (release) => kindOf.get(release)!)
  })
}

/** The requirements of an action that it waits for: those outside its group. */
export function awaited(action: Action): Action['requires'] {
  return action.requires.filter(({release}) => !action.group.includes(release))
}
