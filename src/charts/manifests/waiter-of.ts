import type {KubernetesObject} from '../../cluster/cluster.ts'
import type {Waiter} from '../../release.ts'
import {dig} from './dig.ts'

const BLOCKING = ['pre-install', 'post-install', 'pre-upgrade', 'post-upgrade', 'crd-install']

/** The hooks that an object is of; none for one that is no hook. */
export function hooksOf({metadata}: KubernetesObject): readonly string[] {
  const stated = metadata.annotations?.['helm.sh/hook']
  return String(stated ?? '')
    .split(/[,\s]+/)
    .filter((hook) => hook !== '')
}

/** How an object blocks what it belongs to; undefined for hooks that a deployment never runs: of tests, deletion and rollback. */
export function waiterOf(object: KubernetesObject): Waiter | undefined {
  const hooks = hooksOf(object)
  if (hooks.length > 0 && !hooks.some((hook) => BLOCKING.includes(hook))) return undefined
  if (object.kind === 'CronJob' || dig(object, 'spec', 'replicas') === 0) return 'cron'
  if (hooks.length > 0) return 'hook'
  return object.kind === 'Job' ? 'job' : 'workload'
}
