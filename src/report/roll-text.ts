import type {OldQemu} from '../audit/versions.ts'
import type {Renewed, RenewPlan} from '../verbs/nodes/renew-qemu.ts'
import type {Rolled, RollPlan} from '../verbs/nodes/roll.ts'
import type {Palette} from './colour.ts'
import {instancePlanText} from './nodes-text.ts'
import {list} from './table.ts'
import {counted} from './text/list.ts'
import {plainLine} from './text/plain.ts'
import type {View} from './text/view.ts'

/** Returns the nodes in the order in which they leave, and those that stay. */
export function rollPlanText({nodes, command, unhealthy}: RollPlan, palette: Palette): View {
  const columns = [
    ({node}: RollPlan['nodes'][number]) => node,
    ({skipped}: RollPlan['nodes'][number]) =>
      skipped === undefined ? 'drain, run the command, return' : palette.quiet(`not rolled: ${skipped}`),
  ]
  return [
    `to roll, with ${palette.strong(plainLine(command))}:`,
    list(nodes, columns),
    ...unhealthy.map((release) => palette.bad(`✘ ${release} is not healthy`)),
  ]
}

const SIGNS = {rolled: '✔', skipped: '–', left: '✘', failed: '✘', 'not begun': '–'} as const

/** Returns what became of each node. */
export function rolledText({nodes, isComplete}: Rolled, palette: Palette): View {
  const columns = [
    ({result, node}: Rolled['nodes'][number]) => `${SIGNS[result]} ${node}`,
    ({result, seconds}: Rolled['nodes'][number]) =>
      `${result === 'rolled' ? palette.good(result) : palette.change(result)}${seconds === undefined ? '' : `, ${seconds} s`}`,
    ({why = ''}: Rolled['nodes'][number]) => plainLine(why),
  ]
  const left = nodes.filter(({result}) => result !== 'rolled' && result !== 'skipped').length
  return [
    list(nodes, columns),
    isComplete
      ? palette.good('all nodes are rolled')
      : palette.bad(`${counted(left, 'node')} left: repeat the command when the reasons are gone`),
  ]
}

/** Returns the instances that run an old QEMU, and how each moves. */
export function renewPlanText({old, nodes}: RenewPlan, palette: Palette): View {
  if (old.length === 0) return 'every instance runs the QEMU of its node'
  return [
    `${counted(old.length, 'instance')} with another QEMU than the node has:`,
    list(old, oldColumns),
    ...nodes.flatMap((plan) => [
      `to move from ${palette.strong(plan.node)}:`,
      ...instancePlanText(plan, palette),
    ]),
  ]
}

/** Returns the instances that still run an old QEMU. */
export function renewedText({operations, old}: Renewed, palette: Palette): View {
  const moved = operations.filter(({event}) => event === 'done').length
  if (old.length === 0)
    return palette.good(`${counted(moved, 'instance')} moved; every instance runs the QEMU of its node`)
  return [
    palette.bad(`${counted(old.length, 'instance')} still with another QEMU than the node has:`),
    list(old, oldColumns),
  ]
}

const oldColumns = [
  ({server}: OldQemu) => server,
  ({node}: OldQemu) => `on ${node}`,
  ({version, current}: OldQemu) => plainLine(`${version}; the node has ${current}`),
]
