import type {Node} from '../sandbox/node/node.ts'
import type {SandboxStatus} from '../sandbox/status.ts'
import {pairs} from './table.ts'
import type {Part, View} from './text/view.ts'

/** Returns how to reach the all-in-one node. */
export function nodeText(node: Omit<Node, 'nodes'>): Part {
  const rows = [
    ['Kubernetes', node.kubernetes],
    ['kubeconfig', node.kubeconfig],
    ['context', node.context],
    ['address', `${node.address}: NodePorts and DNS`],
    ['registry', `${node.registry}; for pods ${node.registryForPods}`],
  ] as const
  return pairs(rows, {indent: '  '})
}

/** Returns the state of the all-in-one node. */
export function nodeStatusText(status: SandboxStatus<Node>): View {
  if (status.state === 'absent') return 'the node does not run; "kk aio up" starts it'
  if (status.state === 'broken') {
    const what =
      status.missing.length > 0 ? `does not run: ${status.missing.join(', ')}` : 'was not started to the end'
    return `the node is broken (${what}); "kk aio down" removes what is left, with its data`
  }
  const ready = status.nodes.every((node) => node.ready) ? 'Ready' : 'not Ready'
  return [`the node runs and is ${ready}`, nodeText(status)]
}
