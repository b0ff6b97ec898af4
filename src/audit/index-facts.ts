import type {Cell, Facts, Hypervisor, Nova, Server} from './facts.ts'

/** The form of the ids of OpenStack's resources. */
export const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/

/** Nova's power state of a server that runs. */
const POWERED_ON = 1
/** Rows younger than this may belong to an operation that is still in progress. */
const SETTLED_SECONDS = 60
/** After this, an operation that makes no progress is stuck. */
export const STUCK_SECONDS = 3600

/** The servers of all cells, and which of them are being changed. */
export interface Servers {
  readonly cells: readonly (readonly [name: string, cell: Cell])[]
  readonly byId: ReadonlyMap<string, Server>
  /** Returns true if an operation on the server is in progress, or has just ended. */
  isBusy(uuid: string): boolean
  /** Returns true if there is no such server, and none is being created or deleted under this id. */
  isMissing(uuid: string): boolean
  /** Returns what a message calls a server. */
  name(uuid: string): string
}

/** Returns true if a row has not changed for a while. */
export function isSettled({age}: {readonly age: number}): boolean {
  return age >= SETTLED_SECONDS
}

/** Returns true if nova records that a server runs. */
export function isOn({vm_state, power_state}: Server): boolean {
  return vm_state === 'active' && power_state === POWERED_ON
}

export function indexServers(nova: Nova): Servers {
  const cells = Object.entries(nova.cells)
  const all = cells.map(([, cell]) => cell)
  const byId = new Map(all.flatMap(({servers}) => servers).map((server) => [server.uuid, server]))
  const changing = new Set([
    ...all.flatMap(({migrations}) => migrations.map(({instance_uuid}) => instance_uuid)),
    ...all.flatMap(({gone}) => gone.map(({uuid}) => uuid)),
    ...nova.builds.filter(({age}) => age < STUCK_SECONDS).map(({instance_uuid}) => instance_uuid),
    ...nova.mappings.filter((each) => !isSettled(each)).map(({instance_uuid}) => instance_uuid),
  ])
  const isBusy = (uuid: string) => {
    const server = byId.get(uuid)
    if (changing.has(uuid)) return true
    return server !== undefined && (isInTask(server) || !isSettled(server))
  }
  return {
    cells,
    byId,
    isBusy,
    isMissing: (uuid) => !byId.has(uuid) && !isBusy(uuid),
    name: (uuid) => {
      const name = byId.get(uuid)?.display_name
      return name ? `server ${uuid} (${name})` : `server ${uuid}`
    },
  }
}

function isInTask({task_state, vm_state, age}: Server): boolean {
  return (task_state !== null || vm_state === 'building') && age < STUCK_SECONDS
}

/** Returns the libvirt of a host of nova: its node has the same name, or the host name that nova recorded. */
export function hypervisorOf({hypervisors}: Facts, {cells}: Servers, host: string): Hypervisor | undefined {
  const named = hypervisors.get(host)
  if (named) return named
  const names = new Set(
    cells.flatMap(([, {nodes}]) =>
      nodes.filter((node) => node.host === host).map(({hypervisor_hostname}) => hypervisor_hostname),
    ),
  )
  const matches = [...hypervisors.values()].filter(({hostname}) => names.has(hostname))
  return matches.length === 1 ? matches[0] : undefined
}
