import {writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {inject} from 'vitest'
import {kubectl, uniqueName} from './cluster.ts'

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
