import type {Lease} from 'kubernetes-types/coordination/v1.js'
import type {Served} from './api/served.ts'

/** The namespace of the Leases that kubelets renew. */
export const NODE_LEASES = 'kube-node-lease'

/** How far the clock of a node differs from that of the API server which its kubelet uses. */
export interface NodeClock {
  readonly node: string
  /** By how many seconds it is ahead, rounded; negative if it is behind, 0 if it agrees. */
  readonly ahead: number
}

/** Differences up to this many seconds count as none: the API server's times have whole seconds. */
const TOLERANCE_SECONDS = 2
/** Older Leases are of kubelets that do not report now. */
const MAX_AGE_MS = 60_000

/**
 * Returns the clocks of the nodes whose kubelets report. A kubelet writes the time of its node into its
 * Lease, and the API server its own time beside it, into the managed fields.
 */
export function nodeClocks(leases: readonly Served<Lease>[]): readonly NodeClock[] {
  const read = leases.flatMap(({metadata, spec}) => {
    const writes = (metadata.managedFields ?? []).filter(({fieldsV1}) => ownsRenewTime(fieldsV1))
    const [time] = writes.map((each) => Date.parse(each.time ?? '')).toSorted((one, other) => other - one)
    const renewed = Date.parse(spec?.renewTime ?? '')
    if (time === undefined || Number.isNaN(time) || Number.isNaN(renewed)) return []
    // On average, half a second is cut off from the API server's time.
    return [{node: metadata.name, time, ahead: (renewed - time - 500) / 1000}]
  })
  const newest = Math.max(...read.map(({time}) => time))
  return read
    .filter(({time}) => newest - time <= MAX_AGE_MS)
    .map(({node, ahead}) => ({node, ahead: Math.abs(ahead) <= TOLERANCE_SECONDS ? 0 : Math.round(ahead)}))
}

function ownsRenewTime(fields: object | undefined): boolean {
  const spec = (fields as Readonly<Record<string, object>> | undefined)?.['f:spec']
  return spec !== undefined && 'f:renewTime' in spec
}

/** Returns a difference in words: `5 s ahead`. */
export function clockText({ahead}: Pick<NodeClock, 'ahead'>): string {
  return `${Math.abs(ahead)} s ${ahead > 0 ? 'ahead' : 'behind'}`
}
