import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import type {Values} from '../../../src/base/values.ts'
import {kubectl} from '../../aio/support/node.ts'
import {waitFor} from '../../e2e/support/cluster.ts'
import {imageOf} from '../support/images.ts'
import {inServer} from '../support/in-server.ts'
import {killPods, linesOf, makeCloud, rolledOut, startClient} from '../support/own-cloud.ts'

const PODS = ['rabbitmq-server-0', 'rabbitmq-server-1', 'rabbitmq-server-2']

let namespace: string
let cloud: Awaited<ReturnType<typeof makeCloud>>
beforeAll(async () => {
  cloud = await makeCloud('rabbitmq', 'keystone')
  namespace = cloud.namespace
})
afterAll(() => cloud.remove())

const resources = {server: {requests: {cpu: '50m', memory: '128Mi'}}}
const rabbitmq = {pod: {replicas: {server: 3}, resources}, storage: {size: '1Gi'}}

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

/** Declares a replicated queue, which has as many replicas as there are members now. */
const declare = (name: string, type: 'quorum' | 'stream') =>
  rabbitmqctl(
    'rabbitmq-server-0',
    'eval',
    `rabbit_amqqueue:declare(rabbit_misc:r(<<"/">>, queue, <<"${name}">>), true, false,
      [{<<"x-queue-type">>, longstr, <<"${type}">>}], none, <<"kk">>).`,
  )

/** The number of replicas of each queue, by its name. */
async function replicas(): Promise<Readonly<Record<string, number>>> {
  const list = ['list_queues', 'name', 'members', '--formatter', 'json']
  const queues = JSON.parse(await rabbitmqctl('rabbitmq-server-0', ...list)) as {
    readonly name: string
    readonly members: readonly string[]
  }[]
  return Object.fromEntries(queues.map(({name, members: of}) => [name, of.length]))
}

describe('rabbitmq: a message bus that grows to three members', {timeout: 600_000}, () => {
  it('gives its queues replicas on new members, and kk audit gives them to its streams', async () => {
    await cloud.run('deploy', {rabbitmq: {...rabbitmq, pod: {...rabbitmq.pod, replicas: {server: 1}}}})
    await declare('queue', 'quorum')
    await declare('stream', 'stream')

    await cloud.run('deploy', {rabbitmq})
    await waitFor(async () => (await replicas())['queue'] === 3, {
      until: 'the queue has a replica on each member',
      seconds: 180,
    })
    const before = await replicas()
    await cloud.run('audit', {rabbitmq}, '--repair', '--yes')

    expect(before).toEqual({queue: 3, stream: 1})
    expect(await replicas()).toEqual({queue: 3, stream: 3})
  })
})

describe('rabbitmq: a message bus of three members', {timeout: 600_000}, () => {
  it('is one cluster, whose members discovered each other through Kubernetes', async () => {
    await cloud.run('deploy', {rabbitmq})

    for (const pod of PODS) expect(await members(pod)).toEqual(PODS)
  })

  it('keeps its cookie out of the log', async () => {
    const logs = ['logs', '--namespace', namespace, 'rabbitmq-server-0', '--all-containers']

    expect(await kubectl(logs)).not.toContain('dev-erlang-cookie')
    expect(await inServer(namespace, 'rabbitmq-server-0', 'cat', '/var/lib/rabbitmq/.erlang.cookie')).toBe(
      'dev-erlang-cookie',
    )
  })

  it('is the same cluster after all members were killed at once', async () => {
    await rabbitmqctl('rabbitmq-server-0', 'add_vhost', 'kept')

    await killPods(namespace, ...PODS)
    await rolledOut(namespace, 'statefulset/rabbitmq-server')

    for (const pod of PODS) {
      expect(await members(pod)).toEqual(PODS)
      expect(await rabbitmqctl(pod, 'list_vhosts')).toContain('kept')
    }
  })
})

/** Keystone with nothing but its user on the bus. */
function userOnBus(password: string): Values {
  const jobs = ['db_create', 'db_expand', 'db_migrate', 'db_contract', 'fernet_setup', 'credential_setup']
  const off = [...jobs, 'bootstrap'].map((job) => [`job_${job}`, false])
  const manifests = {
    ...Object.fromEntries(off),
    ...{deployment_api: false, service_api: false, cron_job_fernet_rotate: false},
  }
  const endpoints = {oslo_messaging: {auth: {keystone: {password}}}}
  return {
    kk: {releases: {keystone: {without: ['mariadb', 'memcached']}}},
    rabbitmq,
    keystone: {manifests, endpoints},
  }
}

/** Consumes a queue that stays when nobody does, as a service does. */
const CONSUMER = `python3 - <<'PYTHON'
import kombu, os
with kombu.Connection(os.environ["BUS"]) as connection:
    queue = kombu.Queue("keystone-topic", durable=True, queue_arguments={"x-queue-type": "quorum"})
    with connection.Consumer(queue, prefetch_count=1):
        print("consumes", flush=True)
        connection.drain_events()
PYTHON`

describe('rabbitmq: the user of a service', {timeout: 600_000}, () => {
  const users = async () =>
    JSON.parse(await rabbitmqctl('rabbitmq-server-0', 'list_users', '--formatter', 'json')) as {
      readonly user: string
      readonly tags: readonly string[]
    }[]
  const logsIn = (password: string) =>
    rabbitmqctl('rabbitmq-server-0', 'authenticate_user', 'keystone', password).then(
      () => true,
      () => false,
    )

  it('is created by a Job, is not an administrator, and gets a new password from another Job', async () => {
    await cloud.run('deploy', userOnBus('one'))
    const made = [await users(), await logsIn('one')]

    await cloud.run('deploy', userOnBus('two'))

    expect(made).toEqual([
      expect.arrayContaining([
        {user: 'openstack', tags: ['administrator']},
        {user: 'keystone', tags: []},
      ]),
      true,
    ])
    expect([await logsIn('one'), await logsIn('two')]).toEqual([false, true])
    expect(await rabbitmqctl('rabbitmq-server-0', 'list_user_permissions', 'keystone')).toMatch(
      /\n\/\s+\.\*\s+\.\*\s+\.\*/,
    )
  })

  it('is deleted by --purge with the queues that it consumes, and no others', async () => {
    const bus = `amqp://keystone:two@rabbitmq-server.${namespace}.svc.cluster.local:5672//`
    await startClient({
      ...{namespace, name: 'consumer', image: imageOf('keystone')},
      ...{script: CONSUMER, env: {BUS: bus}},
    })
    await waitFor(async () => (await linesOf(namespace, 'consumer')).includes('consumes') && {}, {
      until: 'the queue is consumed',
    })
    const queues = () => rabbitmqctl('rabbitmq-server-0', 'list_queues', 'name')
    const before = await queues()

    await cloud.run('remove', userOnBus('two'), 'keystone', '--purge', '--confirm', 'keystone')

    expect(before).toContain('keystone-topic')
    expect(await queues()).not.toContain('keystone-topic')
    expect((await users()).map(({user}) => user)).toEqual(['openstack'])
  })
})
