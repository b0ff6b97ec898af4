import {dig} from '../../../base/dig.ts'
import {hookEvents} from '../../../kubernetes/manifest/helm-view.ts'
import type {KubernetesObject} from '../../../kubernetes/manifest/kubernetes-object.ts'
import type {Waiter} from '../../../release.ts'

const BLOCKING = ['pre-install', 'post-install', 'pre-upgrade', 'post-upgrade']

/**
 * Returns how an object blocks its release; undefined for hooks that a deployment never runs (tests,
 * deletion, rollback).
 */
export function waiterOf(object: KubernetesObject): Waiter | undefined {
  const events = hookEvents(object)
  if (events.length > 0 && !events.some((event) => BLOCKING.includes(event))) return undefined
  if (object.kind === 'CronJob' || dig(object, 'spec', 'replicas') === 0) return 'cron'
  if (events.length > 0) return 'hook'
  return object.kind === 'Job' ? 'job' : 'workload'
}
