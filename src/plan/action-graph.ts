import type {Graph} from '../graph/graph.ts'
import type {Action} from './plan.ts'

/** Returns the graph of the actions of a plan: an edge is a requirement between two of them. */
export function actionGraph(actions: readonly Action[]): Graph {
  const requirements = actions.map(
    ({release: from, requires}) =>
      [from, requires.map(({release: to, kind}) => ({from, to, kind, evidence: []}))] as const,
  )
  return {releases: actions.map(({release}) => release), requirements: new Map(requirements)}
}
