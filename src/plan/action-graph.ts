import type {Graph} from '../graph/graph.ts'
import type {Action} from './plan.ts'

/** Who waits for whom among the actions of a plan. */
export function actionGraph(actions: readonly Action[]): Graph {
  const requirements = actions.map(
    ({release: from, requires}) =>
      [from, requires.map(({release: to, kind}) => ({from, to, kind, evidence: []}))] as const,
  )
  return {releases: actions.map(({release}) => release), requirements: new Map(requirements)}
}
