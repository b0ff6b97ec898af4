import {afterAll, beforeAll, describe, expect, inject, it, onTestFinished, vi} from 'vitest'
import type {Cluster} from '../../src/kubernetes/cluster.ts'
import type {Cause} from '../../src/kubernetes/gate/health.ts'
import type {KubernetesObject} from '../../src/kubernetes/manifest/kubernetes-object.ts'
import {openCluster} from '../../src/kubernetes/open.ts'
import {applyDirectly} from './support/api.ts'
import {kubectl, makeNamespace, waitFor} from './support/cluster.ts'
import {customResource} from './support/custom-resource.ts'

const FAIL = 'sandbox.kk.openstack.org/fail'
const READY_AFTER = 'sandbox.kk.openstack.org/ready-after'

interface PodOptions {
  readonly annotations?: Readonly<Record<string, string>>
  readonly spec?: object
}

function template({annotations = {}, spec = {}}: PodOptions) {
  return {
    metadata: {labels: {app: 'api'}, annotations},
    spec: {containers: [{name: 'api', image: 'registry.example.org/api:1'}], ...spec},
  }
}

function deployment(options: PodOptions = {}, replicas = 1): KubernetesObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {name: 'api'},
    spec: {replicas, selector: {matchLabels: {app: 'api'}}, template: template(options)},
  }
}

function job(options: PodOptions, restartPolicy: string): KubernetesObject {
  const pod = template({...options, spec: {...options.spec, restartPolicy}})
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {name: 'sync'},
    spec: {backoffLimit: 0, template: pod},
  }
}

function claim(storageClassName: string): KubernetesObject {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {name: 'images'},
    spec: {storageClassName, accessModes: ['ReadWriteOnce'], resources: {requests: {storage: '1Gi'}}},
  }
}

const mounting = {
  volumes: [{name: 'images', persistentVolumeClaim: {claimName: 'images'}}],
}

async function applied(objects: readonly KubernetesObject[]): Promise<string> {
  const namespace = await makeNamespace('gate')
  await apply(namespace, objects)
  return namespace
}

async function apply(namespace: string, objects: readonly KubernetesObject[]): Promise<void> {
  for (const object of objects) {
    const isApplied = await applyDirectly(inject('run').kubeconfig, namespace, object)
    if (!isApplied) await kubectl(['apply', '--namespace', namespace, '--filename', '-'], {input: object})
  }
}

let cluster: Cluster
beforeAll(async () => {
  cluster = await openCluster({kubeconfig: inject('run').kubeconfig, env: {}})
})
afterAll(() => cluster.close())

const soon = () => Date.now() + 5_000
const later = () => Date.now() + 60_000

describe.concurrent('a gate that stays closed', () => {
  it.each<[string, readonly KubernetesObject[], RegExp]>([
    [
      'a crashing container',
      [deployment({annotations: {[FAIL]: 'CrashLoopBackOff'}})],
      /not healthy in time: pod api-\S+, container api: CrashLoopBackOff \(back-off 5m0s.*\); Deployment\/api: 0 of 1 replicas are available/,
    ],
    [
      'an image that cannot be pulled',
      [deployment({annotations: {[FAIL]: 'ImagePullBackOff'}})],
      /pod api-\S+, container api: ImagePullBackOff \(Back-off pulling image "registry.example.org\/api:1"\)/,
    ],
    [
      'a claim that is not bound',
      [claim('no-such-class'), deployment({spec: mounting})],
      /PersistentVolumeClaim\/images: Deployment\/api mounts it, and it is Pending \(storage class "no-such-class"\)/,
    ],
    [
      'a pod that no node takes',
      [deployment({spec: {nodeSelector: {'no-such': 'label'}}})],
      /pod api-\S+: Unschedulable \(0\/3 nodes are available: 3 node\(s\) didn't match Pod's node affinity\/selector/,
    ],
    [
      'an init container that waits',
      [
        deployment({
          annotations: {[FAIL]: 'InitWaiting'},
          spec: {initContainers: [{name: 'wait', image: 'wait'}]},
        }),
      ],
      /pod api-\S+, container wait: PodInitializing \(init container is still running\)/,
    ],
  ])('names %s at its deadline', async (_, objects, message) => {
    const namespace = await applied(objects)

    // How long it takes until the cause is there is the cluster's affair. The attempts that fail are not left
    // to expect, which would hold them against the tests beside this one.
    await vi.waitFor(
      async () => {
        const closed = cluster.health.gate({namespace, objects, deadline: Date.now() + 1_000})
        expect(await closed.catch((error: unknown) => error)).toMatchObject({
          code: 'KK_UNHEALTHY',
          message: expect.stringMatching(message),
          hint: expect.any(String),
        })
      },
      {timeout: 60_000},
    )
  })

  it('names a missing object', async () => {
    const namespace = await makeNamespace('gate')

    const closed = cluster.health.gate({namespace, objects: [deployment()], deadline: Date.now() + 1_000})

    await expect(closed).rejects.toThrow('not healthy in time: Deployment/api: it does not exist')
  })

  it.each(['Never', 'OnFailure'])(
    'fails immediately for a failed Job that restarts %s, with its pod',
    async (restartPolicy) => {
      const objects = [job({annotations: {[FAIL]: 'JobFailed'}}, restartPolicy)]
      const namespace = await makeNamespace('gate')
      const closed = cluster.health
        .gate({namespace, objects, deadline: later()})
        .catch((error: unknown) => error)

      await apply(namespace, objects)

      await expect(closed).resolves.toMatchObject({
        code: 'KK_UNHEALTHY',
        message: expect.stringMatching(
          /^it cannot become healthy: pod sync-\S+, container api.*; Job\/sync: it failed: BackoffLimitExceeded /,
        ),
      })
    },
  )

  it('shows the last lines of the container that caused the failure', async () => {
    const objects = [deployment({annotations: {[FAIL]: 'CrashLoopBackOff'}})]
    const namespace = await applied(objects)

    const closed = cluster.health.gate({namespace, objects, deadline: soon()})

    await expect(closed).rejects.toMatchObject({log: ['this container is simulated: nothing runs in it']})
  })

  it('fails immediately when the progress deadline is exceeded', async () => {
    const stuck = deployment({annotations: {[FAIL]: 'ImagePullBackOff'}})
    const objects = [{...stuck, spec: {...(stuck.spec as object), progressDeadlineSeconds: 5}}]
    const namespace = await applied(objects)

    const closed = cluster.health.gate({namespace, objects, deadline: later()})

    await expect(closed).rejects.toThrow(/ImagePullBackOff.*its progress deadline was exceeded/)
  })

  it('reports each reason once while it waits', async () => {
    const objects = [deployment({annotations: {[FAIL]: 'CrashLoopBackOff'}})]
    const namespace = await applied(objects)
    const seen: (readonly Cause[])[] = []

    await cluster.health
      .gate({namespace, objects, deadline: soon(), onProgress: (blames) => seen.push(blames)})
      .catch(() => undefined)

    expect(seen.at(-1)).toMatchObject([
      {object: 'Deployment/api', container: 'api', reason: 'CrashLoopBackOff'},
    ])
    expect(new Set(seen.map((blames) => JSON.stringify(blames))).size).toBe(seen.length)
  })

  it('ends when it is aborted', async () => {
    const objects = [
      deployment({
        annotations: {[FAIL]: 'InitWaiting'},
        spec: {initContainers: [{name: 'wait', image: 'wait'}]},
      }),
    ]
    const namespace = await applied(objects)
    const aborting = new AbortController()

    const onProgress = () => aborting.abort()

    await expect(
      cluster.health.gate({namespace, objects, deadline: later(), signal: aborting.signal, onProgress}),
    ).rejects.toMatchObject({
      code: 'KK_INTERRUPTED',
    })
  })
})

describe.concurrent('a gate opens', () => {
  it('when every workload is ready', async () => {
    const objects = [
      claim('general'),
      deployment({annotations: {[READY_AFTER]: '1s'}, spec: mounting}, 3),
      job({}, 'Never'),
      daemonSet(),
      statefulSet(),
    ]
    const namespace = await applied(objects)

    await cluster.health.gate({namespace, objects, deadline: later()})

    const ready = await kubectl([
      'get',
      'deployment',
      'api',
      '--namespace',
      namespace,
      '--output',
      'jsonpath={.status.readyReplicas}',
    ])
    expect(ready).toBe('3')
    await expect(cluster.health.of(namespace, objects)).resolves.toEqual({state: 'healthy'})
  })

  it('immediately for objects without a health check', async () => {
    const objects = [claim('no-such-class')]

    await expect(cluster.health.gate({namespace: 'default', objects, deadline: 0})).resolves.toEqual({
      state: 'healthy',
    })
  })

  it('only for the new revision of an object, even if the previous one was healthy', async () => {
    const old = [deployment()]
    const namespace = await applied(old)
    await cluster.health.gate({namespace, objects: old, deadline: later()})
    const changed = [deployment({annotations: {[FAIL]: 'CrashLoopBackOff'}})]
    await apply(namespace, changed)

    const closed = cluster.health.gate({namespace, objects: changed, deadline: soon()})

    await expect(closed).rejects.toThrow(/CrashLoopBackOff/)
  })

  it('soon after the last pod is ready', async () => {
    const objects = [deployment({annotations: {[READY_AFTER]: '2s'}})]
    const namespace = await applied(objects)

    await cluster.health.gate({namespace, objects, deadline: later()})

    const passed = Date.now()
    const {status} = JSON.parse(
      await kubectl(['get', 'deployment', 'api', '--namespace', namespace, '--output', 'json']),
    )
    const available = status.conditions.find(({type}: {type: string}) => type === 'Available')
    // The API's times have whole seconds.
    expect(passed - Date.parse(available.lastTransitionTime)).toBeLessThan(2_000)
  })
})

it('a new custom resource is awaited if its kind has a status, and healthy immediately otherwise', async () => {
  const namespace = await makeNamespace('gate')
  const watched = await defineKind(`${namespace}-watched`, {subresources: {status: {}}})
  const plain = await defineKind(`${namespace}-plain`, {})
  await apply(namespace, [watched, plain])
  const gate = (objects: readonly KubernetesObject[], deadline: number) =>
    cluster.health.gate({namespace, objects, deadline})

  await gate([plain], later())
  await expect(gate([watched], Date.now() + 1_000)).rejects.toThrow(
    `${watched.kind}/one: its controller has written no status yet; without one it counts as healthy 120 s after its creation`,
  )
  const opened = gate([watched], later())
  const patch = JSON.stringify({status: {phase: 'Running'}})
  const one = [`${namespace}-watched.example.org`, 'one', '--namespace', namespace]
  await kubectl(['patch', ...one, '--subresource', 'status', '--type', 'merge', '--patch', patch])

  await opened
})

/** An object of a new kind, which the cluster serves. */
async function defineKind(plural: string, more: object): Promise<KubernetesObject> {
  const definition = customResource(plural, 'A thing')
  const {spec} = definition
  const schema = {openAPIV3Schema: {type: 'object', 'x-kubernetes-preserve-unknown-fields': true}}
  const versions = spec.versions.map((version) => ({...version, schema, ...more}))
  await kubectl(['apply', '--filename', '-'], {input: {...definition, spec: {...spec, versions}}})
  const name = `customresourcedefinition/${definition.metadata.name}`
  onTestFinished(async () => void (await kubectl(['delete', name, '--wait=false'])))
  await kubectl(['wait', '--for', 'condition=Established', name])
  return {apiVersion: 'example.org/v1', kind: spec.names.kind, metadata: {name: 'one'}}
}

/** A hook that fails. */
function hook(restartPolicy: string): KubernetesObject {
  const metadata = {name: 'sync', annotations: {'helm.sh/hook': 'post-install'}}
  return {...job({annotations: {[FAIL]: 'JobFailed'}}, restartPolicy), metadata}
}

describe('hooks that helm waits for', () => {
  it('are reported as the cause while they run and after a failure, even if they were deleted', async () => {
    const namespace = await makeNamespace('hooks')
    const hooks = [hook('OnFailure')]
    const progress: (readonly Cause[])[] = []
    const watch = await cluster.health.watchHooks({
      namespace,
      objects: hooks,
      onProgress: (blames) => progress.push(blames),
    })

    await apply(namespace, hooks)
    await waitFor(async () => progress.flat().some(({message}) => message.startsWith('it failed')), {
      until: 'the hook fails',
    })
    await kubectl(['delete', 'job', 'sync', '--namespace', namespace])

    const blames = await watch.blames()
    watch.stop()
    expect(blames).toMatchObject([
      {object: 'Job/sync', container: 'api', pod: expect.stringMatching(/^sync-/)},
    ])
  })

  it('of an earlier revision are not reported as the cause', async () => {
    const hooks = [hook('Never')]
    const namespace = await applied(hooks)
    await expect(cluster.health.gate({namespace, objects: hooks, deadline: later()})).rejects.toThrow(
      'Job/sync',
    )

    const watch = await cluster.health.watchHooks({namespace, objects: hooks})

    await expect(watch.blames()).resolves.toEqual([])
    watch.stop()
  })
})

function daemonSet(): KubernetesObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: {name: 'agent'},
    spec: {selector: {matchLabels: {app: 'agent'}}, template: labelled('agent')},
  }
}

function statefulSet(): KubernetesObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: {name: 'db'},
    spec: {
      replicas: 2,
      serviceName: 'db',
      selector: {matchLabels: {app: 'db'}},
      template: labelled('db'),
      volumeClaimTemplates: [{metadata: {name: 'data'}, spec: claim('general').spec}],
    },
  }
}

function labelled(app: string) {
  return {...template({}), metadata: {labels: {app}}}
}
