import {createServer} from 'node:http'
import type {AddressInfo} from 'node:net'
import {describe, expect, it, onTestFinished} from 'vitest'
import {type WebSocket, WebSocketServer} from 'ws'
import {openExec} from '../../../src/kubernetes/exec/exec.ts'
import {clientOf, json, refuse, scriptedServer} from '../support/api-server.ts'

const program = {
  ...{namespace: 'openstack', pod: 'nova-api-0', container: 'api', command: ['python3', '-']},
  timeout: 30_000,
}
const SUCCESS = {status: 'Success'}

function send(socket: WebSocket, channel: number, text: string): void {
  socket.send(Buffer.concat([Buffer.of(channel), Buffer.from(text)]))
}

/** A kubelet behind an API server, whose sessions the test plays. */
async function execServer(session: (socket: WebSocket, url: URL) => void) {
  const server = createServer()
  const sockets = new WebSocketServer({server, handleProtocols: (protocols) => [...protocols][0]!})
  const requests: {readonly url: URL; readonly protocol: string; readonly token: string | undefined}[] = []
  sockets.on('connection', (socket, {url = '', headers}) => {
    const parsed = new URL(url, 'http://server')
    requests.push({url: parsed, protocol: socket.protocol, token: headers.authorization})
    session(socket, parsed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const client = clientOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {token: 'abc'})
  onTestFinished(async () => {
    client.close()
    sockets.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return {exec: openExec(client), requests}
}

describe('a program in a container', () => {
  it('gets its input, and returns its output and exit code', async () => {
    const {exec, requests} = await execServer((socket, url) => {
      const [, , , size] = url.searchParams.getAll('command')
      let input = ''
      socket.on('message', (data: Buffer) => {
        input += data.subarray(1).toString()
        if (input.length < Number(size)) return
        send(socket, 1, input.slice(0, 4))
        send(socket, 2, 'a warning')
        send(socket, 1, input.slice(4))
        send(socket, 3, JSON.stringify(SUCCESS))
        socket.close()
      })
    })
    const input = 'x = 1\n'.repeat(20_000)

    const ended = await exec.run({...program, input})

    expect(ended).toEqual({code: 0, stdout: input, stderr: 'a warning'})
    expect(requests[0]).toMatchObject({protocol: 'v5.channel.k8s.io', token: 'Bearer abc'})
    expect(requests[0]!.url.pathname).toBe('/api/v1/namespaces/openstack/pods/nova-api-0/exec')
    expect(requests[0]!.url.searchParams.getAll('command').slice(-2)).toEqual(program.command)
    expect(requests[0]!.url.searchParams.get('container')).toBe('api')
  })

  it('does not lose output that arrives with the handshake', async () => {
    const {exec} = await execServer((socket) => {
      send(socket, 1, 'at once')
      send(socket, 3, JSON.stringify(SUCCESS))
      socket.close()
    })

    expect(await exec.run(program)).toEqual({code: 0, stdout: 'at once', stderr: ''})
  })

  it('that fails returns its exit code and its error output', async () => {
    const {exec} = await execServer((socket) => {
      send(socket, 2, 'no such table')
      const details = {causes: [{reason: 'ExitCode', message: '3'}]}
      send(socket, 3, JSON.stringify({status: 'Failure', reason: 'NonZeroExitCode', details}))
      socket.close()
    })

    expect(await exec.run(program)).toEqual({code: 3, stdout: '', stderr: 'no such table'})
  })

  it('that cannot be started is an error with the pod and the reason', async () => {
    const {exec} = await execServer((socket) => {
      const message = 'exec: "python3": executable file not found in $PATH'
      send(socket, 3, JSON.stringify({status: 'Failure', reason: 'InternalError', message}))
      socket.close()
    })

    await expect(exec.run(program)).rejects.toMatchObject({
      code: 'KK_EXEC',
      message: expect.stringMatching(/container api of pod openstack\/nova-api-0.*executable file not found/),
    })
  })

  it('whose status cannot be read has no result', async () => {
    const {exec} = await execServer((socket) => {
      send(socket, 3, 'Bad Gateway')
      socket.close()
    })

    await expect(exec.run(program)).rejects.toThrow('has no result: its status is no JSON')
  })

  it('whose connection is cut has no result', async () => {
    const {exec} = await execServer((socket) => {
      send(socket, 1, '{"half":')
      socket.terminate()
    })

    await expect(exec.run(program)).rejects.toMatchObject({code: 'KK_EXEC'})
  })

  it('that is interrupted rejects with the reason', async () => {
    const stop = new AbortController()
    const {exec} = await execServer((socket) => {
      send(socket, 1, 'begun')
      stop.abort(new Error('interrupted'))
    })

    await expect(exec.run({...program, signal: stop.signal})).rejects.toThrow('interrupted')
  })

  it('that the user may not execute is refused with the right that is missing', async () => {
    const message = 'pods "nova-api-0" is forbidden: cannot create resource "pods/exec"'
    const {client} = await scriptedServer(() => undefined)
    const server = createServer()
    server.on('upgrade', (_, socket) => {
      const body = JSON.stringify({kind: 'Status', status: 'Failure', message, code: 403})
      socket.end(
        `HTTP/1.1 403 Forbidden\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      )
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const denied = clientOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    client.close()

    await expect(openExec(denied).run(program)).rejects.toMatchObject({
      code: 'KK_FORBIDDEN',
      message: expect.stringContaining('cannot create resource "pods/exec"'),
    })
  })
})

describe('the pods of a namespace', () => {
  const labels = {
    'app.kubernetes.io/name': 'nova',
    'app.kubernetes.io/instance': 'cell',
    'app.kubernetes.io/component': 'api',
  }
  const pod = (name: string, more: object = {}, running = true) => ({
    metadata: {name, namespace: 'openstack', labels, ...more},
    spec: {nodeName: 'one', containers: [{name: 'sidecar'}, {name: 'api', image: 'nova-api:1'}]},
    status: {
      containerStatuses: [
        {
          name: 'api',
          ...(running
            ? {state: {running: {}}, imageID: 'registry/nova-api@sha256:1'}
            : {state: {waiting: {}}}),
        },
      ],
    },
  })

  it('are returned with the container of their component; those that are being deleted do not run', async () => {
    const items = [pod('a'), pod('b', {}, false), pod('c', {deletionTimestamp: '2026-11-29T00:00:00Z'})]
    const {client, asked} = await scriptedServer((_, response) =>
      asked.length > 9 ? refuse(response, 500, 'too many') : json(response, {metadata: {}, items}),
    )

    const pods = await openExec(client).pods('openstack')

    const common = {
      ...{namespace: 'openstack', release: 'cell', chart: 'nova'},
      ...{component: 'api', container: 'api', node: 'one', image: 'nova-api:1', digest: 'sha256:1'},
    }
    expect(pods).toEqual([
      {...common, name: 'a', isRunning: true},
      {...common, name: 'b', isRunning: false, digest: ''},
      {...common, name: 'c', isRunning: false},
    ])
  })
})
