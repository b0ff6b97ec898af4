import {DEFAULT_SANDBOX, type Sandbox} from '../sandbox/sandbox.ts'
import type {SandboxStatus} from '../sandbox/status.ts'
import {pairs} from './table.ts'
import {counted} from './text/list.ts'
import type {Part, View} from './text/view.ts'

/** Returns how to reach a running sandbox. */
export function sandboxText(sandbox: Sandbox): View {
  return placeOf(sandbox, counted(sandbox.nodes, 'node'))
}

/** Returns the state of one sandbox, and the names of the others on this machine. */
export function statusText(status: SandboxStatus, others: readonly string[]): View {
  const also = others.length > 0 ? [`other sandboxes here: ${others.join(', ')}`] : []
  if (status.state === 'absent') return [`the sandbox ${status.name} does not run`, ...also]
  if (status.state === 'broken') return [brokenText(status.name, status.missing), ...also]

  const ready = status.nodes.filter((node) => node.ready).length
  const nodes = `${counted(status.nodes.length, 'node')}, ${ready} ready`
  return [`the sandbox ${status.name} runs`, placeOf(status, nodes), ...also]
}

function placeOf(sandbox: Omit<Sandbox, 'nodes'>, nodes: string): Part {
  const rows = [
    ['Kubernetes', `${sandbox.kubernetes}, ${nodes}`],
    ['address', sandbox.server],
    ['kubeconfig', sandbox.kubeconfig],
    ['context', sandbox.context],
  ] as const
  return pairs(rows, {indent: '  '})
}

function brokenText(name: string, missing: readonly string[]): string {
  const what = missing.length > 0 ? `does not run: ${missing.join(', ')}` : 'was not started to the end'
  const flag = name === DEFAULT_SANDBOX ? '' : ` --sandbox-name ${name}`
  return `the sandbox ${name} is broken (${what}); "kk sandbox up${flag}" starts that again, "kk sandbox down${flag}" removes it`
}
