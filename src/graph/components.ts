import type {ReleaseId} from '../release.ts'
import type {Graph} from './graph.ts'

interface Visit {
  readonly node: number
  /** The index of the next requirement to visit. */
  next: number
}

/**
 * Returns the strongly connected components: releases that need each other are together, any other release is
 * alone. Members are in the graph's order; components come after the components that they require. Tarjan's
 * algorithm with an explicit stack, in O(V+E).
 */
export function components(graph: Graph): readonly (readonly ReleaseId[])[] {
  const targets = adjacency(graph)
  const discovered = new Int32Array(graph.releases.length).fill(-1)
  const lowest = new Int32Array(graph.releases.length)
  const open = new Uint8Array(graph.releases.length)
  const stack: number[] = []
  const result: number[][] = []
  let count = 0

  const enter = (node: number): Visit => {
    discovered[node] = lowest[node] = count++
    open[node] = 1
    stack.push(node)
    return {node, next: 0}
  }

  const close = (root: number): void => {
    const members = stack.splice(stack.lastIndexOf(root))
    for (const member of members) open[member] = 0
    result.push(members.sort((a, b) => a - b))
  }

  for (let root = 0; root < targets.length; root++) {
    if (discovered[root] !== -1) continue
    const visits = [enter(root)]
    while (visits.length > 0) {
      const visit = visits.at(-1)!
      const target = targets[visit.node]![visit.next++]
      if (target === undefined) {
        visits.pop()
        if (lowest[visit.node] === discovered[visit.node]) close(visit.node)
        const parent = visits.at(-1)
        if (parent) lowest[parent.node] = Math.min(lowest[parent.node]!, lowest[visit.node]!)
        continue
      }
      if (discovered[target] === -1) visits.push(enter(target))
      else if (open[target]) lowest[visit.node] = Math.min(lowest[visit.node]!, discovered[target]!)
    }
  }
  return result.map((members) => members.map((member) => graph.releases[member]!))
}

function adjacency(graph: Graph): readonly (readonly number[])[] {
  const index = new Map(graph.releases.map((release, position) => [release, position]))
  return graph.releases.map((release) =>
    (graph.requirements.get(release) ?? []).map((edge) => index.get(edge.to)!),
  )
}
