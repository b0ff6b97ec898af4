import {clockText} from '../kubernetes/node-clocks.ts'
import type {OperationEvent, Resources} from '../nodes/facts.ts'
import type {RemovalPlan} from '../nodes/removal-plan.ts'
import type {ReplacementPlan} from '../nodes/replacement-plan.ts'
import {type Added, type AddPlan, labelsText} from '../verbs/nodes/add.ts'
import type {NODE_CHANGES, NodeChange, NodeChangeName} from '../verbs/nodes/changes.ts'
import type {Drained, DrainPlan, Names} from '../verbs/nodes/drain.ts'
import type {Evacuated, NodeEvacuationPlan} from '../verbs/nodes/evacuate.ts'
import type {ListedNode, NodeList} from '../verbs/nodes/list.ts'
import type {Removed} from '../verbs/nodes/remove.ts'
import type {Replaced} from '../verbs/nodes/replace.ts'
import type {Returned} from '../verbs/nodes/return.ts'
import type {Palette} from './colour.ts'
import {type HeadedColumns, table} from './table.ts'
import {counted} from './text/list.ts'
import {plainLine} from './text/plain.ts'
import type {Part, View} from './text/view.ts'

/** Returns one row for each node, and whether any single one may be lost. */
export function nodeListText({nodes, mayLoseOne}: NodeList, palette: Palette): View {
  const columns: HeadedColumns<ListedNode> = {
    NODE: ({node}) => node,
    STATE: (row) => stateText(row, palette),
    COMPUTE: ({host}) => (host ? hostText(host, palette) : '–'),
    INSTANCES: {cell: ({instances}) => String(instances ?? ''), align: 'right'},
    VCPUS: {cell: ({host}) => (host ? amount(host, 'VCPU') : ''), align: 'right'},
    'MEMORY (MB)': {cell: ({host}) => (host ? amount(host, 'MEMORY_MB') : ''), align: 'right'},
    'IF LOST': (row) => lossText(row, palette),
  }
  const verdicts = {
    true: palette.good('any single node may be lost: its instances start on the others'),
    false: palette.bad('not every node may be lost: see the last column'),
  }
  return [table(nodes, columns), ...(mayLoseOne === undefined ? [] : ['', verdicts[`${mayLoseOne}`]])]
}

function stateText({state, clockAhead: ahead}: ListedNode, palette: Palette): string {
  const text = state === 'ready' ? palette.good(state) : palette.bad(state)
  return !ahead ? text : `${text}, ${palette.bad(`clock ${clockText({ahead})}`)}`
}

type ListedHost = NonNullable<ListedNode['host']>

function hostText({isUp, isEnabled, isForcedDown, reason}: ListedHost, palette: Palette): string {
  if (isForcedDown) return palette.bad('forced down')
  if (!isUp) return palette.bad('down')
  return isEnabled ? palette.good('up') : palette.change(`disabled: ${plainLine(reason) || 'no reason'}`)
}

function amount({used, room}: {readonly used: Resources; readonly room: Resources}, kind: string): string {
  return `${used[kind] ?? 0} of ${room[kind] ?? 0}`
}

function lossText({host, instances, unplaceable = []}: ListedNode, palette: Palette): string {
  if (!host) return ''
  if (unplaceable.length === 0) return instances === 0 ? 'no instance' : 'all start elsewhere'
  const named = unplaceable.map(({name, why}) => `${plainLine(name)}: ${why}`)
  return palette.bad(named.join('\n'))
}

const VERBS = {
  disable: 'disable',
  enable: 'enable',
  'force-down': 'force down',
  remove: 'delete',
  live: 'move live',
  cold: 'move',
  stop: 'stop',
  start: 'start',
  evacuate: 'start elsewhere',
} as const

/** Returns the numbered operations that empty a node, and what stays. */
export function drainPlanText(plan: DrainPlan, palette: Palette): View {
  const {node, movesGateways, isCordoned, evicts, unmanaged, stays} = plan
  const steps: readonly Step[] = [
    ...instanceSteps(plan),
    ...(movesGateways
      ? [['move the gateways of routers', 'connections through them pause for a moment'] as const]
      : []),
    ...(isCordoned ? [] : [[`cordon ${node}`, 'no new pods start here'] as const]),
    [`evict ${counted(evicts.length, 'pod')}`, 'they start elsewhere, as their budgets allow'],
  ]
  const unless = stays.length > 0 ? '; what follows the instances waits for those that stay' : ''
  return [
    `to drain ${palette.strong(node)}${unless}:`,
    stepsPart(steps, palette),
    ...stayingText(stays, palette),
    ...unmanaged.map((pod) => palette.change(`${pod} stays: it has no controller`)),
  ]
}

/** Returns the numbered operations that start instances elsewhere, what stays, and what speaks against it. */
function evacuationPlanText(plan: NodeEvacuationPlan, palette: Palette): View {
  return [
    `to evacuate ${palette.strong(plan.node)}:`,
    ...instancePlanText(plan, palette),
    ...plan.doubts.map((doubt) => palette.bad(`✘ refused while ${plainLine(doubt)}`)),
  ]
}

/** An operation, and what it costs. */
type Step = readonly [what: string, cost: string]

function instanceSteps({node, operations}: Pick<DrainPlan, 'node' | 'operations'>): readonly Step[] {
  return operations.map(({do: verb, name, cost}) => {
    return [`${VERBS[verb]} ${name === undefined ? `${node} in nova` : plainLine(name)}`, cost]
  })
}

/** Returns the numbered operations of the instances of a node, and those that stay. */
export function instancePlanText(
  plan: Pick<DrainPlan, 'node' | 'operations' | 'stays'>,
  palette: Palette,
): readonly Part[] {
  return [stepsPart(instanceSteps(plan), palette), ...stayingText(plan.stays, palette)]
}

function stepsPart(steps: readonly Step[], palette: Palette): Part {
  const rows = steps.map(([what, cost], at) => ({number: `${at + 1}.`, what, cost}))
  type Row = (typeof rows)[number]
  const number = {cell: (row: Row) => row.number, align: 'right'} as const
  const columns = [number, ({what}: Row) => what, ({cost}: Row) => palette.quiet(cost)]
  return table(rows, columns, {indent: '  '})
}

/** Returns a line on the start or the end of an operation. */
export function operationText(
  {do: verb, server, host, event, result}: OperationEvent,
  names: Names,
  palette: Palette,
): string {
  const what = `${VERBS[verb]} ${server === undefined ? host : plainLine(names.get(server) ?? server)}`
  if (event === 'started') return palette.quiet(`${what} …`)
  const line = `${what}: ${plainLine(result ?? '')}`
  return event === 'done' ? palette.good(`✔ ${line}`) : palette.bad(`✘ ${line}`)
}

/** Returns whether a node is empty, or what is still there. */
export function drainedText({node, isEmpty, stays, gateways, pods}: Drained, palette: Palette): View {
  if (isEmpty) return palette.good(`${node} is empty; kk node return ${node} takes it back`)
  return [
    palette.bad(`${node} is not empty`),
    ...stayingText(stays, palette),
    ...gateways.map((port) => palette.bad(`✘ gateway ${port} stays: no other node can be its gateway`)),
    ...pods.map(({pod, why}) => palette.bad(`✘ pod ${pod} stays: ${plainLine(why)}`)),
  ]
}

/** Returns whether all instances of a node were started elsewhere, or which were not. */
export function evacuatedText({node, operations, stays}: Evacuated, palette: Palette): View {
  const failed = operations.filter(({event}) => event === 'failed')
  if (failed.length === 0 && stays.length === 0)
    return palette.good(`the instances of ${node} run elsewhere; kk node return ${node} takes it back`)
  const count = failed.length + stays.length
  return [
    palette.bad(`${node} is not evacuated: ${counted(count, 'problem')}`),
    ...failedText(failed, palette),
    ...stayingText(stays, palette),
  ]
}

function failedText(failed: readonly OperationEvent[], palette: Palette): readonly Part[] {
  return failed.map((event) => operationText(event, new Map(), palette))
}

function stayingText(stays: DrainPlan['stays'], palette: Palette): readonly Part[] {
  return stays.map(({name, server, project, user, why}) => {
    const owner = `project ${plainLine(project)}, user ${plainLine(user)}`
    return palette.bad(`✘ instance ${plainLine(name)} (${server}; ${owner}) stays: ${plainLine(why)}`)
  })
}

function returnedText({node, isSchedulable, operations}: Returned, palette: Palette): View {
  const failed = operations.filter(({event}) => event === 'failed')
  if (!isSchedulable) return palette.bad(`${node} stays cordoned: a user has cordoned it`)
  if (failed.length === 0) return palette.good(`${node} is back`)
  return [
    palette.bad(`${node} is back, but ${counted(failed.length, 'operation')} failed`),
    ...failedText(failed, palette),
  ]
}

/** Returns the numbered operations that take a node out of the cloud, and what speaks against it. */
export function removalPlanText(plan: RemovalPlan, palette: Palette): View {
  const {node, labels, keeps, osds, claims, ends, chassis, keepsChassis, removesHost, residents} = plan
  const disks = osds.map(({id}) => `osd.${id}`).join(', ')
  const kept = keeps.length > 0 ? `it keeps ${keeps.join(', ')}` : 'no chart selects the node'
  const possible: readonly (Step | undefined)[] = [
    osds.length > 0 ? [`empty ${disks}`, 'Ceph copies their data to other nodes'] : undefined,
    labels.length > 0 ? [`remove ${labels.join(', ')}`, kept] : undefined,
    osds.length > 0 ? [`remove ${disks}`, `deletes ${claims.join(', ') || 'no claim'}`] : undefined,
    ends.length > 0 ? [`wait for ${counted(ends.length, 'pod')}`, 'they end without the labels'] : undefined,
    removesHost
      ? ['delete its host', 'with its resource provider, its aggregates and its agents']
      : undefined,
    chassis.length > 0
      ? keepsChassis
        ? ["delete neutron's agents", 'its chassis stays']
        : ['delete its chassis', 'OVN forgets its tunnels']
      : undefined,
  ]
  const steps = possible.filter((step) => step !== undefined)
  const refusals = residents.map((resident) => palette.bad(`✘ refused: ${plainLine(resident)}`))
  if (steps.length === 0 && residents.length === 0) return nothingLeft(plan)
  return [`to remove ${palette.strong(node)}:`, stepsPart(steps, palette), ...refusals]
}

function nothingLeft({node, keeps}: Pick<RemovalPlan, 'node' | 'keeps'>): string {
  return keeps.length > 0
    ? `${node} has nothing to remove; it keeps ${keeps.join(', ')}`
    : `nothing of the cloud is left on ${node}`
}

/** Returns whether anything of a node is left in the cloud. */
export function removedText({node, labels, keeps, operations, left}: Removed, palette: Palette): View {
  const failed = operations.filter(({event}) => event === 'failed')
  if (failed.length === 0 && left.length === 0) {
    return keeps.length > 0
      ? palette.good(`${node} is removed as ${labels.join(', ')}; it keeps ${keeps.join(', ')}`)
      : palette.good(`${node} is no longer part of the cloud`)
  }
  return [
    palette.bad(`${node} is not removed`),
    ...failed.map(({result}) => palette.bad(`✘ nova: ${plainLine(result ?? '')}`)),
    ...left.map((what) => palette.bad(`✘ left: ${what}`)),
  ]
}

/** Returns the numbered operations that make a node a hypervisor, and what it lacks. */
export function addPlanText({node, labels, starts, lacks}: AddPlan, palette: Palette): View {
  const steps: readonly Step[] = [
    ...(Object.keys(labels).length > 0
      ? [[`set ${labelsText(labels)}`, 'the charts select the node'] as const]
      : []),
    [`wait for the pods of ${counted(starts.length, 'component')}`, starts.join(', ')],
    ['wait for nova', 'it maps the host to a cell, and Placement records what it has'],
  ]
  return [
    `to add ${palette.strong(node)}:`,
    stepsPart(steps, palette),
    ...lacks.map((what) => palette.bad(`✘ refused: ${what}`)),
  ]
}

export function addedText({node, why, host, seconds}: Added, palette: Palette): View {
  if (why !== undefined) return palette.bad(`${node} takes no instances: ${plainLine(why)}`)
  const {VCPU = 0, MEMORY_MB = 0} = host?.room ?? {}
  return palette.good(`${node} takes instances, after ${seconds} s: ${VCPU} vCPUs, ${MEMORY_MB} MB of memory`)
}

/**
 * Returns the numbered operations that let the members of a lost node begin again, and what speaks against
 * it.
 */
export function replacementPlanText(plan: ReplacementPlan, palette: Palette): View {
  const {node, replacement, labels, members, pods, lostClaims, refusals} = plan
  const lost = members.flatMap((set) => set.lost)
  const claims = lost.flatMap((member) => member.claims)
  const steps: readonly Step[] = [
    ...(replacement !== undefined && Object.keys(labels).length > 0
      ? [[`label ${replacement}`, labelsText(labels)] as const]
      : []),
    ...members
      .filter(({listed}) => listed.length > 0)
      .map(
        ({name, listed}) => [`forget ${listed.join(', ')}`, `the others of ${name} go on without`] as const,
      ),
    ...(claims.length > 0
      ? [
          [
            `delete ${counted(claims.length, 'claim')}`,
            `other members have the data: ${claims.join(', ')}`,
          ] as const,
        ]
      : []),
    ...(pods.length > 0
      ? [[`delete ${counted(pods.length, 'pod')}`, `they start elsewhere: ${pods.join(', ')}`] as const]
      : []),
    ['wait for the members', 'they copy the data of the others'],
    ['complete queues and streams', 'each gets its replicas on new members'],
  ]
  return [
    `to replace ${palette.strong(node)}:`,
    stepsPart(steps, palette),
    ...lostClaims.map((claim) => palette.change(`claim ${claim} stays: no other member has its data`)),
    ...refusals.map((why) => palette.bad(`✘ refused: ${plainLine(why)}`)),
  ]
}

export function replacedText({node, members, lostClaims}: Replaced, palette: Palette): View {
  return [
    palette.good(
      members.length > 0
        ? `${counted(members.length, 'member')} of ${node} began again, and all are ready: ${members.join(', ')}`
        : `no member is on ${node}, and all are ready`,
    ),
    ...lostClaims.map((claim) => palette.change(`claim ${claim} stays: no other member has its data`)),
  ]
}

/** The texts of a change of a node: its plan, and what became of it. */
export interface NodeChangeTexts<Plan, Result> {
  plan(plan: Plan, palette: Palette): View
  result(result: Result, palette: Palette): View
}

type TextsOf<Change> =
  Change extends NodeChange<infer Plan, infer Result> ? NodeChangeTexts<Plan, Result> : never

/** The texts of the changes of a node, by the words of `kk node`. */
export const NODE_TEXTS: {readonly [Name in NodeChangeName]: TextsOf<(typeof NODE_CHANGES)[Name]>} = {
  drain: {plan: drainPlanText, result: drainedText},
  return: {plan: () => [], result: returnedText},
  evacuate: {plan: evacuationPlanText, result: evacuatedText},
  remove: {plan: removalPlanText, result: removedText},
  add: {plan: addPlanText, result: addedText},
  replace: {plan: replacementPlanText, result: replacedText},
}
