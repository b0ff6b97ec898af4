import {describe, expect, it} from 'vitest'
import type {PlanDocument} from '../../src/report/plan/plan-json.ts'
import type {ReleaseDrift} from '../../src/verbs/observation/drift.ts'
import {HELMS, type HelmName} from '../support/helms.ts'
import {get, kubectl, uniqueName, waitFor} from './support/cluster.ts'
import type {TestEnvironment} from './support/environment.ts'
import {objectsEnvironment} from './support/objects-chart.ts'
import {revisions} from './support/records.ts'

const KEEP = {'helm.sh/resource-policy': 'keep'}
const hook = (events: string) => ({'helm.sh/hook': events})

const configMap = (name: string, annotations: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {name, annotations},
})
const claim = (name: string, annotations: object = {}) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: {name, annotations},
  spec: {accessModes: ['ReadWriteOnce'], resources: {requests: {storage: '1Gi'}}},
})
const namespace = (name: string, annotations: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: {name, annotations},
})
const job = (name: string, image: string, annotations: object = {}) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: {name, annotations},
  spec: {template: {spec: {restartPolicy: 'Never', containers: [{name: 'job', image}]}}},
})
const list = (items: readonly object[], annotations: object = {}) => ({
  apiVersion: 'v1',
  kind: 'List',
  metadata: {annotations},
  items,
})

interface Named {
  readonly items: readonly {
    readonly metadata: {readonly name: string; readonly uid: string; readonly deletionTimestamp?: string}
  }[]
}

/** The names of the objects of a kind that a test has made. */
async function names(kind: string, {name}: Pick<TestEnvironment, 'name'>): Promise<readonly string[]> {
  const {items} = await get<Named>(kind, '--namespace', name)
  return items
    .filter(({metadata}) => metadata.deletionTimestamp === undefined)
    .map((each) => each.metadata.name)
    .filter((each) => !each.startsWith('kube-root-ca'))
}

/** The notes of a plan, without those on records of others on the cluster that cannot be read. */
function ownNotes({notes = []}: PlanDocument, {name}: Pick<TestEnvironment, 'name'>): readonly string[] {
  return notes.filter((note) => !note.startsWith('not checked: ') || note.includes(name))
}

async function uids(
  kind: string,
  {name}: Pick<TestEnvironment, 'name'>,
): Promise<ReadonlyMap<string, string>> {
  const {items} = await get<Named>(kind, '--namespace', name)
  return new Map(items.map(({metadata}) => [metadata.name, metadata.uid]))
}

async function phaseOf(name: string): Promise<string> {
  const {items} = await get<{items: {metadata: {name: string}; status: {phase: string}}[]}>('namespaces')
  return items.find(({metadata}) => metadata.name === name)?.status.phase ?? 'gone'
}

describe.concurrent.each(HELMS)('the annotations of objects with %s', (helm) => {
  it('an item of a List is deleted with its release despite its own resource policy, and a claim needs confirmation', async () => {
    const objects = [
      list([configMap('kept', KEEP), claim('data', KEEP), job('once', 'busybox', hook('post-install'))]),
    ]
    const environment = await objectsEnvironment('data', objects, {helm})
    await environment.deploy()

    const unasked = await environment.kk('remove data', '--yes')
    const before = await names('pvc', environment)
    const named = await environment.kk('remove data', '--yes', '--delete-data', '--confirm-data', 'data')

    expect(unasked.exitCode, unasked.stderr).toBe(3)
    expect(unasked.stderr).toMatch(/KK_UNCONFIRMED.*helm would delete \S+\/data with its data/)
    expect(unasked.stderr).toContain('for an item of a List, annotate the List')
    expect(before).toEqual(['data'])
    expect(named.exitCode, named.stderr).toBe(0)
    expect(named.stderr).toMatch(/PersistentVolumeClaim +data.* with its data/)
    expect(named.stderr).not.toMatch(/stays[\s\S]*ConfigMap\/kept/)
    expect([...(await names('configmaps', environment)), ...(await names('pvc', environment))]).toEqual([])
  })

  it('a List with a resource policy stays with all items, and so does an object with a policy other than keep', async () => {
    const objects = [
      list([configMap('in-list'), claim('in-list')], KEEP),
      configMap('delete-me', {'helm.sh/resource-policy': 'delete'}),
      configMap('plain'),
    ]
    const environment = await objectsEnvironment('data', objects, {helm})
    await environment.deploy()

    const {exitCode, stderr} = await environment.kk('remove data', '--yes')

    expect(exitCode, stderr).toBe(0)
    const [goes = '', stays = ''] = stderr.split('stays: helm leaves it behind')
    expect(goes).toMatch(/ConfigMap +plain/)
    for (const name of ['in-list', 'delete-me']) expect(stays).toContain(name)
    expect(await names('configmaps', environment)).toEqual(['delete-me', 'in-list'])
    expect(await names('pvc', environment)).toEqual(['in-list'])
  })

  it('a Namespace in a List is not deleted if it contains another environment', async () => {
    const inner = uniqueName('tenant')
    const owner = await objectsEnvironment('data', [list([namespace(inner, KEEP)])], {helm})
    await owner.deploy()
    const tenant = await objectsEnvironment('data', [configMap('a')], {namespace: inner, helm})
    await tenant.deploy()

    const {exitCode, stderr} = await owner.kk('remove data', '--yes')

    expect(exitCode, stderr).toBe(3)
    expect(stderr).toContain('KK_HAS_DEPENDENTS')
    expect(await phaseOf(inner)).toBe('Active')
  })

  it('a Job in a List is no hook, so that a change of it is refused before the first change', async () => {
    const inList = (image: string) => list([job('once', image, hook('post-upgrade'))])
    const environment = await objectsEnvironment('data', [inList('busybox:1')], {helm})
    await environment.deploy()
    await environment.state(inList('busybox:2'))

    const {exitCode, stderr} = await environment.kk('deploy')

    expect(exitCode, stderr).toBe(2)
    expect(stderr).toMatch(/KK_INVALID_OBJECT[\s\S]*Job\/once.*immutable/)
    expect(await revisions(environment.name)).toEqual({data: 1})
  })

  it('an object that becomes a hook counts as dropped: its data stays, or needs confirmation if the hook would delete it', async () => {
    const inner = uniqueName('inner')
    const environment = await objectsEnvironment(
      'data',
      [claim('pre'), claim('post'), claim('test'), namespace(inner)],
      {helm},
    )
    await environment.deploy()
    const before = await uids('pvc', environment)
    await environment.state(
      claim('pre', hook('pre-install,pre-upgrade')),
      claim('post', hook('post-install')),
      claim('test', hook('test')),
      namespace(inner, hook('pre-install')),
    )

    const refused = await environment.kk('deploy', '--yes')
    const untouched = await uids('pvc', environment)
    const named = await environment.kk('deploy', '--yes', '--confirm-data', 'pre')
    const tested = await environment.kk('test')

    expect(refused.exitCode, refused.stderr).toBe(3)
    expect(refused.stderr).toMatch(
      /KK_UNCONFIRMED[\s\S]*PersistentVolumeClaim \S+\/pre with its data; it is not re-created/,
    )
    expect(refused.stderr).not.toMatch(/\/(?:post|test) with its data/)
    expect(untouched).toEqual(before)
    expect(named.exitCode, named.stderr).toBe(0)
    const after = await uids('pvc', environment)
    expect(after.has('pre')).toBe(false)
    expect(named.stderr).not.toContain('PersistentVolumeClaim/pre stays')
    expect(named.stderr).toMatch(/PersistentVolumeClaim\/post stays, with its data/)
    expect(named.stderr).toMatch(/partial.*PersistentVolumeClaim\/pre: is gone/)
    expect([after.get('post'), after.get('test')]).toEqual([before.get('post'), before.get('test')])
    expect(await phaseOf(inner)).toBe('Active')
    expect(tested.exitCode, tested.stderr).not.toBe(0)
    expect(tested.stderr).toContain('helm test would delete PersistentVolumeClaim/test with its data')
    expect((await uids('pvc', environment)).get('test')).toBe(before.get('test'))
  })

  it('an object that becomes an upgrade hook is deleted by helm, and plan, run and drift report it', async () => {
    const environment = await objectsEnvironment('data', [configMap('settings'), configMap('a')], {helm})
    await environment.deploy()
    await environment.state(configMap('settings', hook('pre-install,pre-upgrade')), configMap('a'))

    const planned = await environment.json<PlanDocument>('plan')
    const {stdout: diff} = await environment.kk('plan', '--diff')
    const {stderr} = await environment.kk('deploy', '--yes')

    expect(ownNotes(planned, environment)).toEqual([
      expect.stringMatching(/data: ConfigMap\/settings becomes a hook: helm deletes it, .* does not exist/),
    ])
    expect(diff).toContain('1 added, 1 removed')
    expect(stderr).toMatch(/data: partial: ConfigMap\/settings: is gone/)
    const between = await names('configmaps', environment)
    const {releases} = await environment.json<{releases: readonly ReleaseDrift[]}>('drift')
    const corrected = await environment.kk('deploy', '--correct-drift', '--yes')

    expect(between).toEqual(['a'])
    expect(releases[0]?.objects).toMatchObject([{kind: 'ConfigMap', name: 'settings', state: 'gone'}])
    expect(corrected.exitCode, corrected.stderr).toBe(0)
    expect(await names('configmaps', environment)).toEqual(['a', 'settings'])
    expect((await environment.kk('drift')).stdout).not.toContain('settings')
  })

  it('a Service that becomes a post-upgrade hook is re-created, the plan names it, and the run succeeds', async () => {
    const service = (annotations: object = {}) => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: {name: 'api', annotations},
      spec: {ports: [{port: 80}]},
    })
    const environment = await objectsEnvironment('data', [service()], {helm})
    await environment.deploy()
    const before = await uids('services', environment)
    await environment.state(service(hook('post-install,post-upgrade')))

    const planned = await environment.json<PlanDocument>('plan')
    const {exitCode, stderr} = await environment.kk('deploy', '--yes')

    expect(ownNotes(planned, environment)).toEqual([
      expect.stringMatching(/Service\/api becomes a hook: .* re-creates it/),
    ])
    expect(exitCode, stderr).toBe(0)
    expect(stderr).not.toContain('partial')
    const after = await uids('services', environment)
    expect(after.has('api')).toBe(true)
    expect(after.get('api')).not.toBe(before.get('api'))
  })

  it('an object that a rollback turns into a hook is named, and needs confirmation if it holds data', async () => {
    const hooked = hook('pre-install,pre-rollback')
    const hooks = [configMap('settings', hooked), claim('pre', hooked), configMap('a')]
    const environment = await objectsEnvironment('data', hooks, {helm})
    await environment.deploy()
    await environment.state(configMap('a'))
    await environment.deploy()
    for (const kind of ['pvc/pre', 'configmap/settings'])
      await kubectl(['delete', kind, '--namespace', environment.name])
    await environment.state(configMap('settings'), claim('pre'), configMap('a'))
    await environment.deploy()

    const back = ['--release', 'data', '--revision', '1', '--yes'] as const
    const refused = await environment.kk('rollback', ...back)
    const named = await environment.kk('rollback', ...back, '--confirm-data', 'pre')

    expect(refused.exitCode, refused.stderr).toBe(3)
    expect(refused.stderr).toMatch(/note: .*ConfigMap\/settings becomes a hook/)
    expect(refused.stderr).toMatch(/KK_UNCONFIRMED[\s\S]*\/pre with its data; it is not re-created/)
    expect(named.exitCode, named.stderr).toBe(0)
    expect(named.stderr).not.toContain('PersistentVolumeClaim/pre stays')
    expect(named.stderr).toMatch(/partial: ConfigMap\/settings: is gone/)
    expect([...(await names('configmaps', environment)), ...(await names('pvc', environment))]).toEqual(['a'])
  })

  it('a claim that is an upgrade hook is named by the plan, and is not deleted without confirmation', async () => {
    const environment = await hookedClaim(helm)
    const before = await uids('pvc', environment)

    const planned = await environment.json<PlanDocument>('plan')
    const text = await environment.kk('plan')
    const dry = await environment.kk('deploy', '--dry-run')
    const refused = await environment.kk('deploy', '--yes')

    expect(planned.hookData).toMatchObject([
      {kind: 'PersistentVolumeClaim', name: 'hooked', with: 'with its data'},
    ])
    expect(dry.exitCode, dry.stderr).toBe(0)
    expect(dry.stderr).toMatch(
      /a hook deletes .*PersistentVolumeClaim \S+\/hooked with its data; helm re-creates it empty/,
    )
    const {name} = environment
    for (const stderr of [dry.stderr, text.stderr, refused.stderr])
      expect(stderr).toContain(`to delete it, name each object: --confirm-data ${name}/hooked`)
    expect(refused.exitCode, refused.stderr).toBe(3)
    expect(await uids('pvc', environment)).toEqual(before)
  })
})

/** An environment whose next upgrade deletes the claim `hooked`, because it is a hook. */
async function hookedClaim(helm: HelmName): Promise<TestEnvironment> {
  const version = (value: string) =>
    [claim('hooked', hook('pre-install,pre-upgrade')), {...configMap('settings'), data: {value}}] as const
  const environment = await objectsEnvironment('data', version('1'), {helm})
  await environment.deploy()
  await environment.state(...version('2'))
  return environment
}

it('helm3 re-creates a claim that is a hook of upgrades, once it is gone', async () => {
  const environment = await hookedClaim('helm3')
  const before = await uids('pvc', environment)

  const {exitCode, stderr} = await environment.kk('upgrade data', '--yes', '--confirm-data', 'hooked')

  expect(exitCode, stderr).toBe(0)
  expect((await uids('pvc', environment)).get('hooked')).not.toBe(before.get('hooked'))
})

it('helm4 applies a hook to a claim that is being deleted, and the run reports that it is gone', async () => {
  const environment = await hookedClaim('helm4')
  const before = await uids('pvc', environment)
  const held = (finalizers: readonly string[] | null) =>
    kubectl([
      ...['patch', 'pvc/hooked', '--namespace', environment.name, '--type', 'merge'],
      ...['--patch', JSON.stringify({metadata: {finalizers}})],
    ])
  await held(['kk.openstack.org/test'])

  const upgraded = await environment.kk('upgrade data', '--yes', '--confirm-data', 'hooked')
  await held(null)
  await waitFor(async () => !(await uids('pvc', environment)).has('hooked'), {until: 'the claim is gone'})
  const corrected = await environment.kk('deploy', '--correct-drift', '--yes')

  expect(upgraded.exitCode, upgraded.stderr).toBe(0)
  expect(upgraded.stderr).toMatch(/partial: PersistentVolumeClaim\/hooked: is gone/)
  expect(corrected.exitCode, corrected.stderr).toBe(0)
  expect((await uids('pvc', environment)).get('hooked')).not.toBe(before.get('hooked'))
})
