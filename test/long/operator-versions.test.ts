import {writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {afterEach, beforeAll, expect, inject, it} from 'vitest'
import type {EnvironmentObject} from '../../src/operator/crds/environment.ts'
import {waitFor} from '../e2e/support/cluster.ts'
import {done} from '../e2e/support/guarded.ts'
import {kk} from '../e2e/support/kk.ts'
import {
  messageOf,
  type OperatedCluster,
  type OperatedEnvironment,
  startOperatedCluster,
} from '../e2e/support/operator.ts'
import {freePort} from './support/free-port.ts'
import {laterKk, nextKk} from './support/next-kk.ts'

// Number 25 of the proof of the design: kk of one version beside kinds of another.
let cluster: OperatedCluster
let next: Awaited<ReturnType<typeof nextKk>>
beforeAll(async () => {
  cluster = await startOperatedCluster(6)
  next = await nextKk()
  await untilCollected()
  return () => cluster.end()
}, 120_000)

afterEach(() => cluster.stopAll())

const DEFINITIONS = ['environments', 'releases', 'nodeoperations'].map(
  (plural) => `${plural}.kk.openstack.org`,
)
const NAMED = ['--sandbox-name'] as const

/**
 * Resolves once the garbage collector knows Environments, which it learns within half a minute: until then it
 * takes one in a version that is served no more for gone, and all that it owns with it.
 */
async function untilCollected(): Promise<void> {
  const metadata = {name: 'none', namespace: 'kk-system'}
  const spec = {source: {configMap: 'none'}, suspend: true}
  await cluster.create({apiVersion: 'kk.openstack.org/v1alpha1', kind: 'Environment', metadata, spec})
  const place = ['environments.kk.openstack.org', metadata.name, '--namespace', metadata.namespace]
  // That takes the collector.
  await done(cluster.kubectl('delete', ...place, '--cascade=foreground'))
}

const bringKinds = () => done(next.run('operator', 'install', '--crds', '--yes', ...NAMED, cluster.sandbox))

interface Definition {
  readonly metadata: {readonly labels: Readonly<Record<string, string>>}
  readonly status: {readonly storedVersions: readonly string[]}
}

const definition = (name: string) =>
  cluster.ask<Definition>({path: `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`})

/** Writes fields of an Environment as the next kk knows it. */
async function merge({name}: OperatedEnvironment, spec: object): Promise<void> {
  const kind = 'environments.v1beta1.kk.openstack.org'
  const place = [name, '--namespace', 'kk-system', '--type', 'merge', '--patch', JSON.stringify({spec})]
  await done(cluster.kubectl('patch', kind, ...place))
}

it('25: the next kk takes over CRDs and operator, and this one takes them back, without revisions except for edits', {
  timeout: 600_000,
}, async () => {
  const environment = cluster.environment()
  const edit = (replicas: number) => environment.rewrite(environment.text({api: {replicas}}))
  const before = await cluster.start()
  await environment.apply(environment.text())
  await environment.has('Ready', 'True')

  await bringKinds()
  const stored = (await definition(DEFINITIONS[0]!)).status.storedVersions
  await merge(environment, {suspend: true})
  await environment.has('Paused', 'True')
  await merge(environment, {suspend: false})
  await environment.has('Ready', 'True')
  await edit(2)
  await environment.comesTo('api 2')
  await before.stop()
  const between = await cluster.startAt({program: next.program})
  await edit(3)
  await environment.comesTo('api 3')
  await between.stop()
  const back = await cluster.install('--image', 'registry.example.org/kk:0')
  const after = await cluster.start()
  await edit(1)
  await environment.comesTo('api 4')

  expect(stored).toEqual(['v1alpha1', 'v1beta1'])
  expect(back).toContain(`not changed, because a newer kk wrote it: ${DEFINITIONS.join(', ')}`)
  for (const name of DEFINITIONS) {
    const {metadata, status} = await definition(name)
    expect(metadata.labels['app.kubernetes.io/version']).toBe('99.0.0')
    expect(status.storedVersions).toEqual(['v1alpha1', 'v1beta1'])
  }
  const image = 'jsonpath={.spec.template.spec.containers[0].image}'
  const deployment = ['deployment/kk-operator', '--namespace', 'kk-system', '--output', image]
  expect(await done(cluster.kubectl('get', ...deployment))).toBe('registry.example.org/kk:0')
  expect(await before.changes(environment)).toEqual(['install db', 'install api', 'upgrade api'])
  expect(await between.changes(environment)).toEqual(['upgrade api'])
  expect(await after.changes(environment)).toEqual(['upgrade api'])
  expect(await environment.revisions()).toEqual(['api 1', 'api 2', 'api 3', 'api 4', 'db 1'])
})

it('25: an Environment with unknown fields waits for an operator that knows them', async () => {
  const environment = cluster.environment()
  await bringKinds()
  const older = await cluster.start()
  await environment.apply(environment.text())
  await environment.has('Ready', 'True')

  await merge(environment, {sticky: true})
  await environment.rewrite(environment.text({api: {replicas: 2}}))
  const stalled = await environment.has('Stalled', 'True', 'KK_KINDS')
  const paused = await cluster.operator('pause', environment.name)
  await done(cluster.operator('resume', environment.name))
  await environment.has('Stalled', 'True', 'KK_KINDS')
  const waiting = await environment.revisions()
  await older.stop()
  await cluster.startAt({program: next.program})
  await environment.comesTo('api 2')

  expect(messageOf(stalled, 'Stalled')).toContain('this kk does not know spec.sticky of the Environment')
  expect(paused.exitCode, paused.stderr).toBe(0)
  expect(waiting).toEqual(['api 1', 'db 1'])
})

it('25: if Environments are served only in a later version, an older kk refuses, and forgets nothing', {
  timeout: 600_000,
}, async () => {
  const environment = cluster.environment()
  const file = join(inject('run').home, `${environment.name}.yaml`)
  const {name} = environment
  const changed = environment.text({api: {replicas: 2}})
  await writeFile(file, changed)
  await bringKinds()
  const port = await freePort()
  const older = await cluster.start('--listen', `127.0.0.1:${port}`)
  await environment.apply(environment.text())
  await environment.has('Ready', 'True')
  const asked = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text()

  await serve(false)
  const isServed = () =>
    environment.read().then(
      () => true,
      () => false,
    )
  await waitFor(async () => !(await isServed()), {until: 'it is served no more'})
  await environment.rewrite(changed)
  await waitFor(async () => /result="error"\} [1-9]/.test(await asked('/metrics')), {
    until: 'it has passed over what it cannot read',
  })
  const refused = await Promise.all(
    [
      ['operator', 'status'],
      ['operator', 'pause', name],
      ['operator', 'resume', name],
      ['operator', 'retry', name],
      ['operator', 'follow', name],
      ['operator', 'approve', name, '0'.repeat(64)],
      ['operator', 'adopt', file],
      ['operator', 'install', '--image', 'i', '--namespace', name, '--yes'],
      ['operator', 'uninstall', '--yes'],
      ['fleet', 'status'],
      ['fleet', 'plan', name],
      ['deploy', file, '--via', 'operator'],
    ].map((words) => kk([...words, ...NAMED, cluster.sandbox])),
  )
  const byHand = await kk(['deploy', file, ...NAMED, cluster.sandbox])
  const between = await environment.revisions()
  await serve(true)
  await environment.comesTo('api 2')
  const said = await older.stop()

  for (const {exitCode, stderr, command} of refused) {
    expect(exitCode, command).toBe(3)
    expect(stderr, command).toContain('KK_KINDS')
    expect(stderr, command).toContain('the cluster serves Environments as kk.openstack.org/v1beta1')
  }
  expect(byHand.exitCode).toBe(3)
  expect(byHand.stderr).toContain('KK_OPERATED')
  expect(between).toEqual(['api 1', 'db 1'])
  expect(said).toContain('the cluster serves Environments as kk.openstack.org/v1beta1')
})

/** Has the API server serve the version of this kk, or not; after that of the next one. */
async function serve(isServed: boolean): Promise<void> {
  const patch = JSON.stringify([{op: 'replace', path: '/spec/versions/0/served', value: isServed}])
  for (const name of DEFINITIONS)
    await done(cluster.kubectl('patch', 'crd', name, '--type', 'json', '--patch', patch))
}

it('25: the deletion guard of an Environment with RemoveUnshared works in each version', async () => {
  await bringKinds()
  const {name} = cluster.environment()
  const metadata = {name, namespace: 'kk-system'}
  const spec = {source: {configMap: 'none'}, deletionPolicy: 'RemoveUnshared', suspend: true}
  await cluster.create({apiVersion: 'kk.openstack.org/v1beta1', kind: 'Environment', metadata, spec})

  const refused = await cluster.kubectl(
    ...['delete', 'environments.v1beta1.kk.openstack.org', name, '--namespace', 'kk-system'],
    '--dry-run=server',
  )

  expect(refused.stderr).toContain(`this would remove the releases of the Environment ${name}`)
})

it('25: a version is removed only once no object is stored in it, and Environments stay', {
  timeout: 600_000,
}, async () => {
  const environment = cluster.environment()
  const later = await laterKk()
  const words = ['operator', 'install', '--crds', '--yes', ...NAMED, cluster.sandbox]
  await bringKinds()
  const before = await cluster.start()
  await environment.apply(environment.text())
  await environment.has('Ready', 'True')
  await before.stop()
  const operation = {environment: environment.name, node: 'node-1', operation: 'drain', dryRun: true}
  await done(
    cluster.create({
      ...{apiVersion: 'kk.openstack.org/v1alpha1', kind: 'NodeOperation'},
      ...{metadata: {name: 'stored', namespace: 'kk-system'}, spec: operation},
    }),
  )

  const place = ['environments.kk.openstack.org', environment.name, '--namespace', 'kk-system']
  const early = await later.run(...words)
  const {metadata} = await environment.read()
  const kinds = ['environments', 'releases', 'nodeoperations'].map(
    (kind) => `${kind}.v1beta1.kk.openstack.org`,
  )
  for (const kind of [...kinds, 'leases']) await storeAnew(kind)
  const patch = ['--type', 'merge', '--patch', JSON.stringify({status: {storedVersions: ['v1beta1']}})]
  for (const name of DEFINITIONS)
    await done(cluster.kubectl('patch', 'crd', name, '--subresource', 'status', ...patch))
  await done(later.run(...words))
  const after = await cluster.startAt({program: later.program})
  await environment.rewrite(environment.text({api: {replicas: 2}}))
  await waitFor(async () => (await environment.revisions()).includes('api 2'), {
    until: 'the edit is deployed',
    seconds: 300,
  })
  const kept = JSON.parse(
    await done(cluster.kubectl('get', ...place, '--output', 'json')),
  ) as EnvironmentObject
  await done(cluster.kubectl('delete', ...place))
  await environment.isFree()
  await after.stop()
  await bringKinds()

  expect(early.exitCode).toBe(1)
  expect(early.stderr).toContain('storedVersions')
  expect(kept.metadata.uid).toBe(metadata.uid)
  expect(await after.changes(environment)).toEqual(['upgrade api'])
  expect(await environment.revisions()).toEqual(['api 1', 'api 2', 'db 1'])
})

/**
 * Writes all objects of a kind as they are, but as the next kk says where they name the version of this one.
 */
async function storeAnew(kind: string): Promise<void> {
  const words = ['--namespace', 'kk-system', '--output', 'json', '--show-managed-fields']
  const stored = await done(cluster.kubectl('get', kind, ...words))
  const file = join(inject('run').home, 'stored.json')
  await writeFile(file, stored.replaceAll('kk.openstack.org/v1alpha1', 'kk.openstack.org/v1beta1'))
  await done(cluster.kubectl('replace', '--filename', file))
}
