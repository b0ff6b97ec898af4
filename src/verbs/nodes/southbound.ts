import type {Southbound} from '../../audit/facts.ts'
import {collectors, gather} from '../../audit/gather.ts'
import {SBCTL, SOUTHBOUND} from '../../audit/repairs.ts'
import {KkError} from '../../base/errors.ts'
import type {Exec, SeenPod} from '../../kubernetes/exec/exec.ts'

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

/** Returns the ports of routers whose gateway is a node. */
export function gatewayPorts(southbound: Southbound, node: string): readonly string[] {
  const own = new Set(chassisOf(southbound, node).map(({uuid}) => uuid))
  return southbound.bindings
    .filter(({type, chassis}) => type === 'chassisredirect' && chassis !== undefined && own.has(chassis))
    .map(({port}) => port.replace(/^cr-/, ''))
}

/** Returns a pod that runs a southbound database; undefined without OVN. */
export function southboundPod(pods: readonly SeenPod[]): SeenPod | undefined {
  const own = pods.filter(({chart, component}) => {
    return chart === SOUTHBOUND.chart && SOUTHBOUND.components.includes(component)
  })
  return own.find(({isRunning}) => isRunning) ?? own[0]
}

const COMMAND_TIMEOUT_MS = 60_000

/** Deletes chassis. Throws `KK_EXEC` if the database refuses it. */
export async function deleteChassis(
  {exec}: OvnPorts,
  {namespace, name, container}: SeenPod,
  chassis: readonly string[],
): Promise<void> {
  for (const each of chassis) {
    const {code, stderr} = await exec.run({
      ...{namespace, pod: name, container, command: [...SBCTL, '--if-exists', 'chassis-del', each]},
      timeout: COMMAND_TIMEOUT_MS,
    })
    if (code !== 0)
      throw new KkError(
        'KK_EXEC',
        `chassis ${each} is not deleted, by ${namespace}/${name}: ${stderr.trim()}`,
      )
  }
}
