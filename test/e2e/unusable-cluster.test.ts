import {readFile, writeFile} from 'node:fs/promises'
import {connect, createServer, type Socket} from 'node:net'
import {join} from 'node:path'
import {execa} from 'execa'
import {beforeAll, describe, expect, inject, it, onTestFinished} from 'vitest'
import type {Cluster} from '../../src/kubernetes/cluster.ts'
import type {KubernetesObject} from '../../src/kubernetes/manifest/kubernetes-object.ts'
import {openCluster} from '../../src/kubernetes/open.ts'
import {testDirectory} from '../support/test-directory.ts'
import {kubectl, makeNamespace, uniqueName} from './support/cluster.ts'

let directory: string
beforeAll(async () => {
  directory = testDirectory()
})

/** A copy of the run's kubeconfig with some of it replaced. */
async function kubeconfigWith(change: (text: string) => string): Promise<string> {
  const file = join(directory, uniqueName('kubeconfig'))
  await writeFile(file, change(await readFile(inject('run').kubeconfig, 'utf8')))
  return file
}

async function openWith(kubeconfig: string): Promise<Cluster> {
  const opened = await openCluster({kubeconfig, env: {}})
  onTestFinished(() => opened.close())
  return opened
}

describe('a cluster that cannot be used', () => {
  it('is reported as unreachable if no process listens at its address', async () => {
    const other = await openWith(
      await kubeconfigWith((text) => text.replace(/127\.0\.0\.1:\d+/, '127.0.0.1:1')),
    )

    await expect(other.records.list()).rejects.toMatchObject({
      code: 'KK_UNREACHABLE',
      message: expect.stringMatching(
        /context "\S+" does not answer at https:\/\/127\.0\.0\.1:1: connection refused/,
      ),
    })
  })

  it('is reported as unreachable if another authority has signed its certificate', async () => {
    const other = await openWith(
      await kubeconfigWith((text) => text.replace(/certificate-authority[-a-z]*/, 'unused')),
    )

    await expect(other.apiServer.identity()).rejects.toMatchObject({
      code: 'KK_UNREACHABLE',
      message: expect.stringContaining('not signed by the authority'),
    })
  })

  it('is reported with the missing role', async () => {
    const namespace = await makeNamespace('role')
    await kubectl(['create', 'serviceaccount', 'weak', '--namespace', namespace])
    const token = (await kubectl(['create', 'token', 'weak', '--namespace', namespace])).trim()
    const {kubeconfig} = inject('run')
    const file = await kubeconfigWith((text) => text)
    await execa(join(inject('run').toolbox, 'kubectl'), [
      'config',
      'set-credentials',
      'weak',
      '--token',
      token,
      '--kubeconfig',
      file,
    ])
    await execa(join(inject('run').toolbox, 'kubectl'), [
      'config',
      'set-context',
      '--current',
      '--user',
      'weak',
      '--kubeconfig',
      file,
    ])
    const weak = await openWith(file)

    const error = await weak.records.list().catch((caught: unknown) => caught)

    expect(kubeconfig).not.toBe(file)
    expect(error).toMatchObject({
      code: 'KK_FORBIDDEN',
      message: expect.stringMatching(
        /may not list secrets in all namespaces.*User "system:serviceaccount:role-\S+:weak" cannot list resource "secrets"/,
      ),
    })
    expect(String((error as Error).message)).not.toContain(token)
    const objects = [{apiVersion: 'apps/v1', kind: 'Deployment', metadata: {name: 'api'}}]
    await expect(weak.health.gate({namespace, objects, deadline: Date.now() + 30_000})).rejects.toMatchObject(
      {
        code: 'KK_FORBIDDEN',
      },
    )
  })
})

/** Passes bytes on to the API server, until it is told to cut the line. */
async function line(target: number) {
  const sockets = new Set<Socket>()
  let isCut = false
  const server = createServer((incoming) => {
    if (isCut) return void incoming.destroy()
    const outgoing = connect(target, '127.0.0.1')
    for (const socket of [incoming, outgoing]) {
      sockets.add(socket)
      socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket))
    }
    incoming.pipe(outgoing).pipe(incoming)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return {
    port: (server.address() as {port: number}).port,
    cut() {
      isCut = true
      for (const socket of sockets) socket.destroy()
    },
    mend() {
      isCut = false
    },
  }
}

describe('a lost connection to the API server', () => {
  const objects: KubernetesObject[] = [
    {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: {name: 'sync'},
      spec: {
        parallelism: 0,
        template: {spec: {restartPolicy: 'Never', containers: [{name: 'sync', image: 'sync'}]}},
      },
    },
  ]

  /** A gate whose line is cut while it waits, with so many milliseconds from its own start. */
  async function waitingGate(patience: number) {
    const namespace = await makeNamespace('line')
    await kubectl(['create', '--namespace', namespace, '--filename', '-'], {input: objects[0]!})
    const port = Number(/127\.0\.0\.1:(\d+)/.exec(await readFile(inject('run').kubeconfig, 'utf8'))?.[1])
    const wire = await line(port)
    const far = await openWith(
      await kubeconfigWith((text) => text.replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${wire.port}`)),
    )
    const waiting = Promise.withResolvers<void>()
    const lost = Promise.withResolvers<void>()
    const gate = far.health.gate({
      namespace,
      objects,
      deadline: Date.now() + patience,
      onProgress: ([cause]) => (cause?.object === 'Job/sync' ? waiting.resolve() : lost.resolve()),
    })
    gate.catch(() => undefined)
    await waiting.promise
    wire.cut()
    await lost.promise
    return {namespace, gate, wire}
  }

  it('does not fail a gate if the connection returns before the deadline', async () => {
    const {namespace, gate, wire} = await waitingGate(60_000)
    await kubectl(['patch', 'job', 'sync', '--namespace', namespace, '--patch', '{"spec":{"parallelism":1}}'])

    wire.mend()

    await expect(gate).resolves.toEqual({state: 'healthy'})
  })

  it('fails a gate as unreachable if the connection does not return', async () => {
    const {gate} = await waitingGate(4_000)

    await expect(gate).rejects.toMatchObject({code: 'KK_UNREACHABLE'})
  })
})
