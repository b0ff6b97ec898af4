import {once} from 'node:events'
import {readFile, writeFile} from 'node:fs/promises'
import {type AddressInfo, createServer} from 'node:net'
import {join} from 'node:path'
import {execa} from 'execa'
import {describe, expect, it} from 'vitest'
import {mergeValues} from '../../src/base/merge.ts'
import {testDirectory} from '../support/test-directory.ts'
import {GIVEN, useCharts} from './support/charts.ts'
import {find, type KubernetesObject, ofKind} from './support/objects.ts'

const charts = await useCharts()
const ON_CEPH = mergeValues(GIVEN, {storage: {backend: 'ceph'}})

/** The text of a file of a release, wherever it is kept. */
function file(objects: readonly KubernetesObject[], release: string, name: string): string | undefined {
  const secret = objects.find(({kind, metadata}) => kind === 'Secret' && metadata.name === `${release}-files`)
  const data = (secret as {data?: Record<string, string>} | undefined)?.data?.[name]
  return data === undefined
    ? find(objects, 'ConfigMap', `${release}-etc`).data?.[name]
    : Buffer.from(data, 'base64').toString()
}

describe('the daemons of Ceph', () => {
  it.each([
    [1, ['osd_pool_default_size = 1', 'osd_pool_default_min_size = 1', 'mon_allow_pool_size_one = true']],
    [2, ['osd_pool_default_size = 2', 'osd_pool_default_min_size = 1']],
    [5, ['osd_pool_default_size = 3', 'osd_pool_default_min_size = 2']],
  ])('keep as many replicas as %i OSDs allow', async (osd, lines) => {
    const objects = await charts.render('ceph', {values: {pod: {replicas: {osd}}}})

    for (const line of lines) expect(file(objects, 'ceph', 'ceph.conf')).toContain(`${line}\n`)
  })

  it('form a quorum of the monitors, which are found by one name, and which the first one begins', async () => {
    const objects = await charts.render('ceph', {values: {pod: {replicas: {mon: 3}}}})

    const conf = file(objects, 'ceph', 'ceph.conf')
    expect(conf).toContain('mon_initial_members = ceph-mon-0\n')
    expect(conf).toContain('mon_host = ceph-mon-peers.openstack.svc.cluster.local\n')
    expect(find(objects, 'Service', 'ceph-mon-peers').spec).toMatchObject({publishNotReadyAddresses: true})
  })

  it.each([
    ['ceph-mon-0', 'begins the cluster when no other monitor answers', '1', '--mkfs --id ceph-mon-0'],
    ['ceph-mon-0', 'joins the cluster that others have, without its disk', '0', '--monmap'],
    ['ceph-mon-1', 'waits for the first one', '0', '--monmap'],
  ])('%s %s, once its name resolves to it', async (pod, _, exitOfOthers, made) => {
    const objects = await charts.render('ceph', {values: {pod: {replicas: {mon: 3}}}})
    const directory = testDirectory()
    const program = (name: string, script: string) =>
      writeFile(join(directory, name), `#!/bin/bash\n${script}\n`, {mode: 0o755})
    await program('ceph-conf', 'echo peers')
    // The name is unknown at first, then known for another pod, then for this one.
    await program(
      'getent',
      `echo "getent $2" >>${directory}/calls; n=$(grep -c getent ${directory}/calls); [ $n -lt 2 ] || echo "192.0.2.1$n STREAM $2"`,
    )
    await program(
      'ceph',
      `echo others >>${directory}/calls; [ ${exitOfOthers} = 1 ] || echo map >"\${@: -1}"; exit ${exitOfOthers}`,
    )
    await program('ceph-mon', `echo "ceph-mon $*" >>${directory}/calls`)
    await program('sleep', 'exit 0')
    const script = find(objects, 'ConfigMap', 'ceph-bin').data!['ceph-mon.sh']!

    await execa('bash', ['-c', script.replace('/var/lib/ceph/mon', directory)], {
      env: {PATH: `${directory}:${process.env['PATH']}`, POD_NAME: pod, POD_IP: '192.0.2.13'},
    })

    const calls = (await readFile(join(directory, 'calls'), 'utf8')).trim().split('\n')
    expect(calls.slice(0, 4)).toEqual(['getent peers', 'getent peers', 'getent peers', 'others'])
    const [first = ''] = calls.filter((call) => call.startsWith('ceph-mon'))
    expect(first).toContain(made)
    expect(first.includes('--monmap')).toBe(exitOfOthers === '0')
    expect(calls.at(-1)).toContain('--foreground')
  })

  it('ceph-mon-0 without its disk waits for others that run and have no quorum yet', async () => {
    const objects = await charts.render('ceph', {values: {pod: {replicas: {mon: 3}}}})
    const directory = testDirectory()
    const program = (name: string, script: string) =>
      writeFile(join(directory, name), `#!/bin/bash\n${script}\n`, {mode: 0o755})
    await program('ceph-conf', 'echo peers')
    await program('getent', 'echo "192.0.2.13 STREAM peers"; echo "127.0.0.1 STREAM peers"')
    // It answers the third time.
    await program(
      'ceph',
      `echo others >>${directory}/calls; [ $(grep -c others ${directory}/calls) = 3 ] || exit 1; echo map >"\${@: -1}"`,
    )
    await program('ceph-mon', `echo "ceph-mon $*" >>${directory}/calls`)
    await program('sleep', 'exit 0')
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const {port} = other.address() as AddressInfo
    const script = find(objects, 'ConfigMap', 'ceph-bin').data!['ceph-mon.sh']!

    await execa('bash', ['-c', script.replace('/var/lib/ceph/mon', directory).replace('/3300', `/${port}`)], {
      env: {PATH: `${directory}:${process.env['PATH']}`, POD_NAME: 'ceph-mon-0', POD_IP: '192.0.2.13'},
    }).finally(() => other.close())

    const calls = (await readFile(join(directory, 'calls'), 'utf8')).trim().split('\n')
    expect(calls.slice(0, 3)).toEqual(['others', 'others', 'others'])
    expect(calls[3]).toContain('--monmap')
  })

  it('use whole devices if storage.device is set', async () => {
    const values = {components: {osd: {storage: {device: true}}}}

    const osd = find(await charts.render('ceph', {values}), 'StatefulSet', 'ceph-osd')

    const [claim] = (osd.spec as unknown as {volumeClaimTemplates: object[]}).volumeClaimTemplates
    expect(claim).toMatchObject({spec: {volumeMode: 'Block'}})
    const [container] = osd.spec!.template!.spec.containers
    expect(container).toMatchObject({volumeDevices: [{name: 'data', devicePath: '/var/lib/ceph/osd'}]})
    expect(container!.volumeMounts!.map(({mountPath}) => mountPath)).not.toContain('/var/lib/ceph/osd')
  })
})

describe('images of glance', () => {
  it('are stored in files on a volume by default', async () => {
    const objects = await charts.render('glance')

    expect(file(objects, 'glance', 'glance-api.conf')).toContain('default_backend = file\n')
    expect(file(objects, 'glance', 'ceph.conf')).toBeUndefined()
    expect(find(objects, 'PersistentVolumeClaim', 'glance-api')).toBeDefined()
  })

  it('are stored in Ceph without a volume if the global backend is Ceph', async () => {
    const objects = await charts.render('glance', {global: ON_CEPH})

    expect(file(objects, 'glance', 'glance-api.conf')).toContain('default_backend = rbd\n')
    expect(file(objects, 'glance', 'ceph.conf')).toContain(
      'mon_host = ceph-mon-peers.openstack.svc.cluster.local\n',
    )
    expect(file(objects, 'glance', 'ceph.client.glance.keyring')).toContain('[client.glance]\nkey = marked-')
    expect(objects.map(({kind}) => kind)).not.toContain('PersistentVolumeClaim')
    expect(JSON.stringify(find(objects, 'Deployment', 'glance-api'))).toContain('openstack:ceph-mon')
  })

  it('are stored in an external Ceph, which no init container waits for', async () => {
    const global = mergeValues(ON_CEPH, {
      endpoints: {ceph_mon: {host_fqdn_override: {default: '10.0.0.1,10.0.0.2'}}},
    })

    const objects = await charts.render('glance', {global})

    expect(file(objects, 'glance', 'ceph.conf')).toContain('mon_host = 10.0.0.1,10.0.0.2\n')
    expect(JSON.stringify(find(objects, 'Deployment', 'glance-api'))).not.toContain('ceph-mon')
  })
})

describe('volumes of cinder', () => {
  const keyrings = (objects: readonly KubernetesObject[], component: string) =>
    [
      ...file(objects, 'cinder', `${component}.json`)!.matchAll(
        /ceph\.client\.([\w-]+)\.keyring",\n +"owner/g,
      ),
    ].map(([, user]) => user)

  it('are stored in Ceph regardless of the backend of images', async () => {
    const objects = await charts.render('cinder')

    expect(file(objects, 'cinder', 'cinder.conf')).toContain('enabled_backends = rbd\n')
    expect(file(objects, 'cinder', 'ceph.client.cinder.keyring')).toContain('key = marked-')
  })

  it('are backed up with a separate key, which no other component has', async () => {
    const objects = await charts.render('cinder')

    expect(keyrings(objects, 'backup')).toEqual(['cinder-backup', 'cinder'])
    expect(keyrings(objects, 'volume')).toEqual(['cinder'])
  })

  it('have a backup panel in the dashboard, which is not detected automatically', async () => {
    expect(file(await charts.render('horizon'), 'horizon', '_9998-kolla-settings.py')).toContain(
      'OPENSTACK_CINDER_FEATURES = {"enable_backup": True, }\n',
    )
  })

  it('are stored in a custom backend if one is configured', async () => {
    const values = {
      storage: {backend: 'file'},
      conf: {cinder: {DEFAULT: {enabled_backends: 'box'}, box: {volume_driver: 'vendor.Driver'}}},
    }

    const objects = await charts.render('cinder', {values})

    expect(file(objects, 'cinder', 'cinder.conf')).toContain('enabled_backends = box\n')
    expect(file(objects, 'cinder', 'ceph.conf')).toBeUndefined()
  })
})

describe('volumes of Kubernetes on Ceph', () => {
  const CHART = 'rbd-provisioner'

  it('are provisioned by storage classes, from a driver that attaches nothing', async () => {
    const objects = await charts.render(CHART)

    expect(find(objects, 'CSIDriver', 'ceph.kk.openstack.org').spec).toMatchObject({attachRequired: false})
    expect(find(objects, 'StorageClass', 'general')).toMatchObject({
      metadata: {annotations: {'storageclass.kubernetes.io/is-default-class': 'false'}},
      provisioner: 'ceph.kk.openstack.org',
      parameters: {type: 'rbd', pool: 'kube'},
      reclaimPolicy: 'Delete',
    })
    // Neither is in a namespace.
    for (const {metadata} of ofKind(objects, 'CSIDriver', 'StorageClass'))
      expect(metadata).not.toHaveProperty('namespace')
  })

  it('have other classes if configured, which the test of the chart then uses', async () => {
    const shared = {parameters: {type: 'cephfs', fileSystem: 'cephfs'}, reclaim: 'Retain', default: true}

    const objects = await charts.render(CHART, {values: {classes: {general: null, shared}}})

    expect(ofKind(objects, 'StorageClass')).toMatchObject([
      {
        metadata: {
          name: 'shared',
          annotations: {'storageclass.kubernetes.io/is-default-class': 'true'},
        },
        parameters: shared.parameters,
        reclaimPolicy: 'Retain',
      },
    ])
    expect(find(objects, 'Pod', 'rbd-provisioner-test').spec).toMatchObject({
      volumes: expect.arrayContaining([
        expect.objectContaining({
          ephemeral: {volumeClaimTemplate: {spec: expect.objectContaining({storageClassName: 'shared'})}},
        }),
      ]),
    })
  })

  it('are created by one Ceph account and mounted by another, which may not create any', async () => {
    const objects = await charts.render(CHART)
    const withFiles = await charts.render('ceph', {values: {manifests: {statefulset_mds: true}}})
    const accounts = file(withFiles, 'ceph', 'clients.keyring')!

    for (const [component, user] of [
      ['provisioner', 'kube'],
      ['node', 'kube-node'],
    ] as const) {
      const found = file(objects, CHART, `${component}.json`)!.matchAll(
        /client\.([\w-]+)\.keyring",\n +"owner/g,
      )
      expect([...found].map(([, name]) => name)).toEqual([user])
      expect(file(objects, CHART, `ceph.client.${user}.keyring`)).toContain('key = marked-')
    }
    const node = accounts.split('[').find((section) => section.startsWith('client.kube-node]'))
    expect(node).toContain('caps mds = "allow rw path=/volumes/kubernetes"\n')
    expect(node).not.toContain('caps mgr')
  })
})
