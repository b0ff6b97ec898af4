import {beforeAll, describe, expect, it} from 'vitest'
import {annotatePods} from '../e2e/support/annotate-pods.ts'
import {auditEvents, get, kubectl, waitFor} from '../e2e/support/cluster.ts'
import {
  allInOne,
  type EnvironmentContent,
  makeEnvironment,
  type TestEnvironment,
} from '../e2e/support/environment.ts'
import {revisions} from '../e2e/support/records.ts'

const HASH = 'kk.openstack.org/config-hash'
const PREFIX = 'sandbox.kk.openstack.org'

interface Pod {
  readonly metadata: {
    readonly name: string
    readonly uid: string
    readonly deletionTimestamp?: string
    readonly labels: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
  }
  readonly spec: {
    readonly initContainers?: readonly {
      readonly name: string
      readonly env?: readonly {readonly name: string; readonly value?: string}[]
    }[]
    readonly containers: readonly {readonly name: string; readonly image: string}[]
  }
  readonly status: {
    readonly phase: string
    readonly conditions?: readonly {
      readonly type: string
      readonly status: string
      readonly lastTransitionTime: string
    }[]
  }
}

interface Job {
  readonly metadata: {readonly name: string; readonly annotations?: Readonly<Record<string, string>>}
  readonly spec: {readonly template: {readonly spec: Pod['spec']}}
  readonly status: {readonly succeeded?: number; readonly completionTime?: string}
}

/** Releases of kk's own charts, one for each way in which pods are replaced. */
const WAYS = {
  rolling: {chart: 'horizon', kind: 'deployments', strategy: 'RollingUpdate'},
  recreate: {chart: 'horizon', kind: 'deployments', strategy: 'Recreate'},
  together: {chart: 'horizon', kind: 'deployments', strategy: 'AllAtOnce'},
  members: {chart: 'memcached', kind: 'statefulsets', strategy: 'RollingUpdate'},
} as const
type Way = keyof typeof WAYS

let environment: TestEnvironment
let content: EnvironmentContent

beforeAll(async () => {
  const {kk, global} = (await allInOne()) as {kk: object; global: object}
  const ways = Object.entries(WAYS)
  const without = ['mariadb', 'memcached', 'rabbitmq', 'keystone']
  const settings = ways.map(([name, {chart}]) => [name, {chart, ...(chart === 'horizon' && {without})}])
  const sections = ways.map(([name, {kind, strategy}]) => [
    name,
    {
      pod: {
        replicas: {server: 3},
        lifecycle: {upgrades: {[kind]: {pod_replacement_strategy: strategy}}},
      },
    },
  ])
  content = {
    kk: {...kk, releases: {...Object.fromEntries(settings), keystone: {without}}},
    global,
    ...Object.fromEntries(sections),
    // One, whatever the number of controllers: a step lets a single pod become ready.
    keystone: {pod: {replicas: {api: 1}}},
  }
  environment = await makeEnvironment({content})
  await environment.deploy()
})

async function pods(...selector: readonly string[]): Promise<readonly Pod[]> {
  const {items} = await get<{items: Pod[]}>('pods', '--namespace', environment.name, ...selector)
  return items
}

it('kk reconfigure replaces only pods with a changed configuration hash', async () => {
  const serving = async () =>
    (await pods('--selector', 'app.kubernetes.io/component in (api, server)')).filter(isAlive)
  const before = await serving()
  const members = content.members as {pod: object}
  await environment.write({
    ...content,
    keystone: {...(content.keystone as object), conf: {keystone: {token: {expiration: 3600}}}},
    members: {...members, pod: {...members.pod, replicas: {server: 4}}},
  })

  const {exitCode, stderr} = await environment.kk('reconfigure')

  expect(exitCode, stderr).toBe(0)
  expect(await revisions(environment.name)).toMatchObject({keystone: 2, members: 2, rolling: 1})
  const after = await waitFor(
    async () => {
      const found = await serving()
      return found.length === before.length + 1 && found
    },
    {until: 'old pods are gone'},
  )
  const uids = new Set(after.map(({metadata}) => metadata.uid))
  const hashes = new Set(after.map(hashOf))
  const replaced = before.filter(({metadata}) => !uids.has(metadata.uid))
  expect(replaced.map(({metadata}) => metadata.labels['app.kubernetes.io/instance'])).toEqual(['keystone'])
  expect(before.filter((pod) => !hashes.has(hashOf(pod)))).toEqual(replaced)
  await environment.write(content)
})

describe('an upgrade of images', () => {
  const TAG = '2026.1-debian-trixie'
  let since: string

  beforeAll(async () => {
    const annotate = (component: string, annotations: Readonly<Record<string, string>>) =>
      annotatePods({
        namespace: environment.name,
        labels: {'app.kubernetes.io/component': component},
        annotations,
      })
    await Promise.all([
      annotate('server', {[`${PREFIX}/ready-after`]: '2s'}),
      annotate('db-migrate', {[`${PREFIX}/complete-after`]: '3s'}),
      annotate('api', {[`${PREFIX}/fail`]: 'InitWaiting'}),
    ])
    await environment.write({...content, global: {...(content.global as object), images: {tag: TAG}}})
    since = new Date().toISOString()
    const running = environment.kk('upgrade', '--concurrency', '8')
    await startNewPods(TAG)
    const {exitCode, stderr} = await running
    expect(exitCode, stderr).toBe(0)
  })

  it.each<[Way, object, number]>([
    ['rolling', {type: 'RollingUpdate', rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}, 0],
    ['recreate', {type: 'Recreate'}, 3],
    ['together', {type: 'RollingUpdate', rollingUpdate: {maxSurge: 0, maxUnavailable: '100%'}}, 3],
    ['members', {type: 'RollingUpdate'}, 1],
  ])('of %s, by %j, leaves at most %d of 3 pods unavailable at once', async (way, strategy, most) => {
    const {spec} = await get<{spec: {strategy?: object; updateStrategy?: object}}>(
      WAYS[way].kind,
      `${way}-server`,
      '--namespace',
      environment.name,
    )

    expect(spec.strategy ?? spec.updateStrategy).toMatchObject(strategy)
    expect(await mostUnavailable(`${way}-server-`, since)).toBe(most)
  })

  it('completes the migrations of its own revision before a new pod starts', async () => {
    const [pod] = (await pods('--selector', 'app.kubernetes.io/component=api')).filter(isAlive)
    const started = pod!.status.conditions!.find(({type}) => type === 'Ready')!.lastTransitionTime
    const jobs = (await awaitedJobs(pod!)).filter((job) => job !== undefined)

    const migrations = jobs.filter(({metadata}) => metadata.annotations?.['kk.openstack.org/migration'])
    expect(migrations.map(({metadata}) => metadata.name.replace(/-[0-9a-f]{8}$/, ''))).toEqual([
      'keystone-db-expand',
      'keystone-db-migrate',
    ])
    for (const {spec, status, metadata} of migrations) {
      expect(spec.template.spec.containers[0]!.image).toContain(TAG)
      expect(status.completionTime! <= started, `${metadata.name} before ${started}`).toBe(true)
    }
  })
})

function isAlive({metadata}: Pod): boolean {
  return metadata.deletionTimestamp === undefined
}

function hashOf({metadata}: Pod): string {
  return metadata.annotations?.[HASH] ?? ''
}

/**
 * What a node does with the pod of an API, and a simulated one does not: its first init container ends when
 * the Jobs that it is told to wait for (`DEPENDENCY_JOBS` of kubernetes-entrypoint) are done, and only then
 * the service starts.
 */
async function startNewPods(tag: string): Promise<void> {
  const pod = await waitFor(
    async () => {
      const waiting = await pods('--selector', 'app.kubernetes.io/component=api')
      return waiting.find(
        ({spec, status}) => spec.containers[0]!.image.includes(tag) && status.conditions !== undefined,
      )
    },
    {until: 'there is a pod with the new image'},
  )
  await waitFor(async () => (await awaitedJobs(pod)).every((job) => job?.status.succeeded === 1), {
    until: 'the jobs that it waits for are done',
  })
  const now = new Date().toISOString()
  const condition = (type: string) => ({type, status: 'True', lastTransitionTime: now})
  const status = {
    phase: 'Running',
    conditions: ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map(condition),
    containerStatuses: pod.spec.containers.map(({name, image}) => ({
      name,
      image,
      imageID: '',
      ready: true,
      started: true,
      restartCount: 0,
      state: {running: {startedAt: now}},
    })),
  }
  const patch = [
    'patch',
    'pod',
    pod.metadata.name,
    '--namespace',
    environment.name,
    '--subresource',
    'status',
  ]
  await kubectl([...patch, '--type', 'merge', '--patch', JSON.stringify({status})])
}

/** Undefined for one that does not exist: helm makes Deployments before Jobs. */
async function awaitedJobs({spec}: Pod): Promise<readonly (Job | undefined)[]> {
  const gate = spec.initContainers?.find(({name}) => name === 'dependencies')
  const names = gate?.env?.find(({name}) => name === 'DEPENDENCY_JOBS')?.value?.split(',') ?? []
  expect(names).not.toEqual([])
  const {items} = await get<{items: Job[]}>('jobs', '--namespace', environment.name)
  return names.map((name) => items.find(({metadata}) => metadata.name === name))
}

/**
 * By the audit log: how many of three pods were deleted, or not yet Ready, in the worst moment since then.
 */
async function mostUnavailable(prefix: string, since: string): Promise<number> {
  const ready = new Set<string>()
  let fewest = 3
  for (const event of await auditEvents(environment.name)) {
    const {objectRef, verb, requestObject, responseStatus} = event
    const name = objectRef?.name ?? ''
    if (objectRef?.resource !== 'pods' || !name.startsWith(prefix) || (responseStatus?.code ?? 200) >= 300)
      continue
    const conditions = requestObject?.status?.conditions ?? []
    const isReady = conditions.some(({type, status}) => type === 'Ready' && status === 'True')
    if (objectRef.subresource === 'status' && isReady) ready.add(name)
    if (objectRef.subresource === undefined && verb === 'delete') ready.delete(name)
    if (event.requestReceivedTimestamp > since) fewest = Math.min(fewest, ready.size)
  }
  return 3 - fewest
}
