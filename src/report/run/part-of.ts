import type {Cause} from '../../cluster/cluster.ts'
import type {RunEvent} from '../../run/events.ts'

/** Where the time of an action goes: `containers` are being made, which fetches images and mounts volumes. */
export type Part = 'helm' | 'containers' | 'jobs' | 'pods'

/** Kubernetes' words for a container that is not there yet. */
const MAKING = /^(?:ContainerCreating|ErrImagePull|ImagePullBackOff)$/

/** What an action waits for now. Pods wait for Jobs, so that these count first. */
export function partOf({phase, blames = []}: Extract<RunEvent, {type: 'release-progressed'}>): Part {
  if (phase !== 'gate') return 'helm'
  const jobs = blames.filter(({object}) => object.startsWith('Job/'))
  const waited = jobs.length > 0 ? jobs : blames
  if (waited.some(isMaking)) return 'containers'
  return jobs.length > 0 ? 'jobs' : 'pods'
}

function isMaking({reason = '', detail}: Cause): boolean {
  return MAKING.test(reason) || (reason === 'PodInitializing' && !detail?.includes('still running'))
}
