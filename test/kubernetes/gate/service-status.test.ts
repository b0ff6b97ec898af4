import {describe, expect, it, onTestFinished} from 'vitest'
import {NO_RULES} from '../../../src/base/readiness.ts'
import {waitForHealth} from '../../../src/kubernetes/gate/gate.ts'
import type {Cause} from '../../../src/kubernetes/gate/health.ts'
import {healthByLists} from '../../../src/kubernetes/gate/health-by-lists.ts'
import type {KubernetesObject} from '../../../src/kubernetes/manifest/kubernetes-object.ts'
import {openWatches} from '../../../src/kubernetes/watch/watches.ts'
import {type Answer, json, refuse, scriptedServer} from '../support/api-server.ts'
import {node} from '../support/objects.ts'

const annotations = {'kk.openstack.org/service-status': 'true'}
const status: KubernetesObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: {name: 'nova-status', annotations},
  spec: {replicas: 1},
}
const about = {object: 'Deployment/nova-status', namespace: 'openstack'}
const DOWN = 'nova-compute on node1: down, no report since 2026-11-29 14:03:22Z'
const UNASKED = "services: Table 'nova.services' doesn't exist"

const report = (state: string, findings: readonly string[]) =>
  `${JSON.stringify({state, summary: '3 compute services up', findings})}\n`

/** An API server with this Deployment, which is ready or not, and the log of its pod. */
function server({log, isReady = false}: {log?: string; isReady?: boolean}): Answer {
  const metadata = {namespace: 'openstack', resourceVersion: '1', generation: 1}
  const replicas = {replicas: 1, updatedReplicas: 1, availableReplicas: isReady ? 1 : 0}
  const deployment = {
    metadata: {...metadata, name: 'nova-status', annotations},
    spec: {replicas: 1, selector: {matchLabels: {app: 'status'}}},
    status: {observedGeneration: 1, ...replicas},
  }
  const container = {name: 'status', ready: isReady, started: false, state: {running: {}}}
  const pod = {
    metadata: {...metadata, name: 'nova-status-1', labels: {app: 'status'}},
    spec: {containers: [{name: 'status'}]},
    status: {
      phase: 'Running',
      conditions: [{type: 'Ready', status: isReady ? 'True' : 'False'}],
      containerStatuses: [container],
    },
  }
  return ({path, query}, response) => {
    if (query.has('watch')) return
    if (path.endsWith('/log')) return log === undefined ? refuse(response, 403, 'no') : void response.end(log)
    if (path.endsWith('/nova-status')) return json(response, deployment)
    const lists = {deployments: [deployment], pods: [pod]}
    const items = lists[path.split('/').at(-1) as keyof typeof lists] ?? []
    json(response, {metadata: {resourceVersion: '1'}, items})
  }
}

const inputs = {
  discovery: {find: async () => undefined},
  rules: NO_RULES,
  mayRead: async () => true,
  scaleTargets: async () => [],
  now: Date.now,
}

async function health(of: Parameters<typeof server>[0]) {
  const {client, asked} = await scriptedServer(server(of))
  return {health: await healthByLists(client, inputs)('openstack', [status]), asked}
}

describe('the health of a Deployment that reports the status of a service', () => {
  it.each([
    ['the findings', 'unhealthy', [DOWN, 'y'], `${DOWN}; y`, 'ServiceUnhealthy'],
    ['that the state is not known', 'unknown', [UNASKED], `not known: ${UNASKED}`, 'ServiceUnknown'],
  ])('has %s as its message', async (_, state, findings, message, reason) => {
    const log = `${report('healthy', [])}${report(state, findings)}monclient: hunting for a new monitor\n`

    const {health: closed} = await health({log})

    expect(closed).toEqual({state: 'waiting', blames: [{...about, message, reason}]})
  })

  it.each([
    ['is left behind if it is only down on nodes that are away', ['node1', 'node2'], 'partial'],
    ['is not healthy if it is down on a node that is ready, too', ['node1', 'node3'], 'waiting'],
  ])('%s', async (_, hosts, state) => {
    const findings = hosts.map(
      (host) => `nova-compute on ${host}: down, no report since 2026-11-29 14:03:22Z`,
    )
    const dead = (name: string) => node(name, {notReadyFor: 3_600})
    const nodes = [dead('node1'), dead('node2'), node('node3'), node('node4'), node('node5')]
    const answer = server({log: report('unhealthy', findings)})
    const {client} = await scriptedServer((asked, response) =>
      asked.path.endsWith('/nodes')
        ? json(response, {metadata: {resourceVersion: '1'}, items: nodes})
        : answer(asked, response),
    )

    const seen = await healthByLists(client, inputs)('openstack', [status])

    expect(seen.state).toBe(state)
    const {notes, blames} = {notes: [], blames: [], ...seen}
    expect([...notes, ...blames]).toMatchObject([{message: findings.join('; ')}])
  })

  it('reads no log while the service is healthy', async () => {
    const {health: open, asked} = await health({isReady: true, log: report('healthy', [])})

    expect(open).toEqual({state: 'healthy'})
    expect(asked.filter(({path}) => path.endsWith('/log'))).toEqual([])
  })

  it.each([
    ['cannot be read', undefined, 'its startup probe has not passed'],
    ['has no report', 'Traceback: no module\n', 'its startup probe has not passed'],
    ['says that it is healthy', report('healthy', []), 'its last report is healthy: 3 compute services up'],
  ])('names the pod if the log %s', async (_, log, detail) => {
    const {health: closed} = await health({...(log && {log})})

    expect(closed).toMatchObject({
      blames: [{message: '0 of 1 replicas are available', pod: 'nova-status-1', detail}],
    })
  })

  it('is in the progress of a gate and in its error', async () => {
    const progress: (readonly Cause[])[] = []
    const {client} = await scriptedServer(server({log: report('unhealthy', [DOWN])}))
    const watches = openWatches(client)
    onTestFinished(watches.close)

    const closed = waitForHealth(
      client,
      {...inputs, watches},
      {
        namespace: 'openstack',
        objects: [status],
        deadline: Date.now() + 2000,
        onProgress: (causes) => progress.push(causes),
      },
    )

    await expect(closed).rejects.toMatchObject({
      code: 'KK_UNHEALTHY',
      message: `not healthy in time: Deployment/nova-status: ${DOWN}`,
      hint: expect.stringContaining('the service reports this of itself'),
    })
    expect(progress).toEqual([[{...about, message: DOWN, reason: 'ServiceUnhealthy'}]])
  })
})
