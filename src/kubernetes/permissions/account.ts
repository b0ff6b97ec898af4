import type {Resource} from '../api/resources.ts'
import {KK_NAMESPACE} from '../lease/lease.ts'
import type {KubernetesObject} from '../manifest/kubernetes-object.ts'
import {type RoleSet, type Rule, rulesOf, rulesOfCluster} from './roles.ts'

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

/** Who kk is in a cluster, and what it may do there. */
export interface Account {
  /** The name of the ServiceAccount, and of its roles. */
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  /** The namespace of the ServiceAccount. */
  readonly namespace: string
  readonly rights: RoleSet
  /** The namespaces in which it may deploy. */
  readonly releases: readonly string[]
  /** What it may do on the cluster beside what its rights say. */
  readonly beside?: readonly Rule[]
  /** What it may do in its own namespace beside what its rights say. */
  readonly atHome?: readonly Rule[]
  /** Whether it may make the objects of the whole cluster that kk's own charts render. */
  readonly makesOfCluster?: boolean
}

/** Returns the name of the role for what the charts of an account render for the whole cluster. */
export function chartsRoleName(account: string): string {
  return `${account}-charts`
}

/** Returns a ServiceAccount with its roles, in the order in which they are applied. */
export function accountObjects({
  name,
  labels,
  namespace,
  rights,
  releases,
  beside = [],
  atHome = [],
  makesOfCluster = false,
}: Account): readonly KubernetesObject[] {
  const {cluster, release, rendered, ...system} = rulesOf(rights)
  const places = [
    [KK_NAMESPACE, system[KK_NAMESPACE]],
    [namespace, atHome],
    ...releases.map((each) => [each, [...release, ...rendered]] as const),
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
  const charts = chartsRoleName(name)
  return [
    object(ACCOUNTS, namespace, {}),
    object(CLUSTER_ROLES, '', {rules: [...necessary(cluster), ...all(beside)]}),
    object(CLUSTER_BINDINGS, '', bound(CLUSTER_ROLES)),
    ...(makesOfCluster
      ? [
          object(CLUSTER_ROLES, '', {rules: all(rulesOfCluster())}, charts),
          object(CLUSTER_BINDINGS, '', bound(CLUSTER_ROLES, charts), charts),
        ]
      : []),
    ...[...rules].flatMap(([place, parts]) => [
      object(ROLES, place, {rules: all(parts.flatMap(([, each]) => each))}),
      object(BINDINGS, place, bound(ROLES)),
    ]),
  ]
}

/** What kk cannot go without; in a namespace it may also do what helps it to say why something fails. */
function necessary(rules: readonly Rule[]): readonly object[] {
  return all(rules.filter(({without}) => without.length === 0))
}

function all(rules: readonly Rule[]): readonly object[] {
  return rules.map(({why: _, without: __, ...granted}) => granted)
}
