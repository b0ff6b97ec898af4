import type {Southbound} from '../../audit/facts.ts'
import {collectors, gather} from '../../audit/gather.ts'
import {chassisDeletion, SBCTL, SOUTHBOUND} from '../../audit/repairs.ts'
import {KkError} from '../../base/errors.ts'
import type {Exec, SeenPod} from '../../kubernetes/exec/exec.ts'
import type {Chassis} from '../../nodes/removal-plan.ts'
import {runInPod} from './run-in-pod.ts'

export interface OvnPorts {
  readonly exec: Pick<Exec, 'pods' | 'run'>
  /** The directory of kk's own files. */
  readonly files: string
}

/** Reads the southbound database of the release of a pod of OVN. Throws `KK_EXEC` if that is impossible. */
export async function readSouthbound(
  {exec, files}: OvnPorts,
  {namespace, release, chart}: Pick<SeenPod, 'namespace' | 'release' | 'chart'>,
): Promise<Southbound> {
  const {facts, notAsked} = await gather(
    {exec, program: collectors(files)},
    {releases: [{namespace, name: release, chart}], only: {sources: ['southbound'], node: undefined}},
  )
  if (facts.southbound) return facts.southbound
  const [{reason} = {reason: 'its pods do not run'}] = notAsked
  throw new KkError('KK_EXEC', `the southbound database of OVN cannot be read: ${reason}`)
}

/** Returns the chassis of a node: one, or several if its Open vSwitch has lost its database. */
export function chassisOf({chassis}: Southbound, node: string): Southbound['chassis'] {
  return chassis.filter(({hostname}) => hostname === node)
}

/**
 * Returns the chassis of a node with neutron's agents on it, also one that was deleted without its agents:
 * the charts call a chassis as its node.
 */
export function removableChassis(southbound: Southbound, node: string): readonly Chassis[] {
  const names = new Set(chassisOf(southbound, node).map(({name}) => name))
  if (southbound.agents.has(node)) names.add(node)
  return [...names].map((name) => {
    const reported = Object.entries(southbound.agents.get(name) ?? {})
    return {name, agents: Object.fromEntries(reported.filter(([key]) => key.startsWith(AGENT)))}
  })
}

const AGENT = 'neutron:ovn-'

/** Returns the ports of routers whose gateway is a node. */
export function gatewayPorts(southbound: Southbound, node: string): readonly string[] {
  const own = new Set(chassisOf(southbound, node).map(({uuid}) => uuid))
  return southbound.bindings
    .filter(({type, chassis}) => type === 'chassisredirect' && chassis !== undefined && own.has(chassis))
    .map(({port}) => port.replace(/^cr-/, ''))
}

/**
 * Returns a pod that runs a southbound database; undefined if there is none. Throws `KK_AMBIGUOUS` if several
 * releases have one.
 */
export function southboundPod(pods: readonly SeenPod[]): SeenPod | undefined {
  const own = pods.filter(({chart, component, isRunning}) => {
    return isRunning && chart === SOUTHBOUND.chart && SOUTHBOUND.components.includes(component)
  })
  const releases = new Set(own.map(({namespace, release}) => `${namespace}/${release}`))
  if (releases.size > 1) {
    throw new KkError('KK_AMBIGUOUS', `several releases of OVN: ${[...releases].join(', ')}`, {
      hint: 'use an environment file with one of them',
    })
  }
  return own[0]
}

/** Deletes chassis, with what neutron's agents report there. Throws `KK_EXEC` if the database refuses it. */
export async function deleteChassis(
  exec: OvnPorts['exec'],
  pod: SeenPod,
  chassis: readonly Chassis[],
): Promise<void> {
  for (const {name} of chassis) await change(exec, pod, chassisDeletion(name))
}

/**
 * Deletes neutron's agents on chassis that stay, as neutron does it: it drops an agent whose ID appears in
 * `SB_Global` (neutron: ovn/mech_driver/mech_driver.py delete_agent), with the chassis.
 */
export async function deleteAgents(
  exec: OvnPorts['exec'],
  pod: SeenPod,
  chassis: readonly Chassis[],
): Promise<void> {
  for (const {name, agents} of chassis) {
    const keys = Object.keys(agents).map(quoted)
    await change(exec, pod, ['remove', 'Chassis_Private', name, 'external_ids', ...keys])
    for (const [key, id] of Object.entries(agents)) {
      if (!key.endsWith('-id')) continue
      await change(exec, pod, ['set', 'SB_Global', '.', `external_ids:delete_agent=${quoted(id)}`])
      await change(exec, pod, ['remove', 'SB_Global', '.', 'external_ids', 'delete_agent'])
    }
  }
}

/** A key or value with a colon is quoted in commands of OVN. */
function quoted(text: string): string {
  return `"${text}"`
}

async function change(exec: OvnPorts['exec'], pod: SeenPod, words: readonly string[]): Promise<void> {
  await runInPod(exec, pod, [...SBCTL, ...words], {title: `ovn-sbctl ${words.join(' ')}`})
}
