import {readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {beforeAll, expect, inject, it} from 'vitest'
import {waitFor} from './support/cluster.ts'
import {done} from './support/guarded.ts'
import {type OperatedCluster, startOperatedCluster} from './support/operator.ts'

/** What kk 0.1.0 applied for two namespaces, with all rights, before the operator was a chart. */
const FORMER = join(import.meta.dirname, '../fixtures/former-operator.json')
const IMAGE = ['--image', 'registry.example.org/kk:1', '--yes']
const HOME = ['--namespace', 'kk-system']

let cluster: OperatedCluster
beforeAll(async () => {
  cluster = await startOperatedCluster(4)
  return () => cluster.end()
})

/** Takes away what is there of the operator, and applies what the former kk did, as it did. */
async function installFormer(first: string, second: string): Promise<void> {
  await cluster.uninstall()
  await waitFor(async () => (await cluster.kubectl('get', 'environments', ...HOME)).exitCode !== 0, {
    until: 'the kinds are gone',
  })
  const text = (await readFile(FORMER, 'utf8'))
    .replaceAll('first-namespace', first)
    .replaceAll('second-namespace', second)
  const file = join(inject('run').home, `former-${first}.json`)
  await writeFile(file, text)
  const flags = ['--server-side', '--field-manager', 'kk', '--force-conflicts']
  await done(cluster.kubectl('apply', ...flags, '--filename', file))
}

interface Deployment {
  readonly metadata: {
    readonly uid: string
    readonly managedFields: readonly {readonly manager: string}[]
  }
  readonly spec: object
}

const deployment = () =>
  cluster.ask<Deployment>({path: '/apis/apps/v1/namespaces/kk-system/deployments/kk-operator'})

/** Each set of pods that the Deployment has made; a change of them makes another. */
const podSets = async () => done(cluster.kubectl('get', 'replicasets', ...HOME, '--output', 'name'))

const releases = async () => done(cluster.helm('helm4', 'list', '--short', ...HOME))

async function mayDeploy(name: string): Promise<string> {
  const account = ['--as', 'system:serviceaccount:kk-system:kk-operator']
  const words = ['auth', 'can-i', 'delete', 'secrets', '--namespace', name, ...account]
  return (await cluster.kubectl(...words)).stdout.trim()
}

it.each(['helm4', 'helm3'] as const)(
  'an operator that was applied without helm becomes a release, and continues to manage its environments: %s',
  {timeout: 600_000},
  async (helm) => {
    const [kept, left] = [cluster.environment(), cluster.environment()]
    await installFormer(kept.name, left.name)
    const operator = await cluster.start()
    await kept.apply(kept.text())
    const environment = await kept.has('Ready', 'True')
    const [former, pods] = [await deployment(), await podSets()]
    const before = [await mayDeploy(kept.name), await mayDeploy(left.name)]

    const program = ['--helm', join(inject('run').toolbox, helm)]
    const install = () => done(cluster.operator('install', ...IMAGE, '--namespace', kept.name, ...program))
    await install()
    const taken = await deployment()
    await kept.rewrite(kept.text({api: {replicas: 2}}))
    await kept.comesTo('api 2')
    await install()
    const charts = await cluster.kubectl('get', 'clusterrole', 'kk-operator-charts')
    const after = [await mayDeploy(kept.name), await mayDeploy(left.name)]
    const [listed, podsAfter] = [await releases(), await podSets()]
    const again = await kept.has('Ready', 'True')
    await operator.stop()
    await cluster.uninstall()

    expect([taken.metadata.uid, taken.spec]).toEqual([former.metadata.uid, former.spec])
    expect(pods).toMatch(/^replicaset\.apps\/kk-operator-\w+\s*$/)
    expect(podsAfter).toBe(pods)
    expect(former.metadata.managedFields.map(({manager}) => manager)).toContain('kk')
    expect(taken.metadata.managedFields.map(({manager}) => manager)).not.toContain('kk')
    expect(again.metadata.uid).toBe(environment.metadata.uid)
    expect(await operator.changes(kept)).toEqual(['install db', 'install api', 'upgrade api'])
    expect(await kept.revisions()).toEqual(['api 1', 'api 2', 'db 1'])
    expect(before).toEqual(['yes', 'yes'])
    expect(after).toEqual(['yes', 'no'])
    expect(charts.stderr).toContain('not found')
    expect(listed.trim()).toBe('kk-operator')
    expect((await releases()).trim()).toBe('')
    const account = await cluster.kubectl('get', 'serviceaccount', 'kk-operator', ...HOME)
    expect(account.stderr).toContain('not found')
  },
)
