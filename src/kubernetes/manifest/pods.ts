import {dig, digMaps, digText} from '../../base/dig.ts'
import type {KubernetesObject} from './kubernetes-object.ts'

const TEMPLATE_KINDS = new Set([
  'Deployment',
  'DaemonSet',
  'StatefulSet',
  'Job',
  'ReplicaSet',
  'ReplicationController',
])

/** The template of an object's pods. */
export interface PodTemplate {
  readonly labels: Readonly<Record<string, string>>
  readonly spec: unknown
}

/** Returns the pod template of a workload, a Job or a CronJob; undefined for an object without pods. */
export function podTemplate(object: KubernetesObject): PodTemplate | undefined {
  const template = findTemplate(object)
  if (template === undefined) return undefined
  const labels = dig(template, 'metadata', 'labels') ?? {}
  return {labels: labels as PodTemplate['labels'], spec: dig(template, 'spec')}
}

function findTemplate(object: KubernetesObject): unknown {
  if (object.kind === 'Pod') return object
  if (object.kind === 'CronJob') return dig(object, 'spec', 'jobTemplate', 'spec', 'template') ?? {}
  return TEMPLATE_KINDS.has(object.kind) ? (dig(object, 'spec', 'template') ?? {}) : undefined
}

/** The label of the primary of a database, which is set at run time and is in no pod template. */
const PRIMARY = 'kk.openstack.org/primary'

/** Whether an object is a Service that selects pods with these labels. */
export function selectsPods(object: KubernetesObject, labels: PodTemplate['labels']): boolean {
  const selector = Object.entries(dig(object, 'spec', 'selector') ?? {}).filter(([key]) => key !== PRIMARY)
  const isService = object.kind === 'Service' && selector.length > 0
  return isService && selector.every(([key, value]) => labels[key] === value)
}

/** A container, and its name in messages. */
export interface NamedContainer {
  readonly container: object
  readonly title: string
  readonly isInit: boolean
}

/** Returns the containers of a pod, init containers first. */
export function containersOf({spec}: PodTemplate): readonly NamedContainer[] {
  const init = digMaps(spec, 'initContainers').map((container) => ({
    container,
    title: `init container ${digText(container, 'name') ?? '?'}`,
    isInit: true,
  }))
  const main = digMaps(spec, 'containers').map((container) => ({
    container,
    title: `container ${digText(container, 'name') ?? '?'}`,
    isInit: false,
  }))
  return [...init, ...main]
}

/** Returns the variables of a container that have a literal value. */
export function literalVariables(container: object): ReadonlyMap<string, string> {
  const entries = digMaps(container, 'env').flatMap((each) => {
    const name = digText(each, 'name')
    const value = digText(each, 'value')
    return name === undefined || value === undefined ? [] : [[name, value] as const]
  })
  return new Map(entries)
}
