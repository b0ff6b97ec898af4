import type {Graph} from './graph.ts'

/** The graph without what only orders: who needs whom. */
export function withoutSoft({releases, requirements}: Graph): Graph {
  const hard = releases.map((release) => {
    const edges = requirements.get(release) ?? []
    return [release, edges.filter(({soft}) => !soft)] as const
  })
  return {releases, requirements: new Map(hard)}
}
