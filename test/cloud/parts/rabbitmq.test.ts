import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {kubectl} from '../../aio/support/node.ts'
import {inServer} from '../support/in-server.ts'
import {killPods, makeCloud, rolledOut} from '../support/own-cloud.ts'

const PODS = ['rabbitmq-server-0', 'rabbitmq-server-1', 'rabbitmq-server-2']

let namespace: string
let cloud: Awaited<ReturnType<typeof makeCloud>>
beforeAll(async () => {
  cloud = await makeCloud('rabbitmq')
  namespace = cloud.namespace
})
afterAll(() => cloud.remove())

async function deploy(server: number): Promise<void> {
  const resources = {server: {requests: {cpu: '50m', memory: '128Mi'}}}
  await cloud.run('deploy', {rabbitmq: {pod: {replicas: {server}, resources}, storage: {size: '1Gi'}}})
}

function rabbitmqctl(pod: string, ...args: readonly string[]): Promise<string> {
  return inServer(namespace, pod, 'rabbitmqctl', '--quiet', ...args)
}

/** The short names of the members that a member knows to run. */
async function members(pod: string): Promise<readonly string[]> {
  const {running_nodes} = JSON.parse(await rabbitmqctl(pod, 'cluster_status', '--formatter', 'json')) as {
    running_nodes: string[]
  }
  return running_nodes.map((name) => /^rabbit@([^.]+)\./.exec(name)![1]!).sort()
}

describe('a message bus of three', {timeout: 600_000}, () => {
  it('is one cluster, whose members found each other by Kubernetes', async () => {
    await deploy(3)

    for (const pod of PODS) expect(await members(pod)).toEqual(PODS)
  })

  it('keeps its cookie out of the log', async () => {
    const logs = ['logs', '--namespace', namespace, 'rabbitmq-server-0', '--all-containers']

    expect(await kubectl(logs)).not.toContain('dev-erlang-cookie')
    expect(await inServer(namespace, 'rabbitmq-server-0', 'cat', '/var/lib/rabbitmq/.erlang.cookie')).toBe(
      'dev-erlang-cookie',
    )
  })

  it('is the same cluster again after all were killed at once', async () => {
    await rabbitmqctl('rabbitmq-server-0', 'add_vhost', 'kept')

    await killPods(namespace, ...PODS)
    await rolledOut(namespace, 'statefulset/rabbitmq-server')

    for (const pod of PODS) {
      expect(await members(pod)).toEqual(PODS)
      expect(await rabbitmqctl(pod, 'list_vhosts')).toContain('kept')
    }
  })
})
