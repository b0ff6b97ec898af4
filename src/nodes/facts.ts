import {KkError} from '../base/errors.ts'

/** Amounts by Placement's resource class, e.g. `{VCPU: 2, MEMORY_MB: 4096}`. */
export type Resources = Readonly<Record<string, number>>

/** A host of nova-compute. */
export interface Host {
  readonly name: string
  /** The availability zone. */
  readonly zone: string
  /** Whether its nova-compute reports. */
  readonly isUp: boolean
  readonly isForcedDown: boolean
  readonly isEnabled: boolean
  /** Why it is disabled; empty if it is enabled. */
  readonly reason: string
  /** What its inventories allow in Placement, with their overcommit, and what is allocated. */
  readonly room: Resources
  readonly used: Resources
}

/** An instance on a host. */
export interface Server {
  readonly id: string
  readonly name: string
  readonly host: string
  /** Nova's status: `ACTIVE`, `SHUTOFF`, … */
  readonly status: string
  /** Nova's task in progress; null if there is none. */
  readonly task: string | null
  readonly isLocked: boolean
  readonly tags: readonly string[]
  readonly project: string
  readonly user: string
  /** The availability zone that its user has requested; null for any. */
  readonly zone: string | null
  /** Its allocation in Placement on the host. */
  readonly needs: Resources
  /** The IDs of its volumes. */
  readonly volumes: readonly string[]
  /** The size of disks that are files of the host, in GB. */
  readonly localDiskGB: number
  readonly isPinned: boolean
  /** Devices of the host that are passed through, by flavor key; `port` for a port of such a device. */
  readonly devices: readonly string[]
}

/**
 * What nova, Placement and neutron know of hosts and their instances (`common.scripts.nova-instances.py`).
 */
export interface CloudFacts {
  readonly hosts: readonly Host[]
  readonly servers: readonly Server[]
  /** Server groups with the policy anti-affinity. */
  readonly apart: readonly {readonly id: string; readonly members: readonly string[]}[]
  /** Neutron's agents, each with all names of its host; absent from the program of an older chart. */
  readonly agents?: readonly {readonly id: string; readonly hosts: readonly string[]}[]
  /** The names of Placement's resource providers. */
  readonly providers?: readonly string[]
  /** The migrations of instances that are not over, as nova counts them when a host is deleted. */
  readonly moving?: readonly {
    readonly server: string
    readonly source: string | null
    readonly target: string | null
    readonly status: string
  }[]
}

/** The tag of an instance that kk has stopped, and starts again when its node returns. */
export const STOPPED_TAG = 'kk:stopped'

/** An operation on a host, or on an instance of it. */
export interface Operation {
  readonly do:
    | 'disable'
    | 'enable'
    | 'force-down'
    | 'remove'
    | 'live'
    | 'cold'
    | 'stop'
    | 'start'
    | 'evacuate'
  readonly host: string
  /** The ID of the instance. */
  readonly server?: string
  /** Whether the host that is removed stays a chassis of OVN. */
  readonly keepsChassis?: boolean
}

/** A line of the program about an operation. */
export interface OperationEvent extends Operation {
  readonly event: 'started' | 'done' | 'failed'
  /** What was reached, or why not. */
  readonly result?: string
}

/** Returns the objects among the lines that a pod has logged; libraries write other lines. */
function objectsIn(log: readonly string[]): readonly Readonly<Record<string, unknown>>[] {
  return log
    .filter((line) => line.startsWith('{'))
    .flatMap((line) => {
      try {
        return [JSON.parse(line) as Readonly<Record<string, unknown>>]
      } catch {
        return []
      }
    })
}

/** Returns the facts that a pod has logged. Throws `KK_EXEC` if there are none. */
export function factsIn(log: readonly string[]): CloudFacts {
  const facts = objectsIn(log).find((line) => 'hosts' in line)
  if (facts) return facts as unknown as CloudFacts
  throw new KkError('KK_EXEC', 'the pod that asks nova for its instances ended without an answer', {log})
}

/** Returns what a pod has logged about its operations. */
export function eventsIn(log: readonly string[]): readonly OperationEvent[] {
  return objectsIn(log).filter((line) => 'event' in line) as unknown as readonly OperationEvent[]
}
