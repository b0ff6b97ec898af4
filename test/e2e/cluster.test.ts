import {mkdir, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {afterAll, beforeAll, describe, expect, inject, it} from 'vitest'
import type {Cluster} from '../../src/kubernetes/cluster.ts'
import type {HelmWrites} from '../../src/kubernetes/dry-run/dry-runs.ts'
import type {KubernetesObject} from '../../src/kubernetes/manifest/kubernetes-object.ts'
import {parseManifest} from '../../src/kubernetes/manifest/manifest.ts'
import {openCluster} from '../../src/kubernetes/open.ts'
import {releaseId} from '../../src/release.ts'
import {HELMS} from '../support/helms.ts'
import {testDirectory} from '../support/test-directory.ts'
import {get, kubectl, makeNamespace, uniqueName} from './support/cluster.ts'

let cluster: Cluster
let directory: string
beforeAll(async () => {
  cluster = await openCluster({kubeconfig: inject('run').kubeconfig, env: {}})
  directory = testDirectory()
})
afterAll(async () => {
  await cluster.close()
})

/** A chart with one ConfigMap and one hook. */
async function makeChart(): Promise<string> {
  const chart = join(directory, uniqueName('chart'))
  await mkdir(join(chart, 'templates'), {recursive: true})
  await writeFile(
    join(chart, 'Chart.yaml'),
    'apiVersion: v2\nname: tiny\nversion: 1.2.3\nappVersion: "2025.1"\n',
  )
  await writeFile(
    join(chart, 'templates/map.yaml'),
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Release.Name }}}\n',
  )
  await writeFile(
    join(chart, 'templates/hook.yaml'),
    'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}-hook\n  annotations: {"helm.sh/hook": post-install}\n',
  )
  return chart
}

async function helm(binary: 'helm3' | 'helm4', ...args: readonly string[]): Promise<void> {
  const {toolbox, kubeconfig} = inject('run')
  const env = {HOME: directory, PATH: toolbox}
  await execa(join(toolbox, binary), [...args, '--kubeconfig', kubeconfig], {env, extendEnv: false})
}

describe('a cluster', () => {
  it('is identified by the UID of kube-system, and has a version', async () => {
    const namespace = await get<{metadata: {uid: string}}>('namespace', 'kube-system')

    const identity = await cluster.apiServer.identity()

    expect(identity).toEqual({uid: namespace.metadata.uid, version: expect.stringMatching(/^v1\.\d+\./)})
    expect(cluster).toMatchObject({
      context: inject('run').context,
      server: expect.stringMatching(/^https:\/\/127\.0\.0\.1:/),
    })
  })
})

describe('the records of releases', () => {
  it.each(HELMS)('by %s are read by one list, decoded, and labelled by version', async (binary) => {
    const namespace = await makeNamespace('records')
    const chart = await makeChart()
    const release = releaseId(namespace, 'tiny')
    await helm(
      binary,
      'install',
      'tiny',
      chart,
      '--namespace',
      namespace,
      '--labels',
      'kk.openstack.org/owner=me',
    )
    await helm(binary, 'upgrade', 'tiny', chart, '--namespace', namespace)

    const records = await cluster.records.list()
    const record = await cluster.records.last(release)
    const stored = await cluster.records.stored(release)

    expect(record).toMatchObject({
      release,
      revision: 2,
      status: 'deployed',
      labels: {'kk.openstack.org/owner': 'me'},
    })
    expect(records.filter((one) => one.release === release)).toEqual([record])
    expect(stored).toMatchObject({
      ...record,
      chart: {name: 'tiny', version: '1.2.3', appVersion: '2025.1'},
      applyMethod: binary === 'helm4' ? 'ssa' : undefined,
    })
    expect(parseManifest(stored!.manifest)).toMatchObject([{kind: 'ConfigMap', metadata: {name: 'tiny'}}])
    expect(stored!.hooks.flatMap(parseManifest)).toMatchObject([{metadata: {name: 'tiny-hook'}}])
    await expect(cluster.records.stored(release, 1)).resolves.toMatchObject({
      revision: 1,
      status: 'superseded',
    })

    await cluster.records.label(record!, {'kk.openstack.org/passed': '2', 'kk.openstack.org/owner': null})

    const {labels} = (await cluster.records.last(release))!
    expect(labels).toMatchObject({'kk.openstack.org/passed': '2', name: 'tiny'})
    expect(labels).not.toHaveProperty('kk.openstack.org/owner')
    await expect(cluster.records.label(record!, {'kk.openstack.org/passed': '3'})).rejects.toMatchObject({
      code: 'KK_RACED',
    })
  })

  it('are undefined for a release that does not exist', async () => {
    const release = releaseId('default', 'nothing')

    await expect(cluster.records.last(release)).resolves.toBeUndefined()
    await expect(cluster.records.stored(release)).resolves.toBeUndefined()
    await expect(cluster.records.stored(release, 3)).resolves.toBeUndefined()
  })
})

describe('validation', () => {
  const map = (metadata: object): KubernetesObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {name: 'a', ...metadata},
  })

  it('accepts an object, refuses it with the message of the server, or reports a missing prerequisite, and changes nothing', async () => {
    const namespace = await makeNamespace('validate')
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: {name: 's'},
      spec: {ports: [{port: 99999999}]},
    }
    const role = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: {name: namespace},
      rules: [],
    }
    const unknown = {apiVersion: 'example.org/v1', kind: 'Thing', metadata: {name: 't'}}
    const namespaceToCome = {apiVersion: 'v1', kind: 'Namespace', metadata: {name: `${namespace}-new`}}

    const validations = await cluster.dryRuns.validate({
      namespace,
      objects: [
        map({}),
        service,
        role,
        unknown,
        namespaceToCome,
        map({name: 'b', namespace: `${namespace}-new`}),
      ],
    })

    expect(validations).toEqual([
      {object: 'ConfigMap/a', outcome: 'accepted'},
      {
        object: 'Service/s',
        outcome: 'refused',
        message: expect.stringContaining('Invalid value: 99999999: must be between 1 and 65535'),
      },
      {object: `ClusterRole/${namespace}`, outcome: 'accepted'},
      {object: 'Thing/t', outcome: 'known-after-apply', missing: 'kind'},
      {object: `Namespace/${namespace}-new`, outcome: 'accepted'},
      {object: 'ConfigMap/b', outcome: 'known-after-apply', missing: 'namespace'},
    ])
    await expect(cluster.live.exist(namespace, [map({})])).resolves.toBe(false)
  })

  it('reports an immutable field of an existing object', async () => {
    const namespace = await makeNamespace('validate')
    const deployment = (app: string): KubernetesObject => ({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: {name: 'api'},
      spec: {
        selector: {matchLabels: {app}},
        template: {metadata: {labels: {app}}, spec: {containers: [{name: 'api', image: 'api'}]}},
      },
    })
    await kubectl(['create', '--namespace', namespace, '--filename', '-'], {input: deployment('one')})

    const validations = await cluster.dryRuns.validate({namespace, objects: [deployment('two')]})

    expect(validations).toMatchObject([
      {outcome: 'refused', message: expect.stringContaining('field is immutable')},
    ])
  })

  describe.each(['server-side', 'client-side'] as const)('with the apply method %s of helm,', (method) => {
    const containers = (...names: readonly string[]) => names.map((name) => ({name, image: name}))
    const job = (...names: readonly string[]): KubernetesObject => ({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: {name: 'job'},
      spec: {suspend: true, template: {spec: {restartPolicy: 'Never', containers: containers(...names)}}},
    })
    const stateful = (spec: object): KubernetesObject => ({
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: {name: 'set'},
      spec: {
        serviceName: 'set',
        selector: {matchLabels: {app: 'set'}},
        template: {metadata: {labels: {app: 'set'}}, spec: {containers: containers('main')}},
        ...spec,
      },
    })
    const claim = {
      metadata: {name: 'data'},
      spec: {accessModes: ['ReadWriteOnce'], resources: {requests: {storage: '1Gi'}}},
    }
    const apply = [
      'apply',
      '--server-side',
      '--field-manager',
      'helm',
      '--force-conflicts',
      '--filename',
      '-',
    ]
    const validated = async (before: KubernetesObject, after: KubernetesObject) => {
      const namespace = await makeNamespace('validate')
      await kubectl([...apply, '--namespace', namespace], {input: before})
      const writes = {method, force: false, before: [before]}
      return cluster.dryRuns.validate({namespace, objects: [after], writes})
    }

    it.each<[string, KubernetesObject, KubernetesObject]>([
      ['a field', stateful({volumeClaimTemplates: [claim]}), stateful({})],
      ['an item of a list', job('one', 'two'), job('one')],
    ])('refuses the removal of %s that is required', async (_what, before, after) => {
      expect(await validated(before, after)).toMatchObject([{outcome: 'refused'}])
    })

    it('accepts the removal of an optional field', async () => {
      expect(await validated(stateful({minReadySeconds: 5, replicas: 2}), stateful({}))).toMatchObject([
        {outcome: 'accepted', standing: {name: 'set'}},
      ])
    })
  })

  it('reports the fields of other managers that an apply would take, unless force is set', async () => {
    const namespace = await makeNamespace('validate')
    const object = {apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'a'}, data: {of: 'helm'}}
    const apply = ['apply', '--server-side', '--force-conflicts', '--namespace', namespace, '--filename', '-']
    await kubectl([...apply, '--field-manager', 'helm'], {input: {...object, data: {}}})
    await kubectl([...apply, '--field-manager', 'somebody'], {input: {...object, data: {of: 'else'}}})
    const validate = (writes: Pick<HelmWrites, 'method' | 'force'>) =>
      cluster.dryRuns.validate({namespace, objects: [object], writes: {...writes, before: []}})

    const found = await validate({method: 'server-side', force: false})
    const forced = await validate({method: 'server-side', force: true})
    const patched = await validate({method: 'client-side', force: false})

    const standing = expect.objectContaining({name: 'a'})
    const accepted = {object: 'ConfigMap/a', outcome: 'accepted', standing}
    expect(found).toEqual([{...accepted, conflicts: [{field: '.data.of', manager: 'somebody'}]}])
    expect([...forced, ...patched]).toEqual([accepted, accepted])
  })

  it('validates a hook as a new object, because helm deletes a hook before it creates it again', async () => {
    const namespace = await makeNamespace('validate')
    const hook = (image: string): KubernetesObject => ({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: {name: 'hook', annotations: {'helm.sh/hook': 'post-install'}},
      spec: {template: {spec: {restartPolicy: 'Never', containers: [{name: 'hook', image}]}}},
    })
    await kubectl(['create', '--namespace', namespace, '--filename', '-'], {input: hook('one')})

    const validations = await cluster.dryRuns.validate({namespace, objects: [hook('two'), hook('')]})

    const standing = expect.objectContaining({namespace, name: 'hook'})
    expect(validations).toEqual([
      {object: 'Job/hook', outcome: 'accepted', standing},
      {object: 'Job/hook', outcome: 'refused', message: expect.stringContaining('image: Required value')},
    ])
  })

  it('never shows the content of a Secret', async () => {
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {name: 's'},
      stringData: {password: {not: 'very-secret-text'}},
    }

    const [validation] = await cluster.dryRuns.validate({namespace: 'default', objects: [secret]})

    expect(validation).toMatchObject({outcome: 'refused', message: expect.stringContaining('***')})
    expect(JSON.stringify(validation)).not.toContain('very-secret-text')
  })
})

describe('a check of several objects', () => {
  it('returns true only if all of them exist', async () => {
    const namespace = await makeNamespace('exist')
    const account = {apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'kube-root-ca.crt'}}
    const gone = {apiVersion: 'v1', kind: 'Service', metadata: {name: 'gone'}}
    await cluster.health.gate({namespace, objects: [], deadline: 0})

    await expect.poll(() => cluster.live.exist(namespace, [account])).toBe(true)
    await expect(cluster.live.exist(namespace, [account, gone])).resolves.toBe(false)
    await expect(cluster.live.exist(namespace, [{...gone, apiVersion: 'example.org/v1'}])).resolves.toBe(
      false,
    )
  })
})

describe('a Lease', () => {
  it('has one holder at a time, reports the holder to a waiting process, and passes to that process on release', async () => {
    const release = releaseId('openstack', uniqueName('lease'))
    const first = await cluster.leases.hold(release, 'ada@one/1', Date.now())

    await expect(cluster.leases.hold(release, 'bob@two/2', Date.now() + 500)).rejects.toMatchObject({
      code: 'KK_HELD',
      message: `${release} is held by ada@one/1`,
    })

    const second = cluster.leases.hold(release, 'bob@two/2', Date.now() + 20_000)
    await first.release()
    const held = await second
    expect(first.lost.aborted).toBe(false)
    await held.release()
    const left = await get<{items: {metadata: {annotations: Record<string, string>}}[]}>(
      'leases',
      '--namespace',
      'kk-system',
    )
    expect(
      left.items.filter(({metadata}) => metadata.annotations['kk.openstack.org/release'] === release),
    ).toEqual([])
  })

  it('passes to each of many concurrent processes in turn', async () => {
    const release = releaseId('openstack', uniqueName('lease'))
    let holders = 0
    let most = 0

    await Promise.all(
      ['a', 'b', 'c', 'd'].map(async (holder) => {
        const held = await cluster.leases.hold(release, holder, Date.now() + 60_000)
        most = Math.max(most, ++holders)
        await cluster.records.last(release)
        holders--
        await held.release()
      }),
    )

    expect(most).toBe(1)
  })
})
