import type {Graph} from './graph.ts'

/** Returns the graph without the edges that only order. */
export function withoutSoft({releases, requirements}: Graph): Graph {
  const hard = releases.map((release) => {
    const edges = requirements.get(release) ?? []
    return [release, edges.filter(({soft}) => !soft)] as const
  })
  return {releases, requirements: new Map(hard)}
}
