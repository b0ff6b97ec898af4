import type {Resource} from '../api/resources.ts'
import {KK_NAMESPACE} from '../lease/lease.ts'
import type {KubernetesObject} from '../manifest/kubernetes-object.ts'
import {clusterChartRules, type RoleSet, type Rule, rulesOf} from './roles.ts'

const rbac = (kind: string, plural: string, namespaced: boolean): Resource => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind,
  plural,
  namespaced,
})
export const CLUSTER_ROLES = rbac('ClusterRole', 'clusterroles', false)
export const CLUSTER_BINDINGS = rbac('ClusterRoleBinding', 'clusterrolebindings', false)
export const ROLES = rbac('Role', 'roles', true)
export const BINDINGS = rbac('RoleBinding', 'rolebindings', true)
export const ACCOUNTS: Resource = {
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  namespaced: true,
}

/** The ServiceAccount of kk in a cluster, and its rights. */
export interface Account {
  /** The name of the ServiceAccount, and of its roles. */
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  /** The namespace of the ServiceAccount. */
  readonly namespace: string
  readonly rights: RoleSet
  /** The namespaces in which it may deploy. */
  readonly releases: readonly string[]
  /** Its rights on the cluster in addition to the role set. */
  readonly beside?: readonly Rule[]
  /** Its rights in its own namespace in addition to the role set. */
  readonly atHome?: readonly Rule[]
  /** Whether it may create the cluster-scoped objects of kk's own charts. */
  readonly makesOfCluster?: boolean
}

/** Returns the rules of a role set by place; `beside` has additional rules on the cluster. */
export function accountRules(rights: RoleSet, beside: readonly Rule[] = []) {
  const {cluster, release, rendered, [KK_NAMESPACE]: system} = rulesOf(rights)
  return {
    cluster: [...necessary(cluster), ...granted(beside)],
    [KK_NAMESPACE]: granted(system),
    release: granted([...release, ...rendered]),
  }
}

/** Returns the rules for the cluster-scoped objects that kk's own charts render. */
export function chartsRules(): readonly object[] {
  return granted(clusterChartRules())
}

/** Returns a ServiceAccount with its roles, in the order in which they are applied. */
export function accountObjects({
  name,
  labels,
  namespace,
  rights,
  releases,
  beside,
  atHome = [],
  makesOfCluster = false,
}: Account): readonly KubernetesObject[] {
  const {cluster, release, [KK_NAMESPACE]: system} = accountRules(rights, beside)
  const places = [
    [KK_NAMESPACE, system],
    [namespace, granted(atHome)],
    ...releases.map((each) => [each, release] as const),
  ] as const
  const rules = Map.groupBy(places, ([place]) => place)
  const object = (
    {apiVersion, kind}: Resource,
    place: string,
    content: object,
    named = name,
  ): KubernetesObject => ({
    apiVersion,
    kind,
    metadata: {name: named, ...(place !== '' && {namespace: place}), labels},
    ...content,
  })
  const bound = ({kind}: Resource, role = name) => ({
    roleRef: {apiGroup: 'rbac.authorization.k8s.io', kind, name: role},
    subjects: [{kind: ACCOUNTS.kind, name, namespace}],
  })
  const charts = `${name}-charts`
  return [
    object(ACCOUNTS, namespace, {}),
    object(CLUSTER_ROLES, '', {rules: cluster}),
    object(CLUSTER_BINDINGS, '', bound(CLUSTER_ROLES)),
    ...(makesOfCluster
      ? [
          object(CLUSTER_ROLES, '', {rules: chartsRules()}, charts),
          object(CLUSTER_BINDINGS, '', bound(CLUSTER_ROLES, charts), charts),
        ]
      : []),
    ...[...rules].flatMap(([place, parts]) => [
      object(ROLES, place, {rules: parts.flatMap(([, each]) => each)}),
      object(BINDINGS, place, bound(ROLES)),
    ]),
  ]
}

/**
 * Returns the required rules; in a namespace the account also has the rights that only help to report
 * failures.
 */
function necessary(rules: readonly Rule[]): readonly object[] {
  return granted(rules.filter(({without}) => without.length === 0))
}

function granted(rules: readonly Rule[]): readonly object[] {
  return rules.map(({why: _, without: __, ...granted}) => granted)
}
