/** A condition that a pod waits for before it starts; the kinds are kubernetes-entrypoint's. */
export type Dependency =
  | {readonly kind: 'service' | 'daemonset'; readonly namespace: string; readonly name: string}
  | {readonly kind: 'job'; readonly namespace: string; readonly name: string}
  | {readonly kind: 'jobs'; readonly namespace: string; readonly labels: Labels}
  | {readonly kind: 'pod'; readonly namespace: string; readonly labels: Labels; readonly sameNode: boolean}
  | {readonly kind: 'container'; readonly name: string}
  | {readonly kind: 'socket'; readonly path: string}
  | ResourceDependency

export type Labels = Readonly<Record<string, string>>

/** An object, the required values of its fields, and its required conditions. */
export interface ResourceDependency {
  readonly kind: 'resource'
  readonly apiVersion: string
  readonly of: string
  readonly namespace: string
  readonly name: string
  readonly fields: readonly {readonly key: string; readonly value: string}[]
  readonly conditions: readonly {readonly type: string; readonly status: string}[]
}

/** Returns a dependency as its kind and name, e.g. `service mariadb-server in openstack`. */
export function describeDependency(dependency: Dependency): string {
  switch (dependency.kind) {
    case 'socket':
      return `socket ${dependency.path}`
    case 'container':
      return `container ${dependency.name} of this pod`
    case 'jobs':
      return `jobs with ${selector(dependency.labels)} in ${dependency.namespace}`
    case 'pod':
      return `a pod with ${selector(dependency.labels)} in ${dependency.namespace}${dependency.sameNode ? ' on this node' : ''}`
    case 'resource':
      return `${dependency.of} ${dependency.name} in ${dependency.namespace}`
    default:
      return `${dependency.kind} ${dependency.name} in ${dependency.namespace}`
  }
}

/** Returns labels as a `labelSelector` of the API. */
export function selector(labels: Labels): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(',')
}
