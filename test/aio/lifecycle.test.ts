import {once} from 'node:events'
import {readdir} from 'node:fs/promises'
import {createServer} from 'node:net'
import {join} from 'node:path'
import {execa} from 'execa'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import type {Finding} from '../../src/sandbox/node/doctor/finding.ts'
import {machine} from './support/machine.ts'
import {kk, kubectl, makeNamespace, nodeHome, nodeUp} from './support/node.ts'
import {nodeSockets} from './support/node-sockets.ts'
import {pushImage, startPod} from './support/pods.ts'

const ADDRESSES = ['127.0.0.1', '10.213.0.1']

/**
 * Everything that a node makes on a machine: claims, ports of the machine, a process that nobody waits for,
 * what outlives pods, and a tap as Open vSwitch leaves it.
 */
async function busy(): Promise<void> {
  await execa('ip', ['tuntap', 'add', 'dev', 'kk-test-tap', 'mode', 'tap'])
  await pushImage()
  const namespace = await makeNamespace()
  const spec = {
    volumes: [
      {name: 'data', persistentVolumeClaim: {claimName: 'data'}},
      {name: 'guests', hostPath: {path: '/var/lib/nova', type: 'DirectoryOrCreate'}},
    ],
  }
  await kubectl(['create', '--filename', '-'], {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {name: 'data', namespace},
    spec: {accessModes: ['ReadWriteOnce'], resources: {requests: {storage: '1Gi'}}},
  })
  await startPod({
    namespace,
    container: {
      ports: [{containerPort: 80, hostPort: 30_080}],
      volumeMounts: [
        {name: 'data', mountPath: '/data', subPath: 'below'},
        {name: 'guests', mountPath: '/guests'},
      ],
      securityContext: {privileged: true},
    },
    spec: {...spec, hostPID: true},
    script:
      '/bin/busybox touch /guests/disk; /bin/busybox setsid /bin/busybox sleep 424242 & exec /bin/busybox sleep 424242',
  })
}

async function killAll(): Promise<void> {
  const {components} = JSON.parse((await kk(['aio', 'status', '--output', 'json'])).stdout)
  for (const pid of Object.values(components as Record<string, number>)) process.kill(pid, 'SIGKILL')
}

let before: Awaited<ReturnType<typeof machine>>
beforeAll(async () => {
  await kk(['aio', 'down'])
  before = await machine()
})
afterAll(() => kk(['aio', 'down']))

describe('the all-in-one node', () => {
  it('listens only on loopback and on the bridge', async () => {
    await nodeUp()
    await busy()

    const sockets = await nodeSockets(nodeHome())

    expect(sockets.filter(({address}) => !ADDRESSES.includes(address))).toEqual([])
    expect(new Set(sockets.map(({address}) => address))).toEqual(new Set(ADDRESSES))
  })

  it('is left running by another up, which reports that', async () => {
    const again = await kk(['aio', 'up'])
    const status = await kk(['aio', 'status'])
    const doctor = await kk(['aio', 'doctor'])

    expect(again.stderr).toBe('the node is already running')
    expect(status.stdout).toMatch(/^the node runs and is Ready\n/)
    expect(doctor.stdout).toContain('nothing is wrong')
  })

  it('exists once per machine: up with another state directory reports its owner and changes nothing', async () => {
    const others = {XDG_STATE_HOME: join(nodeHome(), '../../../other')}

    const up = await kk(['aio', 'up'], others)
    const down = await kk(['aio', 'down'], others)

    expect(up.exitCode).toBe(1)
    expect(up.stderr).toContain(nodeHome())
    expect(down.stderr).toBe('there is no node')
    expect((await kk(['aio', 'status'])).exitCode).toBe(0)
  })

  it('is rejected by the sandbox commands', async () => {
    const up = await kk(['sandbox', 'up', '--sandbox-name', 'aio'])
    const down = await kk(['sandbox', 'down', '--sandbox-name', 'aio'])

    expect([up.exitCode, down.exitCode]).toEqual([1, 1])
    expect(down.stderr).toContain('stop it with "kk aio down"')
    expect((await kk(['aio', 'status'])).exitCode).toBe(0)
  })

  it('leaves no process, mount, interface, rule, setting or file after down', async () => {
    const during = await machine()

    const {stderr, exitCode} = await kk(['aio', 'down'])

    expect(exitCode, stderr).toBe(0)
    expect(during).not.toEqual(before)
    expect(await machine()).toEqual(before)
    expect(await readdir(join(nodeHome(), '..'))).toEqual([])
  })

  it('that was killed is reported as broken, not replaced implicitly, and removed without a trace', async () => {
    await nodeUp()
    await busy()
    await killAll()

    const broken = await kk(['aio', 'status'])
    const up = await kk(['aio', 'up'])
    const down = await kk(['aio', 'down'])

    expect(broken.stdout).toContain('the node is broken (does not run: etcd, ')
    expect(up.stderr).toContain('KK_SANDBOX_BROKEN')
    expect(up.stderr).toContain('kk aio down')
    expect(up.exitCode, up.stderr).toBe(3)
    expect(down.exitCode).toBe(0)
    expect(await machine()).toEqual(before)
  })

  it('that was killed is removed without a trace', async () => {
    await nodeUp()
    await busy()
    await killAll()

    const {exitCode, stderr} = await kk(['aio', 'down'])

    expect(exitCode, stderr).toBe(0)
    expect(await machine()).toEqual(before)
  })

  it('is up in less than a minute', async () => {
    const {stderr} = await kk(['aio', 'up'])

    expect(Number(/up in ([\d.]+) s/.exec(stderr)?.[1])).toBeLessThan(60)
  })
})

describe('kk aio up', () => {
  it('reports missing requirements and how to fix them, and changes nothing', async () => {
    await kk(['aio', 'down'])
    const withoutToolbox = {PATH: '/usr/sbin:/usr/bin:/sbin:/bin'}

    const doctor = await kk(['aio', 'doctor', '--output', 'json'], withoutToolbox)
    const up = await kk(['aio', 'up'], withoutToolbox)

    const {findings} = JSON.parse(doctor.stdout) as {findings: readonly Finding[]}
    const problems = findings.filter(({level}) => level === 'problem')
    expect(problems.map(({check}) => check)).toEqual(['toolbox'])
    expect(doctor.exitCode).toBe(1)
    expect(up.exitCode).toBe(1)
    expect(up.stderr).toContain('npm run toolbox')
    expect(await machine()).toEqual(before)
  })

  it('reports an occupied port, and changes nothing', async () => {
    const server = createServer().listen(5010, '127.0.0.1')
    await once(server, 'listening')

    const up = await kk(['aio', 'up'])
    server.close()

    expect(up.exitCode).toBe(1)
    expect(up.stderr).toContain('another program listens on port 5010 (tcp), which the registry needs')
    expect(await machine()).toEqual(before)
  })
})
