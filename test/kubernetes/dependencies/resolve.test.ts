import {createServer} from 'node:net'
import {join} from 'node:path'
import {describe, expect, it, onTestFinished} from 'vitest'
import type {Dependency} from '../../../src/kubernetes/dependencies/dependency.ts'
import {waitForDependencies} from '../../../src/kubernetes/dependencies/open.ts'
import {unmetReason} from '../../../src/kubernetes/dependencies/resolve.ts'
import {testDirectory} from '../../support/test-directory.ts'
import {json, refuse, scriptedServer} from '../support/api-server.ts'

const NAMESPACE = '/api/v1/namespaces/openstack'
const APPS = '/apis/apps/v1/namespaces/openstack'
const BATCH = '/apis/batch/v1/namespaces/openstack'
const SLICES = '/apis/discovery.k8s.io/v1/namespaces/openstack/endpointslices'

const pod = (node: string, ready: boolean) => ({
  spec: {nodeName: node},
  status: {
    conditions: [{type: 'Ready', status: ready ? 'True' : 'False'}],
    containerStatuses: [{name: 'main', ready}],
  },
})
const list = (...items: readonly unknown[]) => ({metadata: {resourceVersion: '1'}, items})

/** Returns why a dependency is not met on a cluster that has these paths; a number refuses. */
async function problem(dependency: Dependency, has: Record<string, unknown>): Promise<string | undefined> {
  const {client} = await scriptedServer(({path}, response) => {
    const body = has[path]
    if (typeof body === 'number') return refuse(response, body, 'no')
    return body === undefined ? refuse(response, 404, 'not found') : json(response, body)
  })
  const foo = {apiVersion: 'a/v1', kind: 'Foo', plural: 'foos', namespaced: true}
  const discovery = {find: async (_: string, kind: string) => (kind === 'Foo' ? foo : undefined)}
  return unmetReason(dependency, {client, discovery, namespace: 'openstack', pod: 'own'})
}

const at = {namespace: 'openstack', name: 'x'}
const labels = {app: 'x'}
const custom = {kind: 'resource', apiVersion: 'a/v1', of: 'Foo', ...at} as const
const ready = {conditions: [{type: 'Ready', status: 'True'}], fields: [{key: 'status.phase', value: 'up'}]}

describe('the dependency of a pod', () => {
  it.each<[string, Dependency, Record<string, unknown>, string | undefined]>([
    [
      'a service with a ready endpoint',
      {kind: 'service', ...at},
      {[SLICES]: list({endpoints: [{conditions: {ready: true}}]})},
      undefined,
    ],
    [
      'one whose pods are not ready',
      {kind: 'service', ...at},
      {[SLICES]: list({endpoints: [{conditions: {ready: false}}]})},
      'it has no endpoint',
    ],
    ['one without pods', {kind: 'service', ...at}, {[SLICES]: list({endpoints: null})}, 'it has no endpoint'],
    [
      'one whose slices may not be read',
      {kind: 'service', ...at},
      {[SLICES]: 403, [`${NAMESPACE}/endpoints/x`]: {subsets: [{addresses: [{}]}]}},
      undefined,
    ],
    [
      'a job that succeeded',
      {kind: 'job', ...at},
      {[`${BATCH}/jobs/x`]: {status: {succeeded: 1}}},
      undefined,
    ],
    ['a job that runs', {kind: 'job', ...at}, {[`${BATCH}/jobs/x`]: {status: {}}}, 'it has not succeeded'],
    ['no job', {kind: 'job', ...at}, {}, 'it does not exist'],
    [
      'jobs by label',
      {kind: 'jobs', namespace: 'openstack', labels},
      {[`${BATCH}/jobs`]: list({status: {succeeded: 1}}, {})},
      '1 of 2 have not succeeded',
    ],
    [
      'no jobs by label',
      {kind: 'jobs', namespace: 'openstack', labels},
      {[`${BATCH}/jobs`]: list()},
      'there are none',
    ],
    [
      'a ready pod somewhere',
      {kind: 'pod', namespace: 'openstack', labels, sameNode: false},
      {[`${NAMESPACE}/pods`]: list(pod('b', true))},
      undefined,
    ],
    [
      'a ready pod on another node',
      {kind: 'pod', namespace: 'openstack', labels, sameNode: true},
      {[`${NAMESPACE}/pods`]: list(pod('b', true)), [`${NAMESPACE}/pods/own`]: pod('a', false)},
      'there is none',
    ],
    [
      'a daemon on this node',
      {kind: 'daemonset', ...at},
      {
        [`${APPS}/daemonsets/x`]: {spec: {selector: {matchLabels: labels}}},
        [`${NAMESPACE}/pods`]: list(pod('a', true), pod('b', false)),
        [`${NAMESPACE}/pods/own`]: pod('a', false),
      },
      undefined,
    ],
    [
      'a daemon that is not ready here',
      {kind: 'daemonset', ...at},
      {
        [`${APPS}/daemonsets/x`]: {spec: {selector: {matchLabels: labels}}},
        [`${NAMESPACE}/pods`]: list(pod('a', false)),
        [`${NAMESPACE}/pods/own`]: pod('a', false),
      },
      'its pod on this node is not ready',
    ],
    [
      'a container of the same pod',
      {kind: 'container', name: 'main'},
      {[`${NAMESPACE}/pods/own`]: pod('a', true)},
      undefined,
    ],
    [
      'an object as it should be',
      {...custom, ...ready},
      {'/apis/a/v1/namespaces/openstack/foos/x': {status: {phase: 'up', conditions: ready.conditions}}},
      undefined,
    ],
    [
      'an object with another field',
      {...custom, ...ready},
      {'/apis/a/v1/namespaces/openstack/foos/x': {status: {phase: 'down'}}},
      'status.phase is "down", not up',
    ],
    [
      'an object without the condition',
      {...custom, ...ready},
      {'/apis/a/v1/namespaces/openstack/foos/x': {status: {phase: 'up'}}},
      'condition Ready is not set, not True',
    ],
    ['an unknown kind', {...custom, ...ready, of: 'Bar'}, {}, 'the cluster has no a/v1 Bar'],
    ['a socket', {kind: 'socket', path: '/nowhere'}, {}, 'it cannot be read'],
  ])('%s', async (_what, dependency, has, reason) => {
    expect(await problem(dependency, has)).toBe(reason)
  })

  it('is met by a socket that exists', async () => {
    const directory = testDirectory()
    const path = join(directory, 's')
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(path, resolve))
    onTestFinished(() => void server.close())

    expect(await problem({kind: 'socket', path}, {})).toBeUndefined()
  })
})

describe('waiting', () => {
  it('continues after errors until all are met, and logs each reason once', async () => {
    const answers: (string | undefined | Error)[] = ['no', 'no', new Error('refused'), undefined]
    const logged: string[] = []

    await waitForDependencies([{kind: 'service', ...at}], {
      unmetReason: async () => {
        const answer = answers.shift()
        if (answer instanceof Error) throw answer
        return answer
      },
      interval: 1,
      log: (line) => logged.push(line),
    })

    expect(answers).toEqual([])
    expect(logged.map((line) => line.split('\n', 1)[0])).toEqual([
      'service x in openstack: waiting: no',
      expect.stringContaining('refused'),
      'service x in openstack: met',
    ])
  })
})
