import {randomBytes} from 'node:crypto'
import {writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {describe, expect, it} from 'vitest'
import {KkError} from '../../../src/base/errors.ts'
import type {Chart} from '../../../src/charts/chart.ts'
import type {Change, OtherReleases} from '../../../src/doctor/checks/change.ts'
import {CHECKS, checkBefore} from '../../../src/doctor/checks/checks.ts'
import type {ScaleTarget} from '../../../src/kubernetes/gate/scale-targets.ts'
import {isHook} from '../../../src/kubernetes/manifest/helm-view.ts'
import type {KubernetesObject} from '../../../src/kubernetes/manifest/kubernetes-object.ts'
import type {ReleaseId} from '../../../src/release.ts'
import {port} from '../../kubernetes/support/port.ts'
import {testDirectory} from '../../support/test-directory.ts'

const object = (kind: string, name: string, more: object = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind,
  metadata: {name},
  ...more,
})
const MAP = object('ConfigMap', 'same')
const hooked = (each: KubernetesObject): KubernetesObject => ({
  ...each,
  metadata: {...each.metadata, annotations: {'helm.sh/hook': 'pre-install'}},
})

type Objects = Readonly<Record<string, readonly KubernetesObject[]>>

const releasesOf = (objects: Objects, unread: readonly string[] = []): OtherReleases => ({
  releases: Object.entries(objects).map(([name, each]) => ({
    release: `openstack/${name}`,
    objects: each.map((one) => ({object: one, file: ''})),
  })),
  unread,
})

interface Setting {
  readonly next?: Objects
  /** What the deployed revisions have. */
  readonly before?: Objects
  readonly going?: Objects
  readonly staying?: Objects
  readonly present?: Objects
  readonly changing?: Change['changing']
  /** What autoscalers of the cluster scale. */
  readonly scaled?: readonly ScaleTarget[]
  readonly server?: string
  /** The claims that the cluster has. */
  readonly claims?: readonly string[]
}

/** A change on a cluster with one node and one storage class, which counts the requests for both. */
function changeOf({
  next = {},
  before = {},
  going = {},
  staying = {},
  present = {},
  changing = 'deploy',
  scaled = [],
  server = 'https://127.0.0.1:6443',
  claims = [],
}: Setting) {
  const asked: string[] = []
  const note = <T>(what: string, answer: T) => {
    asked.push(what)
    return answer
  }
  const diagnosis = {
    served: async (_: string, kind: string) =>
      note('kinds', kind === 'Gone' ? undefined : {apiVersion: 'v1', kind, plural: '', namespaced: true}),
    storageClasses: async () => note('storage classes', [{name: 'general', isDefault: true}]),
    nodes: async () => note('nodes', []),
  }
  const entries = (objects: Objects) =>
    Object.entries(objects).map(([name, each]) => [`openstack/${name}` as ReleaseId, each] as const)
  const change: Change = {
    changing,
    cluster: {
      server,
      diagnosis: diagnosis as unknown as Change['cluster']['diagnosis'],
      apiServer: port({customKinds: async () => []}),
      health: port({scaleTargets: async () => note('autoscalers', scaled)}),
      live: {
        present: async (_, objects) => {
          const known = objects.filter(({metadata}) => claims.includes(metadata.name))
          return note(
            'claims',
            known.map((one) => ({object: one, isGoing: false, live: one.metadata})),
          )
        },
      },
    },
    next: new Map(
      entries(next).map(([release, each]) => {
        const own = new Map(entries(before)).get(release) ?? []
        return [
          release,
          {
            objects: each.map((one) => ({object: one, file: ''})),
            before: own.filter((one) => !isHook(one)),
            hooksBefore: own.filter(isHook),
          },
        ]
      }),
    ),
    recorded: new Map(entries(before)),
    toDelete: new Map(entries(going)),
    staying: async () => note('staying', releasesOf(staying)),
    present: async () => note('present', releasesOf(present)),
    given: [],
  }
  return {change, asked}
}

describe('the checks before the first change', () => {
  it('send no request to the cluster if nothing is to change', async () => {
    const {change, asked} = changeOf({staying: {one: [MAP]}, present: {one: [MAP]}})

    expect(await checkBefore(change)).toEqual([])
    expect(asked).toEqual([])
  })

  it('have unique names', () => {
    const names = CHECKS.map(({name}) => name)

    expect(new Set(names).size).toBe(names.length)
  })

  it('report a check that the user may not perform, and perform the others', async () => {
    const {change} = changeOf({next: {one: [MAP]}, going: {one: [object('Secret', 'other')]}})
    const present = () => Promise.reject(new KkError('KK_FORBIDDEN', 'may not list secrets'))

    expect(await checkBefore({...change, present})).toEqual([
      'not checked: objects that another release keeps: may not list secrets',
    ])
  })

  it('report the releases that could not be read', async () => {
    const {change} = changeOf({next: {one: [MAP]}})
    const staying = async () => releasesOf({}, ['openstack/two: its record cannot be read'])

    expect(await checkBefore({...change, staying})).toEqual([
      'not checked: accounts, objects of two releases: openstack/two: its record cannot be read',
    ])
  })
})

describe('an object that two releases would make', () => {
  it.each<[string, Setting]>([
    ['both are new', {next: {one: [MAP], two: [MAP]}}],
    ['one has it and keeps it', {next: {one: [MAP], two: [MAP]}, before: {one: [MAP]}}],
    ['one has it and is not changed', {next: {two: [MAP]}, staying: {one: [MAP]}}],
    ['it is a new hook of the other', {next: {one: [MAP], two: [hooked(MAP)]}, before: {one: [MAP]}}],
    ['it is new, and a hook of one that stays', {next: {one: [MAP]}, staying: {two: [hooked(MAP)]}}],
    [
      'both had it, and it becomes a hook of one',
      {next: {one: [MAP], two: [hooked(MAP)]}, before: {one: [MAP], two: [MAP]}},
    ],
    [
      'it is of the whole cluster',
      {next: {one: [object('ClusterRole', 'fixed')], two: [object('ClusterRole', 'fixed')]}},
    ],
  ])('is refused if %s', async (_, setting) => {
    await expect(checkBefore(changeOf(setting).change)).rejects.toMatchObject({
      code: 'KK_CLAIMED_TWICE',
      message: expect.stringMatching(/is created by (?:one and two|two and one)/),
    })
  })

  it.each<[string, Setting]>([
    ['both have had it', {next: {one: [MAP], two: [MAP]}, before: {one: [MAP], two: [MAP]}}],
    [
      'one has had it as a hook, and the other as a plain one',
      {next: {two: [hooked(MAP)]}, before: {two: [hooked(MAP)]}, staying: {one: [MAP]}},
    ],
    [
      'it is a hook of both, which helm makes again each time',
      {next: {one: [hooked(MAP)], two: [hooked(MAP)]}},
    ],
  ])('is noted if %s', async (_, setting) => {
    expect(await checkBefore(changeOf(setting).change)).toEqual([
      expect.stringMatching(/ConfigMap\/same is created by (?:one and two|two and one)/),
    ])
  })
})

describe('an object that would be deleted', () => {
  const shared = {going: {one: [MAP]}, present: {one: [MAP], two: [MAP]}}

  it.each(['remove', 'rollback'] as const)(
    'with a %s is refused if another release has it',
    async (changing) => {
      await expect(checkBefore(changeOf({...shared, changing}).change)).rejects.toMatchObject({
        code: 'KK_CLAIMED_TWICE',
        message: expect.stringContaining('one: ConfigMap/same, which two also has, would be deleted'),
      })
    },
  )

  it('is deleted if the other release loses the object, too', async () => {
    const both = {going: {one: [MAP], two: [MAP]}, present: {one: [MAP], two: [MAP]}}

    expect(await checkBefore(changeOf({...both, changing: 'remove'}).change)).toEqual([])
  })
})

describe('an upgrade that migrates databases', () => {
  const migration = (name: string, claim?: string): KubernetesObject => ({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name,
      labels: {'app.kubernetes.io/instance': 'one'},
      annotations: {
        'kk.openstack.org/migration': 'true',
        ...(claim !== undefined && {'kk.openstack.org/dumps': claim}),
      },
    },
  })
  const before = {one: [migration('sync-1')], two: [migration('sync-3')]}

  it('is noted once, with the claim to which the databases are dumped', async () => {
    const next = {one: [migration('sync-2', 'dumps')], two: [migration('sync-4', 'dumps')]}

    expect(await checkBefore(changeOf({before, next, claims: ['dumps']}).change)).toEqual([
      'before the first migration of one, two the databases are dumped to the claim dumps, and kk rollback names the dumps',
    ])
  })

  it('is noted once as without a way back if no dump is taken', async () => {
    const next = {one: [migration('sync-2')], two: [migration('sync-4')]}
    const {change, asked} = changeOf({before, next})

    expect(await checkBefore(change)).toEqual([
      'there is no way back past the first migration of one, two: no dump is taken; state a claim for dumps with global.dumps.claim, or take a backup of the databases first',
    ])
    expect(asked).not.toContain('claims')
  })

  it('is refused if the claim does not exist, unless a release makes it', async () => {
    const next = {one: [migration('sync-2', 'dumps')]}
    const claim = object('PersistentVolumeClaim', 'dumps', {spec: {storageClassName: 'general'}})

    await expect(checkBefore(changeOf({before, next}).change)).rejects.toMatchObject({
      code: 'KK_UNSERVED',
      message: expect.stringContaining(
        'the claim for dumps of one does not exist: openstack/PersistentVolumeClaim/dumps',
      ),
    })
    expect(await checkBefore(changeOf({before, next: {...next, db: [claim]}}).change)).toHaveLength(1)
  })

  it.each([
    ['a release is installed', {next: {one: [migration('sync-1')]}}],
    ['its migrations stay the same', {before, next: {one: [migration('sync-1')]}}],
  ])('has no note if %s', async (_, setting) => {
    expect(await checkBefore(changeOf(setting).change)).toEqual([])
  })
})

describe('a kind that is no longer served', () => {
  const gone = object('Gone', 'a')

  it.each(['deploy', 'rollback', 'remove'] as const)(
    'is refused in a record before a %s',
    async (changing) => {
      await expect(checkBefore(changeOf({before: {one: [gone]}, changing}).change)).rejects.toMatchObject({
        code: 'KK_API_GONE',
        message: expect.stringContaining('openstack/one: its record has Gone of v1'),
      })
    },
  )

  it('is not refused if the change defines it again', async () => {
    const definition = object('CustomResourceDefinition', 'gones.a.org', {
      spec: {group: 'a.org', names: {kind: 'Gone'}, versions: [{name: 'v1'}]},
    })
    const custom = {...gone, apiVersion: 'a.org/v1'}

    expect(await checkBefore(changeOf({before: {one: [custom]}, next: {two: [definition]}}).change)).toEqual(
      [],
    )
  })
})

it('a hook that waits for a new object is refused, and accepted if the deployed revision has the object', async () => {
  const containers = [{name: 'c', envFrom: [{configMapRef: {name: 'same'}}]}]
  const job = hooked({
    ...object('Job', 'waits'),
    apiVersion: 'batch/v1',
    spec: {template: {spec: {containers}}},
  })
  const endless = ({change}: ReturnType<typeof changeOf>) =>
    checkBefore(
      change,
      CHECKS.filter(({name}) => name === 'hooks that never end'),
    )

  await expect(endless(changeOf({next: {one: [job, MAP]}}))).rejects.toMatchObject({code: 'KK_UNSERVED'})
  expect(await endless(changeOf({next: {one: [job, MAP]}, before: {one: [MAP]}}))).toEqual([])
})

it('a release whose record is in another namespace is not installed again', async () => {
  const {change} = changeOf({next: {db: [MAP]}})
  const elsewhere = async () => [{release: 'openstack/db', namespace: 'flux-system'} as const]

  await expect(checkBefore({...change, recordsElsewhere: elsewhere})).rejects.toMatchObject({
    code: 'KK_FOREIGN',
    message: expect.stringContaining('its helm record is in the namespace flux-system'),
  })
})

it('a key of kk for a Ceph that no release runs is refused if a pod gets it', async () => {
  const path = ['global', 'endpoints', 'ceph_mon', 'auth', 'glance', 'key']
  const stray = {
    release: 'openstack/api',
    server: 'ceph',
    name: 'ceph_mon.glance.key',
    path,
    value: 'AQB-generated==',
  } as const
  const data = {
    keyring: Buffer.from('[client.glance]\nkey = AQB-generated==\n').toString('base64'),
    other: '',
  }
  const having = (kind: string, key: string) => {
    const volumes = [{name: 'keys', secret: {secretName: 'api', items: [{key, path: key}]}}]
    const template = {spec: {containers: [{name: 'c'}], volumes}}
    const spec = kind === 'CronJob' ? {jobTemplate: {spec: {template}}} : {template}
    const next = {api: [object('Secret', 'api', {data}), object(kind, 'api', {spec})]}
    return {...changeOf({next}).change, strayKeys: [stray]}
  }
  const keys = CHECKS.filter(({name}) => name === 'accounts of servers that are there')

  await expect(checkBefore(having('Deployment', 'keyring'), keys)).rejects.toMatchObject({
    code: 'KK_UNSTATED',
    hint: expect.stringContaining('kk secrets import FILE, with a line for each (ceph_mon.glance.key: …)'),
  })
  const cinder = {
    ...stray,
    name: 'ceph_mon.cinder.key',
    path: ['global', 'endpoints', 'ceph_mon', 'auth', 'cinder', 'key'],
  }
  const both = {...having('Deployment', 'keyring'), strayKeys: [stray, cinder]}
  await expect(checkBefore(both, keys)).rejects.toMatchObject({
    hint: expect.stringMatching(/^store the values of the server: (?!.*store the values).*glance.*cinder/),
  })
  expect(await checkBefore(having('Deployment', 'other'), keys)).toEqual([])
  expect(await checkBefore(having('CronJob', 'keyring'), keys)).toEqual([])
})

describe('replicas that a chart states and an autoscaler sets', () => {
  const replicas = CHECKS.filter(({name}) => name === 'replicas of autoscalers')
  const api = (replicas?: number) => object('Deployment', 'api', {spec: {replicas}})
  const scaler = object('HorizontalPodAutoscaler', 'any', {
    spec: {scaleTargetRef: {kind: 'Deployment', name: 'api'}},
  })
  const ofName = (name: string) => ({kind: 'Deployment', name, fromZero: false})

  it.each<[string, Setting, readonly string[]]>([
    ['the chart has both', {next: {one: [api(2), scaler]}}, []],
    ['another release brings the autoscaler', {next: {one: [api(2)], two: [scaler]}}, []],
    [
      'an upgrade meets an autoscaler',
      {next: {one: [api(2)]}, before: {one: [api(2)]}, scaled: [ofName('api')]},
      ['autoscalers'],
    ],
  ])('are noted if %s', async (_, setting, requests) => {
    const {change, asked} = changeOf(setting)

    expect(await checkBefore(change, replicas)).toEqual([
      'openstack/one: Deployment/api: the chart sets 2 replicas, and an autoscaler sets them, too: helm resets the number at each upgrade; omit spec.replicas in the chart, for example with a value',
    ])
    expect(asked).toEqual(requests)
  })

  it.each<[string, Setting]>([
    [
      'the chart states none',
      {next: {one: [api(), scaler]}, before: {one: [api()]}, scaled: [ofName('api')]},
    ],
    ['another workload is scaled', {next: {one: [api(2)]}, before: {one: [api(2)]}, scaled: [ofName('web')]}],
    ['the release is new', {next: {one: [api(2)]}, scaled: [ofName('api')]}],
  ])('are not noted if %s', async (_, setting) => {
    expect(await checkBefore(changeOf(setting).change, replicas)).toEqual([])
  })
})

it('a claim whose storage class does not exist is noted', async () => {
  const claim = object('PersistentVolumeClaim', 'data', {spec: {storageClassName: 'fast'}})

  expect(await checkBefore(changeOf({next: {one: [claim]}}).change)).toEqual([
    expect.stringContaining('claims of one name the storage class fast, which does not exist'),
  ])
})

it('an account is noted if a changed release and an unchanged one have different passwords', async () => {
  const secret = (name: string, connection: string) =>
    object('Secret', name, {stringData: {'a.conf': `[database]\nconnection = ${connection}\n`}})
  const client = (name: string, password: string) =>
    secret(name, `mysql+pymysql://nova:${password}@mariadb/nova`)

  const notes = await checkBefore(
    changeOf({
      next: {api: [client('api', 'first-secret')]},
      staying: {jobs: [client('jobs', 'second-secret')]},
    }).change,
  )

  expect(notes.join()).toContain('the database account "nova" at mariadb')
  expect(notes.join()).not.toContain('-secret')
})

it.each([
  ['refused', 1_200_000, 'KK_TOO_LARGE'],
  ['noted', 600_000, undefined],
] as const)('a record that a file makes too large is %s', async (_, bytes, code) => {
  const directory = testDirectory()
  await writeFile(join(directory, 'noise.bin'), randomBytes(bytes))
  const {change} = changeOf({next: {big: [MAP]}})
  const source = {chart: {directory, libraries: []} as unknown as Chart, values: {}}
  const next = new Map([...change.next].map(([release, each]) => [release, {...each, source}]))

  const checked = checkBefore({...change, next}).catch((error: KkError) => [`${error.code} ${error.message}`])

  expect((await checked).join()).toContain(`noise.bin (${bytes / 1000} kB)`)
  expect((await checked).join().startsWith('KK_TOO_LARGE')).toBe(code !== undefined)
})

it.each([
  ['https://10.0.0.1:6443', 'localhost:5010/kk/keystone:1', 1],
  ['https://[fd00::1]:6443', '127.0.0.1:5000/kk/keystone:1', 1],
  ['https://10.0.0.1:6443', 'registry.example.org/kk/keystone:1', 0],
  ['https://10.0.0.1:6443', 'keystone', 0],
  ['https://127.0.0.1:6443', 'localhost:5010/kk/keystone:1', 0],
  ['https://[::1]:6443', 'localhost:5010/kk/keystone:1', 0],
] as const)('for a cluster at %s the image %s is noted %d times', async (server, image, count) => {
  const spec = {template: {spec: {containers: [{name: 'api', image}]}}}
  const notes = await checkBefore(changeOf({next: {one: [object('Job', 'api', {spec})]}, server}).change)

  expect(notes.filter((note) => note.includes('images of one are in '))).toHaveLength(count)
})
