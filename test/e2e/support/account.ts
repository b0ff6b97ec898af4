import {writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {expect, inject} from 'vitest'
import {kubectl, uniqueName} from './cluster.ts'
import type {OwnCluster} from './guarded.ts'

const RBAC = 'rbac.authorization.k8s.io/v1'

interface AccountOptions {
  /** Namespaces in which it may do everything. */
  readonly adminOf: readonly string[]
  /** Namespaces that it may look at, nothing in them. */
  readonly sees: readonly string[]
}

/** A kubeconfig for the cluster of the run, of a new service account that has these rights and no other. */
export async function restrictedAccount({adminOf, sees}: AccountOptions): Promise<string> {
  const account = uniqueName('account')
  const of = `--serviceaccount=default:${account}`
  await kubectl(['create', 'serviceaccount', account, '--namespace', 'default'])
  for (const namespace of adminOf) {
    await kubectl([
      ...['create', 'rolebinding', account, '--namespace', namespace],
      ...['--clusterrole=cluster-admin', of],
    ])
  }
  const names = sees.map((namespace) => `--resource-name=${namespace}`)
  await kubectl(['create', 'clusterrole', account, '--verb=get', '--resource=namespaces', ...names])
  await kubectl(['create', 'clusterrolebinding', account, `--clusterrole=${account}`, of])
  const token = await kubectl(['create', 'token', account, '--namespace', 'default'])
  const config = JSON.parse(await kubectl(['config', 'view', '--raw', '--output', 'json']))
  const users = config.users.map(({name}: {name: string}) => ({name, user: {token}}))
  const path = join(inject('run').home, `${account}.yaml`)
  await writeFile(path, JSON.stringify({...config, users}), {mode: 0o600})
  return path
}

/** A Role or ClusterRole, as a page gives it. */
export interface Role {
  readonly kind: 'Role' | 'ClusterRole'
  readonly metadata: {readonly name: string; readonly namespace?: string}
  readonly rules: readonly Rule[]
}

export interface Rule {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly verbs: readonly string[]
}

/**
 * A kubeconfig for a cluster of the test's own, of a new service account that has these roles and no other
 * right.
 */
export async function accountWith(
  cluster: Pick<OwnCluster, 'kubectl' | 'create'>,
  roles: readonly Role[],
): Promise<string> {
  const account = uniqueName('account')
  const subjects = [{kind: 'ServiceAccount', name: account, namespace: 'default'}]
  const objects = roles.flatMap(({kind, metadata, rules}, index) => {
    const own = {...metadata, name: `${account}-${index}`}
    const roleRef = {apiGroup: 'rbac.authorization.k8s.io', kind, name: own.name}
    return [
      {apiVersion: RBAC, kind, metadata: own, rules},
      {apiVersion: RBAC, kind: `${kind}Binding`, metadata: own, roleRef, subjects},
    ]
  })
  const user = {apiVersion: 'v1', kind: 'ServiceAccount', metadata: {name: account, namespace: 'default'}}
  const created = await cluster.create({apiVersion: 'v1', kind: 'List', items: [user, ...objects]})
  expect(created.exitCode, created.stderr).toBe(0)
  const token = (await cluster.kubectl('create', 'token', account, '--namespace', 'default')).stdout
  const config = JSON.parse((await cluster.kubectl('config', 'view', '--raw', '--output', 'json')).stdout)
  const users = config.users.map(({name}: {name: string}) => ({name, user: {token}}))
  const path = join(inject('run').home, `${account}.yaml`)
  await writeFile(path, JSON.stringify({...config, users}), {mode: 0o600})
  return path
}
