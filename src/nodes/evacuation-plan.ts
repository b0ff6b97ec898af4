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
  const staying = notEvacuable(facts, host, (server) => unknownDisk(server, clients))
  const evacuated = own.filter((server) => !staying.has(server))
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
    stays: [...staying].map(([{id, name, project, user}, why]) => ({server: id, name, project, user, why})),
  }
}

/** The names of the images in Ceph that are the disks of an instance. */
function disksOf({id, volumes}: Server): readonly string[] {
  return [`${id}_disk`, ...volumes.map((volume) => `volume-${volume}`)]
}

/**
 * Returns the instances of a host that would start nowhere if it were lost, with the reason; `unknown`
 * returns one more for an instance.
 */
export function notEvacuable(
  facts: CloudFacts,
  host: string,
  unknown: (server: Server) => string | undefined = () => undefined,
): ReadonlyMap<Server, string> {
  const own = facts.servers.filter((server) => server.host === host)
  const bound = new Map(
    own.flatMap((server) => {
      const why = boundBy(server) ?? unknown(server)
      return why === undefined ? [] : [[server, why] as const]
    }),
  )
  const others = own.filter((server) => !bound.has(server))
  return new Map([...bound, ...unplaceable(others, facts)])
}

function boundBy({localDiskGB, status}: Server): string | undefined {
  if (localDiskGB > 0) return 'its disk is a file of the node'
  const isMovable = ['ACTIVE', 'SHUTOFF', 'ERROR'].includes(status)
  return isMovable ? undefined : `it is ${status}, and nova evacuates no such instance`
}

/** Returns a disk of an instance of which it is not known whether the node still writes to it. */
function unknownDisk(server: Server, clients: NodeEvidence['clients']): string | undefined {
  const unseen = server.volumes.find((volume) => !clients?.has(`volume-${volume}`))
  if (unseen !== undefined)
    return `Ceph has no image of its volume ${unseen}, so the clients of that are unknown`
  const isSeen = disksOf(server).some((disk) => clients?.has(disk))
  return isSeen
    ? undefined
    : 'its disks are not in Ceph, so it is not known whether the node still writes to them'
}
