import {describe, expect, it, onTestFinished} from 'vitest'
import {KkError} from '../../../src/base/errors.ts'
import {NO_RULES} from '../../../src/base/readiness.ts'
import type {Resource} from '../../../src/kubernetes/api/resources.ts'
import {waitForHealth} from '../../../src/kubernetes/gate/gate.ts'
import type {Cause} from '../../../src/kubernetes/gate/health.ts'
import {NOT_READY_GRACE_MS} from '../../../src/kubernetes/gate/nodes.ts'
import type {ScaleTarget} from '../../../src/kubernetes/gate/scale-targets.ts'
import type {KubernetesObject} from '../../../src/kubernetes/manifest/kubernetes-object.ts'
import {openWatches} from '../../../src/kubernetes/watch/watches.ts'
import {type Answer, json, refuse, scriptedServer} from '../support/api-server.ts'

const job: KubernetesObject = {apiVersion: 'batch/v1', kind: 'Job', metadata: {name: 'sync'}}
const secret: KubernetesObject = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {name: 'db'},
  stringData: {password: 'hunter2-hunter2'},
}

const live = (version: number, status: object) => ({
  metadata: {name: 'sync', namespace: 'openstack', resourceVersion: String(version)},
  spec: {selector: {matchLabels: {job: 'sync'}}},
  status,
})
const COMPLETE = {conditions: [{type: 'Complete', status: 'True'}]}

const terminated = {exitCode: 1, message: 'cannot log in with hunter2-hunter2'}
const pod = {
  metadata: {name: 'sync-1', namespace: 'openstack', resourceVersion: '2', labels: {job: 'sync'}},
  status: {phase: 'Running', containerStatuses: [{name: 'sync', state: {terminated}}]},
}

/** An API server with this Job and its pod, whose watches say nothing unless `watch` does. */
function server(current: () => object, watch: Answer = () => undefined): Answer {
  return (asked, response) => {
    const {path, query} = asked
    if (query.has('watch')) return watch(asked, response)
    if (path.endsWith('/jobs/sync')) return json(response, current())
    if (path.endsWith('/log')) return void response.end('password is hunter2-hunter2')
    const items = path.endsWith('/jobs') ? [live(1, {})] : path.endsWith('/pods') ? [pod] : []
    json(response, {metadata: {resourceVersion: '1'}, items})
  }
}

async function gate(
  answer: Answer,
  options: {
    milliseconds: number
    onProgress?: (blames: readonly Cause[]) => void
    objects?: readonly KubernetesObject[]
    kind?: Resource
    scaleTargets?: (namespace: string) => Promise<readonly ScaleTarget[]>
  },
) {
  const {client} = await scriptedServer(answer)
  const watches = openWatches(client)
  onTestFinished(watches.close)
  const {milliseconds, kind, objects = [job, secret], scaleTargets = async () => [], ...more} = options
  const deadline = Date.now() + milliseconds
  const gating = {
    watches,
    discovery: {find: async () => kind},
    rules: NO_RULES,
    mayRead: async () => true,
    scaleTargets,
    now: Date.now,
  }
  return waitForHealth(client, gating, {namespace: 'openstack', objects, deadline, ...more})
}

describe('a gate', () => {
  it('reads each object, because a watch may lag behind the last write', async () => {
    await expect(
      gate(
        server(() => live(5, COMPLETE)),
        {milliseconds: 10_000},
      ),
    ).resolves.toEqual({state: 'healthy'})
  })

  it('passes by the watch', async () => {
    const answer = server(
      () => live(1, {}),
      ({path}, response) => {
        if (path.endsWith('/jobs'))
          response.write(`${JSON.stringify({type: 'MODIFIED', object: live(6, COMPLETE)})}\n`)
      },
    )

    await expect(gate(answer, {milliseconds: 10_000})).resolves.toEqual({state: 'healthy'})
  })

  it('masks the Secrets of the release in the output of a container', async () => {
    const progress: (readonly Cause[])[] = []

    const closed = gate(
      server(() => live(1, {})),
      {milliseconds: 3000, onProgress: (blames) => progress.push(blames)},
    )

    await expect(closed).rejects.toMatchObject({
      message: expect.stringContaining(
        'pod sync-1, container sync: Error (exited with 1: cannot log in with ***)',
      ),
      log: ['password is ***'],
    })
    expect(progress).toMatchObject([[{detail: 'exited with 1: cannot log in with ***'}]])
  })

  it('passes without an event once a node has been away for the grace period, and watches the nodes once', async () => {
    const since = new Date(Date.now() - NOT_READY_GRACE_MS + 1_000).toISOString()
    const dead = {conditions: [{type: 'Ready', status: 'Unknown', lastTransitionTime: since}]}
    const ready = {conditions: [{type: 'Ready', status: 'True', lastTransitionTime: since}]}
    const counts = {desiredNumberScheduled: 2, updatedNumberScheduled: 1, numberAvailable: 1}
    const set = {
      ...live(1, {observedGeneration: 0, ...counts}),
      metadata: {name: 'agent', namespace: 'openstack', resourceVersion: '1'},
    }
    const agentOn = (nodeName: string, status: object) => ({
      metadata: {name: `agent-${nodeName}`, namespace: 'openstack', labels: {job: 'sync'}},
      spec: {nodeName},
      status,
    })
    const lists: Readonly<Record<string, readonly object[]>> = {
      nodes: [
        {metadata: {name: 'a'}, status: ready},
        {metadata: {name: 'b'}, status: dead},
      ],
      pods: [agentOn('a', ready), agentOn('b', dead)],
      daemonsets: [set],
    }
    const watched: string[] = []
    const answer: Answer = ({path, query}, response) => {
      const [kind = ''] = path.split('/').slice(-1)
      if (query.has('watch')) return void watched.push(kind)
      if (kind === 'agent') return json(response, set)
      json(response, {metadata: {resourceVersion: '1'}, items: lists[kind] ?? []})
    }
    const objects = [{apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: {name: 'agent'}}]

    const passed = await gate(answer, {milliseconds: 10_000, objects})

    expect(passed).toMatchObject({state: 'partial', notes: [{leftBehind: [{node: 'b', since}]}]})
    expect(watched.filter((kind) => kind === 'nodes')).toHaveLength(1)
  })

  it("passes after the timeout of a custom resource's status, without an event", async () => {
    const of = {apiVersion: 'example.org/v1', kind: 'Cache'}
    const metadata = {name: 'one', namespace: 'openstack', resourceVersion: '1'}
    const made = new Date(Date.now() - 119_500).toISOString()
    const cache = {...of, metadata: {...metadata, creationTimestamp: made}}
    const seen: string[] = []
    const answer: Answer = ({path, query}, response) => {
      if (query.has('watch')) return undefined
      json(response, path.endsWith('/one') ? cache : {metadata: {resourceVersion: '1'}, items: [cache]})
    }

    await gate(answer, {
      milliseconds: 600_000,
      objects: [{...of, metadata}],
      kind: {...of, plural: 'caches', namespaced: true, hasStatus: true},
      onProgress: (blames) => seen.push(...blames.map(({message}) => message)),
    })

    expect(seen).toEqual([expect.stringContaining('its controller has written no status yet')])
  })

  it('reports since when the cluster has not responded, instead of a stale state', async () => {
    const healthy = server(() => live(1, {}))
    let isSilent = false
    const answer: Answer = (asked, response) => {
      if (isSilent && asked.path.endsWith('/jobs/sync')) return void response.destroy()
      healthy(asked, response)
    }

    const closed = gate(answer, {
      milliseconds: 1000,
      onProgress: () => {
        isSilent = true
      },
    })

    await expect(closed).rejects.toMatchObject({
      code: 'KK_UNREACHABLE',
      message: expect.stringMatching(
        /^the cluster has not answered since \d{4}-\d\d-\d\dT[\d:]+Z: .*; seen before that: not healthy in time: pod sync-1/,
      ),
    })
  })

  it.each([
    [503, 'KK_UNREACHABLE', /etcd is away.*; seen before that: not healthy in time: pod sync-1/],
    [403, 'KK_UNHEALTHY', /^not healthy in time: pod sync-1/],
  ])(
    'names the last observed cause even if the API server ends with the response %i',
    async (status, code, message) => {
      const waiting = server(() => live(1, {}))
      let isFailing = false
      const answer: Answer = (asked, response) => {
        if (isFailing && asked.path.endsWith('/jobs/sync')) return refuse(response, status, 'etcd is away')
        waiting(asked, response)
      }

      const closed = gate(answer, {
        milliseconds: 500,
        onProgress: () => {
          isFailing = true
        },
      })

      await expect(closed).rejects.toMatchObject({code, message: expect.stringMatching(message)})
    },
  )

  it('lists autoscalers once, and waits while they cannot be listed', async () => {
    const web = (resourceVersion: string) => ({
      metadata: {name: 'web', namespace: 'openstack', resourceVersion, generation: 1},
      spec: {replicas: 1},
      status: {observedGeneration: 1, replicas: 1, updatedReplicas: 1, availableReplicas: 1},
    })
    const stated = {apiVersion: 'apps/v1', kind: 'Deployment', metadata: {name: 'web'}, spec: {replicas: 3}}
    const said: string[] = []
    let asked = 0

    const opened = gate(
      ({path, query}, response) => {
        if (query.has('watch')) return undefined
        const items = path.endsWith('/deployments') ? [web('1')] : []
        json(response, path.endsWith('/web') ? web('1') : {metadata: {resourceVersion: '1'}, items})
      },
      {
        milliseconds: 60_000,
        objects: [stated],
        onProgress: (blames) => said.push(...blames.map(({message}) => message)),
        scaleTargets: async () => {
          asked += 1
          if (asked === 1) throw new KkError('KK_API_SERVER', 'etcd is away')
          return [{kind: 'Deployment', name: 'web', fromZero: false}]
        },
      },
    )

    await expect(opened).resolves.toEqual({state: 'healthy'})
    expect([asked, said]).toEqual([2, ['etcd is away']])
  })

  it('passes at its deadline if the objects became healthy without an event', async () => {
    let asked = 0

    const opened = gate(
      server(() => live(2, asked++ === 0 ? {} : COMPLETE)),
      {milliseconds: 500},
    )

    await expect(opened).resolves.toEqual({state: 'healthy'})
  })

  it('waits for an API server that fails', async () => {
    let failures = 3
    const answer = server(() => live(5, COMPLETE))

    const opened = gate(
      (asked, response) => (failures-- > 0 ? refuse(response, 503, 'etcd is away') : answer(asked, response)),
      {milliseconds: 10_000},
    )

    await expect(opened).resolves.toEqual({state: 'healthy'})
  })
})
