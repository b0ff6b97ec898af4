import type {InstancePlan} from './drain-plan.ts'
import type {CloudFacts, Server} from './facts.ts'
import {unplaceable} from './room.ts'

/** The facts that show whether a node is off, besides those of nova. */
export interface NodeEvidence {
  /** Whether Kubernetes has heard nothing of its kubelet: its Lease has expired. */
  readonly isSilent: boolean
  /** The clients that have opened each image in Ceph, by the image's name; undefined without Ceph. */
  readonly clients: ReadonlyMap<string, readonly string[]> | undefined
}

/** How the instances of a dead host start on others. */
export interface EvacuationPlan extends InstancePlan {
  /** Why the node may still be running; nothing is evacuated then. */
  readonly doubts: readonly string[]
}

/**
 * Plans how the instances of a host start on other hosts; pure. An instance that ran twice would destroy its
 * disks, so three facts must show that the host is off: its Lease, nova, and the clients of the disks.
 */
export function planEvacuation(
  facts: CloudFacts,
  host: string,
  {isSilent, clients}: NodeEvidence,
): EvacuationPlan {
  const service = facts.hosts.find(({name}) => name === host)
  const own = facts.servers.filter((server) => server.host === host)
  const open = own.flatMap((server) => {
    const addresses = disksOf(server).flatMap((disk) => clients?.get(disk) ?? [])
    return addresses.map((address) => `a disk of ${server.name} is still open, from ${address}`)
  })
  const doubts = [
    ...(isSilent ? [] : ['its kubelet reports to Kubernetes']),
    ...(service?.isUp && !service.isForcedDown ? ['its nova-compute reports to nova'] : []),
    ...new Set(open),
  ]
  const lost = new Map(
    own.flatMap((server) => {
      const why = reasonToStay(server, clients !== undefined)
      return why === undefined ? [] : [[server, why] as const]
    }),
  )
  const leaving = own.filter((server) => !lost.has(server))
  const reasons = new Map([...lost, ...unplaceable(leaving, facts)])
  const evacuated = leaving.filter((server) => !reasons.has(server))
  return {
    doubts,
    operations: [
      {do: 'force-down', host, cost: 'nova takes it for down until kk node return'},
      ...evacuated.map(({id, name}) => {
        return {
          do: 'evacuate',
          host,
          server: id,
          name,
          cost: 'it starts from its disk, as after a power cut',
        } as const
      }),
    ],
    stays: [...reasons].map(([{id, name, project, user}, why]) => ({server: id, name, project, user, why})),
  }
}

/** The names of the images in Ceph that are the disks of an instance. */
function disksOf({id, volumes}: Server): readonly string[] {
  return [`${id}_disk`, ...volumes.map((volume) => `volume-${volume}`)]
}

function reasonToStay({localDiskGB, status}: Server, hasCeph: boolean): string | undefined {
  if (localDiskGB > 0) return 'its disk is a file of the node'
  if (!hasCeph) return 'its disks are not in Ceph, so it is not known whether the node still writes to them'
  const isMovable = ['ACTIVE', 'SHUTOFF', 'ERROR'].includes(status)
  return isMovable ? undefined : `it is ${status}, and nova evacuates no such instance`
}
