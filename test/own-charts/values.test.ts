import {existsSync, readdirSync} from 'node:fs'
import {join} from 'node:path'
import {describe, expect, it} from 'vitest'
import {readImages} from '../../src/images/inventory/read-images.ts'
import {atLargest, CHARTS, GIVEN, SERVICES, useCharts} from './support/charts.ts'
import {containers, find, ofKind, pods, servers, workloads} from './support/objects.ts'

const charts = await useCharts()
const images = async (chart: string, values: object, global?: object) => {
  const all = pods(await charts.render(chart, {values, ...(global === undefined ? {} : {global})}))
  return new Set(all.flatMap(containers).map(({image}) => image))
}

describe('the image of a chart', () => {
  it.each([
    ["is kk's", {}, 'localhost:5010/kk/horizon:2025.1-debian-trixie'],
    ['has the parts that are set', {registry: 'r:5000', namespace: 'n', tag: 't'}, 'r:5000/n/horizon:t'],
    [
      "is kolla's of old",
      {registry: 'quay.io', namespace: 'kolla', distro: 'centos', type: 'source', tag: '4.0.0'},
      'quay.io/kolla/centos-source-horizon:4.0.0',
    ],
    ['drops the empty parts', {registry: '', namespace: '', tag: 't'}, 'horizon:t'],
    [
      'is a full reference if one is specified',
      {tags: {server: 'a/b@sha256:'.padEnd(75, '0')}},
      'a/b@sha256:'.padEnd(75, '0'),
    ],
    ["or under openstack-helm's name", {tags: {horizon: 'a/b:c'}}, 'a/b:c'],
  ])('%s', async (_, values, expected) => {
    expect(await images('horizon', {images: values})).toContain(expected)
  })

  it.each([
    [{tag: 'latest'}, '/images/tag'],
    [{tag: ''}, 'has no tag'],
    [{tags: {server: 'localhost:5000/horizon'}}, 'has no tag'],
    [{tags: {dep_check: 'entrypoint:latest'}}, '/images/tags/dep_check'],
  ])('is refused without a fixed tag: %j', async (values, reason) => {
    expect(await charts.refusal('horizon', {values: {images: values}})).toContain(reason)
  })

  it.each(SERVICES)('of %s has a fixed tag in every container', async (chart) => {
    const all = pods(await charts.render(chart)).flatMap(containers)

    for (const {image} of all) expect(image).toMatch(/:(?!latest)[^/]+$/)
  })
})

describe('values of a chart', () => {
  it.each([
    ['keystone', {pod: {replicsa: {api: 1}}}, 'replicsa'],
    ['keystone', {pod: {replicas: {apii: 1}}}, 'apii'],
    ['keystone', {manifests: {job_dbsync: false}}, 'job_dbsync'],
    ['keystone', {endpoints: {identity: {host: 'x'}}}, 'host'],
    ['keystone', {components: {api: {wgsi: 'x'}}}, 'wgsi'],
    ['mariadb', {storage: {ephemral: true}}, 'ephemral'],
    ['mariadb', {pod: {replicas: 'two'}}, 'replicas'],
    ['rabbitmq', {iamges: {}}, 'iamges'],
  ])('of %s with a typo are refused: %j', async (chart, values, word) => {
    const refusal = await charts.refusal(chart, {values})

    expect(refusal).toContain("values don't meet the specifications of the schema")
    expect(refusal).toContain(word)
  })

  it.each([
    [{manifests: {rbac: false}}, '/global/manifests'],
    [{network_policy: {nodes: '192.0.2.0/24'}}, '/global/network_policy/nodes'],
  ])('in global that no chart reads are refused: %j', async (global, place) => {
    expect(await charts.refusal('rabbitmq', {global})).toContain(place)
  })

  it('with a typo are refused by helm 3, too', async () => {
    const values = {pod: {replicsa: 1}}

    expect(await charts.refusal('keystone', {helm: 'helm3', values})).toContain('replicsa')
  })

  it.each(['keystone_api', 'api'])("may use openstack-helm's name of a component: %s", async (api) => {
    const [keystone] = workloads(await charts.render('keystone', {values: {pod: {replicas: {[api]: 4}}}}))

    expect(keystone?.spec?.replicas).toBe(4)
  })

  it.each([
    ['of one component', {api: {node_selector_key: 'rack', node_selector_value: '7'}}, {rack: '7'}],
    [
      'of a role',
      {roles: {control_plane: {node_selector_key: 'kolla_controller', node_selector_value: 'true'}}},
      {kolla_controller: 'true'},
    ],
  ])('determine the nodes %s', async (_, labels, expected) => {
    const [keystone] = workloads(await charts.render('keystone', {values: {labels}}))

    expect(keystone?.spec?.template?.spec.nodeSelector).toEqual(expected)
  })

  it('in global have a lower precedence than those of the section', async () => {
    const shared = {region: 'Shared', images: {registry: 'shared'}, storage: {ephemeral: true}}
    const secrets = {endpoints: {oslo_db: {auth: {admin: {password: 'x'}}}}}
    const values = {images: {registry: 'own'}}

    expect(await images('mariadb', {}, {...secrets, ...shared})).toContain(
      'shared/kk/mariadb-server:2025.1-debian-trixie',
    )
    expect(await images('mariadb', values, {...secrets, ...shared})).toContain(
      'own/kk/mariadb-server:2025.1-debian-trixie',
    )
  })

  it('omit objects whose key in manifests is false', async () => {
    const left = {
      deployment_api: 'Deployment keystone-api',
      service_api: 'Service keystone-api',
      pdb_api: 'PodDisruptionBudget keystone-api',
      secret_fernet_keys: 'Secret keystone-fernet-keys',
      configmap_etc: 'ConfigMap keystone-etc',
      pod_test: 'Pod keystone-test',
    }
    const names = async (values: object) =>
      (await charts.render('keystone', {values})).map(({kind, metadata}) => `${kind} ${metadata.name}`)
    const manifests = Object.fromEntries(Object.keys(left).map((key) => [key, false]))

    const replicas = {pod: {replicas: 2}}

    const all = await names(replicas)
    const rest = await names({...replicas, manifests})

    expect(all.filter((name) => !rest.includes(name)).sort()).toEqual(Object.values(left).sort())
  })
})

describe('data of a service', () => {
  it.each(['mariadb', 'rabbitmq'])('of %s is on a volume of the specified class and size', async (chart) => {
    const values = {storage: {class: 'ceph', size: '7Gi'}}

    const [server] = servers(await charts.render(chart, {values}))

    expect(server?.spec?.volumeClaimTemplates?.map(({spec}) => spec)).toEqual([
      {accessModes: ['ReadWriteOnce'], storageClassName: 'ceph', resources: {requests: {storage: '7Gi'}}},
    ])
  })

  it('of glance is on a claim that stays after the removal of the release', async () => {
    const objects = await charts.render('glance')

    expect(find(objects, 'PersistentVolumeClaim', 'glance-api').metadata.annotations).toEqual({
      'helm.sh/resource-policy': 'keep',
    })
  })

  it.each([
    ['mariadb', {storage: {ephemeral: true}}],
    ['rabbitmq', {storage: {ephemeral: true}}],
    ['glance', {storage: {ephemeral: true}}],
    ['glance', {storage: 'ephemeral'}],
  ])('of %s is deleted with the pod if it is ephemeral: %j', async (chart, shared) => {
    const objects = await charts.render(chart, {global: {...GIVEN, ...shared}})

    const [server] = servers(objects)
    expect(ofKind(objects, 'PersistentVolumeClaim')).toEqual([])
    expect(server?.spec).not.toHaveProperty('volumeClaimTemplates')
    expect(server?.spec?.template?.spec.volumes?.find(({name}) => name === 'data')).toEqual({
      name: 'data',
      emptyDir: {},
    })
  })
})

describe('the setting for the data of all releases', () => {
  it('is persistent or ephemeral, and a section may override the setting', async () => {
    const claims = async (storage: string, own: object) =>
      ofKind(
        await charts.render('glance', {global: {...GIVEN, storage}, values: {storage: own}}),
        'PersistentVolumeClaim',
      ).length

    expect(await claims('persistent', {})).toBe(1)
    expect(await claims('ephemeral', {ephemeral: false})).toBe(1)
    expect(await claims('persistent', {ephemeral: true})).toBe(0)
  })

  it('is refused with any other value', async () => {
    expect(await charts.refusal('glance', {global: {...GIVEN, storage: 'permanent'}})).toContain(
      '/global/storage',
    )
  })
})

describe('additional members', () => {
  it.each(['mariadb', 'rabbitmq'])('of %s leave existing members unchanged', async (chart) => {
    const template = async (replicas: number) =>
      servers(await charts.render(chart, {values: {pod: {replicas}}}))[0]?.spec?.template

    expect(await template(3)).toEqual(await template(1))
  })

  it('of mariadb are announced to existing members by a file that these reload', async () => {
    const objects = await charts.render('mariadb', {values: {pod: {replicas: 2}}})

    expect(JSON.parse(find(objects, 'ConfigMap', 'mariadb-etc').data!['members.json']!)).toEqual({
      service: 'mariadb-server-peers',
      members: ['mariadb-server-0.mariadb-server-peers', 'mariadb-server-1.mariadb-server-peers'],
    })
  })

  it('of rabbitmq are discovered through Kubernetes, with no other permission', async () => {
    const objects = await charts.render('rabbitmq', {
      release: 'a-bus-of-a-name-that-is-quite-as-long-as-it-gets',
    })

    const peers = ofKind(objects, 'Service').find(({metadata}) => metadata.name.endsWith('-peers'))!.metadata
      .name
    expect(ofKind(objects, 'Role').flatMap(({rules}) => rules)).toEqual([
      {apiGroups: [''], resources: ['endpoints'], resourceNames: [peers], verbs: ['get']},
    ])
    expect(
      ofKind(objects, 'ConfigMap')
        .map(({data}) => data?.['rabbitmq.conf'])
        .join(''),
    ).toContain(`cluster_formation.k8s.service_name = ${peers}\n`)
  })
})

describe('two releases of one chart', () => {
  it('have no object in common', async () => {
    const name = ({kind, metadata}: {kind: string; metadata: {namespace: string; name: string}}) =>
      `${kind} ${metadata.namespace}/${metadata.name}`
    const first = (await charts.render('keystone')).map(name)

    const second = (await charts.render('keystone', {release: 'identity'})).map(name)
    const elsewhere = (await charts.render('keystone', {namespace: 'other'})).map(name)

    expect(first.filter((object) => second.includes(object) || elsewhere.includes(object))).toEqual([])
  })

  it('each use their own service', async () => {
    const objects = await charts.render('keystone', {release: 'identity', namespace: 'other'})

    const [test] = pods(ofKind(objects, 'Pod'))
    expect(test?.spec.containers[0]?.env).toContainEqual({
      name: 'OS_AUTH_URL',
      value: 'http://identity-api.other.svc.cluster.local:5000/v3',
    })
  })
})

it.each(SERVICES)('%s with the longest release name has valid and unique object names', async (chart) => {
  const objects = await charts.render(chart, atLargest(chart))

  const names = objects.map(({kind, metadata}) => `${kind} ${metadata.name}`)
  expect(new Set(names).size).toBe(names.length)
  for (const {kind, metadata} of objects) {
    expect(metadata.name.length, `${kind} ${metadata.name}`).toBeLessThanOrEqual(
      kind === 'StatefulSet' ? 52 : 63,
    )
  }
})

const featureFiles = SERVICES.flatMap((chart) => {
  const directory = join(CHARTS, 'values_overrides', chart)
  return existsSync(directory) ? readdirSync(directory).map((file) => [chart, file] as const) : []
})

const known = (await readImages('images')).map(({repository, tag}) => `localhost:5010/${repository}:${tag}`)

it.each(featureFiles)('the feature file of %s %s renders', async (chart, file) => {
  const files = [join(CHARTS, 'values_overrides', chart, file)]

  // What is on Ceph has more jobs.
  const values = {storage: {backend: 'ceph'}}
  const objects = await charts.render(chart, {files, values})
  const all = pods(objects)

  const [feature] = file.replace('.yaml', '').split('-').slice(-1)
  expect(
    all
      .flatMap(containers)
      .map(({image}) => image)
      .join('\n'),
  ).toContain(feature!.replace('_', '-'))
  // One of a release alone stays with kk's images: there must be each of them.
  const images = [...JSON.stringify(objects).matchAll(/"image":"([^"]+)"/g)].map(([, image]) => image)
  if (/^\d/.test(file)) expect(known).toEqual(expect.arrayContaining(images))
})

const ofReleases = featureFiles.filter(([, file]) => /^\d/.test(file))

it.each(ofReleases)(
  '%s with %s has the same files, because existing queues cannot change',
  async (chart, file) => {
    const files = [join(CHARTS, 'values_overrides', chart, file)]

    const [next, now] = [await charts.render(chart, {files}), await charts.render(chart)]

    const etc = (objects: typeof now) => JSON.stringify(find(objects, 'ConfigMap', `${chart}-etc`).data)
    // An option of nova that has no part in queues, and that 2025.1 does not have.
    expect(etc(next).replace('manager_shutdown_timeout = 0\\n', '')).toBe(etc(now))
  },
)
