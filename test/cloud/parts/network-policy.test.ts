import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {kubectl, makeNamespace} from '../../aio/support/node.ts'
import {waitFor} from '../../e2e/support/cluster.ts'
import {imageOf} from '../support/images.ts'
import {inPod} from '../support/in-server.ts'
import {enforcePolicies} from '../support/network-policies.ts'
import {makeCloud, startClient} from '../support/own-cloud.ts'

/** What `timeout` says of a connection that nobody refused and nobody took. */
const DROPPED = 124

let cloud: Awaited<ReturnType<typeof makeCloud>>
let other: string
let enforced: Promise<void>
const end = new AbortController()

beforeAll(async () => {
  cloud = await makeCloud('mariadb-server', 'memcached', 'rabbitmq', 'keystone')
  other = await makeNamespace()
  enforced = enforcePolicies(cloud.namespace, end.signal)
  await deploy(true)
  for (const namespace of [cloud.namespace, other])
    await startClient({namespace, name: 'client', image: imageOf('memcached'), script: 'sleep infinity'})
})
afterAll(async () => {
  end.abort()
  await enforced
  await kubectl(['delete', 'namespace', other, '--wait=false'])
  await cloud.remove()
})

const deploy = (network_policy: boolean) => {
  const policies = {manifests: {network_policy}, network_policy: {nodes: []}}
  const mariadb = {...policies, storage: {size: '1Gi'}}
  return cloud.run('deploy', {mariadb, memcached: policies, keystone: policies})
}

/** How an attempt to connect ended, from a client in a namespace: 0 when it was let in. */
async function attempt(from: string, target: string, port: number): Promise<number> {
  const connect = `timeout 3 bash -c '</dev/tcp/${target}/${port}' 2>/dev/null; echo $?`
  return Number(await inPod(from, 'client', 'bash', '-c', connect))
}

const addressOf = (pod: string) =>
  kubectl(['get', 'pod', pod, '--namespace', cloud.namespace, '--output', 'jsonpath={.status.podIP}'])

describe('services with NetworkPolicies, on a network that enforces them', {timeout: 600_000}, () => {
  it('reach each other, and pass their tests', async () => {
    const {exitCode, stdout, stderr} = await cloud.attempt('test', {mariadb: {}, memcached: {}, keystone: {}})

    expect(exitCode, `${stdout}\n${stderr}`).toBe(0)
  })

  it.each([
    ['mariadb-server', 3306],
    ['memcached-server', 11_211],
    ['keystone-api', 5000],
  ])('admit clients of their namespace only: %s', async (service, port) => {
    const host = `${service}.${cloud.namespace}.svc`
    await waitFor(async () => (await attempt(cloud.namespace, host, port)) === 0, {
      until: `${service} lets a client in`,
    })

    expect(await attempt(other, host, port)).toBe(DROPPED)
  })

  it('admit only their own members on member ports', async () => {
    const member = await addressOf('mariadb-server-0')

    expect(await attempt(cloud.namespace, member, 4567)).toBe(DROPPED)
    expect(await attempt(cloud.namespace, member, 3306)).toBe(0)
  })

  it('admit all clients after the policies are removed', async () => {
    await deploy(false)

    await waitFor(async () => (await attempt(other, `mariadb-server.${cloud.namespace}.svc`, 3306)) === 0, {
      until: 'a client of another namespace is let in',
    })
  })
})
