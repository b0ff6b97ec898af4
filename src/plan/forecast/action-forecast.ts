import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import type {ReleaseId} from '../../release.ts'

/**
 * What people notice of an action. `none`: nothing. `brief`: calls wait or fail for seconds while pods are
 * replaced. `outage`: as long as the action takes. `unknown`: nothing states it.
 */
export type Impact = 'none' | 'brief' | 'outage' | 'unknown'

/** An impact, and the workloads that cause it, for people; none if there is no impact. */
export interface Noticed {
  readonly impact: Impact
  readonly why: readonly string[]
}

/** What the users of a service notice, and what instances do. */
export interface NoticedBy {
  readonly users: Noticed
  readonly instances: Noticed
}

/** How long an action takes. */
export interface Expected {
  readonly seconds: number
  /** The number of earlier runs of which `seconds` is the median; 0 if it is estimated from the manifest. */
  readonly runs: number
  /** Whether an estimate is of one node, and pods are replaced on one node after the other. */
  readonly perNode?: true
}

/** What an action takes, and who notices it. */
export interface ActionForecast extends Expected, NoticedBy {
  readonly release: ReleaseId
  /** The Jobs of a deployed release that migrate databases: from the first one on there is no way back. */
  readonly migrations: readonly string[]
  /** Whether it replaces images of a deployed release. */
  readonly replacesImages: boolean
}

/** The manifests of a release before and after an action, hooks included. */
export interface Manifests {
  readonly before: readonly KubernetesObject[]
  readonly after: readonly KubernetesObject[]
}

/** Returns only how long an action takes. */
export function expectedOf({seconds, runs, perNode}: Expected): Expected {
  return {seconds, runs, ...(perNode && {perNode})}
}
