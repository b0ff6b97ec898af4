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
export function rollPlanText({nodes, unhealthy}: RollPlan, palette: Palette): View {
  return [
    'to drain, run the command, and return:',
    list(nodes, [({node}: RolledNode) => node, (row: RolledNode) => planned(row, palette)]),
    ...unhealthy.map((release) => palette.bad(`✘ ${release} is not healthy`)),
  ]
}

type RolledNode = Rolled['nodes'][number]

function planned({result, why = ''}: RolledNode, palette: Palette): string {
  if (result === 'next') return why === '' ? 'next' : palette.change(`waits: ${plainLine(why)}`)
  return result === 'done' ? palette.quiet(`done: ${why}`) : palette.change(`not rolled: ${plainLine(why)}`)
}

const SIGNS = {rolled: '✔', done: '–', next: '–', left: '✘', failed: '✘'} as const
const WORDS = {
  rolled: 'rolled',
  done: 'done before',
  next: 'not begun',
  left: 'left',
  failed: 'failed',
} as const

/** Returns what became of each node. */
export function rolledText({nodes, isComplete}: Rolled, palette: Palette): View {
  const colour = (result: RolledNode['result']) =>
    result === 'rolled' || result === 'done' ? palette.good : palette.change
  const columns = [
    ({result, node}: RolledNode) => `${SIGNS[result]} ${node}`,
    ({result, seconds}: RolledNode) =>
      `${colour(result)(WORDS[result])}${seconds === undefined ? '' : `, ${seconds} s`}`,
    ({why = ''}: RolledNode) => plainLine(why),
  ]
  const left = nodes.filter(({result}) => result !== 'rolled' && result !== 'done').length
  const hints = new Set(nodes.flatMap(({hint}) => hint ?? []))
  return [
    list(nodes, columns),
    ...[...hints].map((hint) => `hint: ${plainLine(hint)}`),
    isComplete
      ? palette.good('all nodes are rolled')
      : palette.bad(`${counted(left, 'node')} left: repeat the command when the reasons are gone`),
  ]
}

/** Returns the instances that run an old QEMU, and how each moves. */
export function renewPlanText({old, nodes, notAsked}: RenewPlan, palette: Palette): View {
  return [
    ...(old.length > 0
      ? [`${counted(old.length, 'instance')} with another QEMU than the node has:`, list(old, oldColumns)]
      : [verdict(notAsked, palette)]),
    ...nodes.flatMap((plan) => [
      `to move from ${palette.strong(plan.node)}:`,
      ...instancePlanText(plan, palette),
    ]),
    ...notAskedLines(notAsked, palette),
  ]
}

/** Returns the instances that still run an old QEMU. */
export function renewedText({operations, old, failed, notAsked}: Renewed, palette: Palette): View {
  const moved = operations.filter(({event}) => event === 'done').length
  return [
    `${counted(moved, 'instance')} moved`,
    ...failed.map(({node, why}) => palette.bad(`✘ ${node}: ${plainLine(why)}`)),
    ...notAskedLines(notAsked, palette),
    ...(old.length === 0
      ? [verdict(notAsked, palette)]
      : [
          palette.bad(`${counted(old.length, 'instance')} still with another QEMU than the node has:`),
          list(old, oldColumns),
        ]),
  ]
}

function verdict(notAsked: Renewed['notAsked'], palette: Palette): string {
  return notAsked.length === 0
    ? palette.good('every instance runs the QEMU of its node')
    : palette.change('every instance that could be asked runs the QEMU of its node')
}

function notAskedLines(notAsked: Renewed['notAsked'], palette: Palette): readonly string[] {
  return notAsked.map(({source, reason}) => palette.change(`not asked: ${source}: ${plainLine(reason)}`))
}

const oldColumns = [
  ({server}: OldQemu) => server,
  ({node}: OldQemu) => `on ${node}`,
  ({version, current}: OldQemu) => plainLine(`${version}; the node has ${current}`),
]
