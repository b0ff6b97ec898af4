import {beforeAll, describe, expect, it} from 'vitest'
import {annotatePods} from '../e2e/support/annotate-pods.ts'
import {auditEvents, get, kubectl, makeNamespace, waitFor} from '../e2e/support/cluster.ts'

interface Pod {
  readonly status: {
    readonly phase: string
    readonly conditions: readonly {readonly type: string; readonly status: string; readonly reason?: string}[]
    readonly containerStatuses?: readonly {readonly state: Record<string, {readonly reason?: string}>}[]
    readonly initContainerStatuses?: readonly {readonly state: Record<string, unknown>}[]
  }
}

let namespace: string
beforeAll(async () => {
  namespace = await makeNamespace('pods')
})

async function create(object: object): Promise<void> {
  await kubectl(['create', '--namespace', namespace, '--filename', '-'], {input: object})
}

interface Images {
  readonly main?: string
  readonly init?: string
}

function podTemplate(
  name: string,
  annotations: Record<string, string>,
  restartPolicy = 'Always',
  {main = 'kk', init = 'kk'}: Images = {},
) {
  return {
    metadata: {labels: {app: name}, annotations},
    spec: {
      restartPolicy,
      initContainers: [{name: 'wait', image: init}],
      containers: [
        {name: 'main', image: main},
        {name: 'side', image: 'kk'},
      ],
    },
  }
}

function deployment(name: string, annotations: Record<string, string> = {}, images: Images = {}): object {
  const selector = {matchLabels: {app: name}}
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {name},
    spec: {replicas: 1, selector, template: podTemplate(name, annotations, 'Always', images)},
  }
}

function job(name: string, annotations: Record<string, string>, restartPolicy: string): object {
  const template = podTemplate(name, annotations, restartPolicy)
  return {apiVersion: 'batch/v1', kind: 'Job', metadata: {name}, spec: {backoffLimit: 0, template}}
}

async function pod(name: string, condition: (pod: Pod) => boolean, until: string): Promise<Pod> {
  const find = async () => {
    const {items} = await get<{items: Pod[]}>('pods', '--namespace', namespace, '--selector', `app=${name}`)
    return items.find(condition)
  }
  return waitFor(find, {until})
}

const isReady = ({status}: Pod) =>
  (status.conditions ?? []).some(({type, status}) => type === 'Ready' && status === 'True')

const fail = (how: string) => ({'sandbox.kk.openstack.org/fail': how})

describe('a simulated pod', () => {
  it('is ready immediately, whatever its init container waits for', async () => {
    await create(deployment('fast'))

    const {status} = await pod('fast', isReady, 'the pod is ready')

    expect(status.phase).toBe('Running')
  })

  it('is ready after the time in its annotation', async () => {
    await create(deployment('late', {'sandbox.kk.openstack.org/ready-after': '2s'}))

    await pod('late', isReady, 'the pod is ready')

    const changes = (await auditEvents(namespace)).filter(
      ({verb, objectRef}) =>
        verb === 'patch' && objectRef?.subresource === 'status' && objectRef.name?.startsWith('late-'),
    )
    const [running, ready] = changes.map(({stageTimestamp}) => Date.parse(stageTimestamp))
    expect(ready! - running!).toBeGreaterThan(1900)
  })

  it.each([
    ['CrashLoopBackOff', 'Running'],
    ['ImagePullBackOff', 'Pending'],
  ])('is in %s if its annotation requires that', async (reason, phase) => {
    const name = reason.toLowerCase()
    await create(deployment(name, fail(reason)))

    const {status} = await pod(name, (pod) => pod.status.containerStatuses !== undefined, 'it has a status')

    expect(status.phase).toBe(phase)
    expect(status.containerStatuses?.[0]?.state).toMatchObject({waiting: {reason}})
  })

  it.each([
    ['registry.invalid/main:1', 'Pending', {waiting: {reason: 'ImagePullBackOff'}}],
    ['registry.invalid:5000/sub/main@sha256:1', 'Pending', {waiting: {reason: 'ImagePullBackOff'}}],
    ['sandbox.kk.openstack.org/crash-loop:1', 'Running', {waiting: {reason: 'CrashLoopBackOff'}}],
    ['sandbox.kk.openstack.org/never-ready:1', 'Running', {running: {}}],
  ])('with the image %s fails in that container only', async (image, phase, state) => {
    const name = image.replaceAll(/\W+/g, '-')
    await create(deployment(name, {}, {main: image}))

    const {status} = await pod(name, (pod) => pod.status.containerStatuses !== undefined, 'it has a status')

    expect(status.phase).toBe(phase)
    expect(status.containerStatuses).toMatchObject([
      {name: 'main', ready: false, state},
      {name: 'side', ready: true, state: {running: {}}},
    ])
  })

  it('with an init container whose image cannot be pulled waits in that container', async () => {
    await create(deployment('init-image', {}, {init: 'registry.invalid/wait:1'}))

    const {status} = await pod(
      'init-image',
      (pod) => pod.status.containerStatuses !== undefined,
      'it has a status',
    )

    expect(status.initContainerStatuses?.[0]?.state).toMatchObject({waiting: {reason: 'ImagePullBackOff'}})
    expect(status.containerStatuses?.[0]?.state).toMatchObject({waiting: {reason: 'PodInitializing'}})
  })

  it('with a slow image becomes ready eventually', async () => {
    await create(deployment('slow-image', {}, {main: 'sandbox.kk.openstack.org/slow:1s'}))

    await pod('slow-image', ({status}) => status.phase === 'Running', 'the pod runs')
    await pod('slow-image', isReady, 'the pod is ready')
  })

  it('waits in its init container if its annotation requires that', async () => {
    await create(deployment('initializing', fail('InitWaiting')))

    const {status} = await pod(
      'initializing',
      (pod) => pod.status.containerStatuses !== undefined,
      'it has a status',
    )

    expect(status.initContainerStatuses?.[0]?.state).toHaveProperty('running')
    expect(status.containerStatuses?.[0]?.state).toMatchObject({waiting: {reason: 'PodInitializing'}})
  })

  it.each([
    ['Complete', 'Never', {}],
    ['Complete', 'OnFailure', {'sandbox.kk.openstack.org/complete-after': '500ms'}],
    ['Failed', 'Never', fail('JobFailed')],
    ['Failed', 'OnFailure', fail('JobFailed')],
  ])('lets its Job become %s with restart policy %s and %j', async (type, restartPolicy, annotations) => {
    const name = `job-${type}-${restartPolicy}`.toLowerCase()
    await create(job(name, annotations, restartPolicy))

    await kubectl([
      'wait',
      `--for=condition=${type}`,
      `job/${name}`,
      '--namespace',
      namespace,
      '--timeout=30s',
    ])
  })

  it('gets annotations from a test, whatever its chart contains', async () => {
    const stop = await annotatePods({
      namespace,
      labels: {app: 'foreign'},
      annotations: fail('ImagePullBackOff'),
    })
    await create(deployment('foreign'))
    await pod(
      'foreign',
      ({status}) => status.phase === 'Pending' && status.containerStatuses !== undefined,
      'it fails',
    )

    await stop()
    await kubectl(['rollout', 'restart', 'deployment/foreign', '--namespace', namespace])

    expect(await pod('foreign', isReady, 'its successor is ready')).toBeDefined()
  })

  it('has a log', async () => {
    await create(deployment('talking'))
    await pod('talking', isReady, 'the pod is ready')

    const log = await kubectl(['logs', 'deployment/talking', '--namespace', namespace])

    expect(log).toContain('this container is simulated')
  })
})

describe('a claim in the sandbox', () => {
  const claim = (name: string, spec: object) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {name},
    spec: {accessModes: ['ReadWriteOnce'], resources: {requests: {storage: '5Gi'}}, ...spec},
  })
  const phase = async (name: string) => {
    const {status} = await get<{status: {phase: string}}>('pvc', name, '--namespace', namespace)
    return status.phase
  }

  it('of the default class is bound, and its volume is deleted with it', async () => {
    await create(claim('data', {}))
    await waitFor(async () => (await phase('data')) === 'Bound', {until: 'the claim is bound'})

    await kubectl(['delete', 'pvc', 'data', '--namespace', namespace])

    const volumes = async () => (await get<{items: {spec: {claimRef: {namespace: string}}}[]}>('pv')).items
    const isGone = async () => (await volumes()).every(({spec}) => spec.claimRef.namespace !== namespace)
    await waitFor(isGone, {until: 'the volume is gone'})
  })

  it('of an unknown class stays pending', async () => {
    await create(claim('lost', {storageClassName: 'nonexistent'}))
    await create(deployment('after'))
    await pod('after', isReady, 'something else has happened since')

    expect(await phase('lost')).toBe('Pending')
  })
})
