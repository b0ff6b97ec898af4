import {writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {afterEach, beforeAll, describe, expect, it} from 'vitest'
import {openCluster} from '../../src/kubernetes/open.ts'
import {releaseId} from '../../src/release.ts'
import {uniqueName} from '../e2e/support/cluster.ts'
import {workloads} from '../e2e/support/environment.ts'
import {type OwnCluster, startOwnCluster} from '../e2e/support/guarded.ts'
import {kk} from '../e2e/support/kk.ts'
import {deployOn, type Removable} from '../e2e/support/removal.ts'

let cluster: OwnCluster
let environment: Removable
beforeAll(async () => {
  cluster = await startOwnCluster()
  environment = await deployOn(cluster, workloads({db: {}, api: {requires: ['db']}, web: {}}))
  return cluster.end
})

/** A Secret of helm's that holds garbage, in the namespace `default`. */
async function putGarbage(name: string, labels: Readonly<Record<string, string>>): Promise<void> {
  await cluster.create({
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'helm.sh/release.v1',
    metadata: {name, namespace: 'default', labels},
    stringData: {release: 'H4sIgarbage'},
  })
}

describe('an unreadable record counts as a user of each release:', () => {
  afterEach(async () => {
    await cluster.kubectl('delete', 'secrets', '--all', '--namespace', 'default')
  })

  it.each([
    [
      'a record whose content is garbage',
      'sh.helm.release.v1.wiki.v1',
      {owner: 'helm', name: 'wiki', status: 'deployed', version: '1'},
      'default/wiki',
    ],
    [
      'a record that has lost its labels, which helm passes over',
      'sh.helm.release.v1.wiki.v1',
      {},
      'default/sh.helm.release.v1.wiki.v1',
    ],
  ])('%s, until it is excused by name', async (_, secret, labels, name) => {
    await putGarbage(secret, labels)

    const removed = await environment.on('remove', 'web', '--yes')
    const destroyed = await environment.on('destroy', '--confirm', environment.name)
    const other = await environment.on('remove', 'web', '--yes', '--ignore-record', 'default/other')
    const excused = await environment.on('remove', 'web', '--dry-run', '--ignore-record', name)

    for (const {exitCode, stderr} of [removed, destroyed, other]) {
      expect(exitCode).toBe(3)
      expect(stderr).toContain('KK_HAS_DEPENDENTS')
      expect(stderr).toContain(`--ignore-record ${name}`)
    }
    expect(excused.exitCode, excused.stderr).toBe(0)
    expect(await environment.releases()).toEqual(['api', 'db', 'web'])
    expect(await environment.uninstalls()).toEqual([])
  })

  it('records that cannot be decoded are an error, not an absent release', async () => {
    const labels = {owner: 'helm', name: 'broken', status: 'deployed', version: '1'}
    await putGarbage('sh.helm.release.v1.broken.v1', labels)
    const opened = await openCluster({kubeconfig: cluster.kubeconfig, env: {}})

    await expect(opened.records.stored(releaseId('default', 'broken'))).rejects.toMatchObject({
      code: 'KK_RECORD',
    })
    await opened.close()
  })

  it('orphans are listed nevertheless, with the records that may use them', async () => {
    await putGarbage('sh.helm.release.v1.wiki.v1', {owner: 'helm', name: 'wiki', status: 'deployed'})

    const {exitCode, stdout} = await environment.on('orphans')

    expect(exitCode).toBe(0)
    expect(stdout).toContain('! default/wiki may use any of these')
  })
})

it('a user without permission to list records in all namespaces removes nothing', async () => {
  const before = await cluster.snapshot(environment.name)
  const path = await kubeconfigOfNamespaceAdmin()

  const {exitCode, stderr} = await kk([
    ...['remove', 'web', environment.file, '--yes'],
    ...['--kubeconfig', path, '--helm', environment.helm],
  ])

  expect(exitCode).toBe(3)
  expect(stderr).toContain('KK_HAS_DEPENDENTS')
  expect(stderr).toContain('list secrets in all namespaces')
  expect(await cluster.snapshot(environment.name)).toBe(before)
})

/** Somebody who may do everything in the environment's namespace, and look at namespaces. */
async function kubeconfigOfNamespaceAdmin(): Promise<string> {
  const account = uniqueName('admin')
  const of = `--serviceaccount=default:${account}`
  await cluster.kubectl('create', 'serviceaccount', account)
  await cluster.kubectl(
    ...['create', 'rolebinding', account, '--clusterrole=cluster-admin', of],
    ...['--namespace', environment.name],
  )
  await cluster.kubectl('create', 'clusterrole', account, '--verb=get,list', '--resource=namespaces')
  await cluster.kubectl('create', 'clusterrolebinding', account, `--clusterrole=${account}`, of)
  const token = (await cluster.kubectl('create', 'token', account)).stdout
  const config = JSON.parse((await cluster.kubectl('config', 'view', '--raw', '--output', 'json')).stdout)
  const path = join(environment.directory, 'kubeconfig')
  const users = config.users.map(({name}: {name: string}) => ({name, user: {token}}))
  await writeFile(path, JSON.stringify({...config, users}), {mode: 0o600})
  return path
}

it('a dependent that can be read is never excused', async () => {
  const name = `${environment.name}/api`

  const {exitCode, stderr} = await environment.on('remove', 'db', '--yes', '--ignore-record', name)

  expect(exitCode).toBe(3)
  expect(stderr).toContain(`${name} (environment "${environment.name}") requires db`)
})
