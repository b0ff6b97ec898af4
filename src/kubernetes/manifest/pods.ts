import {dig, digMaps, digText} from '../../base/dig.ts'
import type {KubernetesObject} from './kubernetes-object.ts'

const WITH_TEMPLATE = new Set([
  'Deployment',
  'DaemonSet',
  'StatefulSet',
  'Job',
  'ReplicaSet',
  'ReplicationController',
])

/** The pods that an object makes. */
export interface PodTemplate {
  readonly labels: Readonly<Record<string, string>>
  readonly spec: unknown
}

/** Returns the template of the pods of a workload, a Job or a CronJob; undefined for what makes none. */
export function podTemplate(object: KubernetesObject): PodTemplate | undefined {
  const template = templateOf(object)
  if (template === undefined) return undefined
  const labels = dig(template, 'metadata', 'labels') ?? {}
  return {labels: labels as PodTemplate['labels'], spec: dig(template, 'spec')}
}

function templateOf(object: KubernetesObject): unknown {
  if (object.kind === 'Pod') return object
  if (object.kind === 'CronJob') return dig(object, 'spec', 'jobTemplate', 'spec', 'template') ?? {}
  return WITH_TEMPLATE.has(object.kind) ? (dig(object, 'spec', 'template') ?? {}) : undefined
}

/** A container, and what it is called in messages. */
export interface NamedContainer {
  readonly container: object
  readonly title: string
  readonly isInit: boolean
}

/** The containers of a pod, those that start it first. */
export function containersOf({spec}: PodTemplate): readonly NamedContainer[] {
  const init = digMaps(spec, 'initContainers').map((container) => ({
    container,
    title: `init container ${digText(container, 'name') ?? '?'}`,
    isInit: true,
  }))
  const others = digMaps(spec, 'containers').map((container) => ({
    container,
    title: `container ${digText(container, 'name') ?? '?'}`,
    isInit: false,
  }))
  return [...init, ...others]
}

/** The variables of a container whose value is written down. */
export function literalsOf(container: object): ReadonlyMap<string, string> {
  const entries = digMaps(container, 'env').flatMap((each) => {
    const name = digText(each, 'name')
    const value = digText(each, 'value')
    return name === undefined || value === undefined ? [] : [[name, value] as const]
  })
  return new Map(entries)
}
