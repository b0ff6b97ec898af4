import type {ServerResponse} from 'node:http'
import {describe, expect, it, vi} from 'vitest'
import {clientOf, json, refuse, scriptedServer} from '../support/api-server.ts'

const pods = {path: '/api/v1/namespaces/openstack/pods', summary: 'list pods in namespace openstack'}

describe('a request to the API server', () => {
  it('carries the token of the user and goes below the path of the server', async () => {
    const {client, url, asked} = await scriptedServer((_, response) => json(response, {items: []}), {
      token: 'abc',
    })
    const behind = clientOf(`${url}/k8s/clusters/c-1`, {token: 'abc'})

    await client.json(pods)
    await behind.json({...pods, query: {limit: 5, continue: undefined}})
    await behind.close()

    expect(asked.map(({path}) => path)).toEqual([pods.path, `/k8s/clusters/c-1${pods.path}`])
    expect(asked.map(({headers}) => headers.authorization)).toEqual(['Bearer abc', 'Bearer abc'])
    expect(asked[1]?.query.toString()).toBe('limit=5')
  })

  it.each([
    [
      401,
      'Unauthorized',
      'KK_FORBIDDEN',
      /does not accept the credentials of context "test" \(to list pods in namespace openstack\)/,
    ],
    [
      403,
      'pods is forbidden: User "u" cannot list',
      'KK_FORBIDDEN',
      /context "test" may not list pods in namespace openstack: pods is forbidden/,
    ],
    [
      422,
      'Service "s" is invalid',
      'KK_API',
      /could not list pods in namespace openstack: Service "s" is invalid \(422\)/,
    ],
  ])(
    'with the response %i is an error with method, path and context',
    async (status, message, code, expected) => {
      const {client} = await scriptedServer((_, response) => refuse(response, status, message))

      await expect(client.json(pods)).rejects.toMatchObject({code, message: expect.stringMatching(expected)})
    },
  )

  it('quotes one line of an HTML page that a proxy returns', async () => {
    const {client} = await scriptedServer((_, response) =>
      response.writeHead(502).end('<html>Bad Gateway\n<body>…'),
    )

    await expect(client.json(pods)).rejects.toMatchObject({
      code: 'KK_API_SERVER',
      status: 502,
      serverMessage: '<html>Bad Gateway',
    })
  })

  it('names context, address and cause when the server is unreachable', async () => {
    const {client, url, stop} = await scriptedServer(() => undefined)
    await stop()

    const other = clientOf(url)

    await expect(client.json(pods)).rejects.toMatchObject({code: 'KK_UNREACHABLE'})
    await expect(other.json(pods)).rejects.toMatchObject({
      code: 'KK_UNREACHABLE',
      message: `the cluster of context "test" does not answer at ${url}: connection refused`,
      hint: expect.stringContaining('--context'),
    })
  })

  it('is retried when the server is overloaded', async () => {
    let refused = 0
    const {client} = await scriptedServer((_, response) =>
      refused++ === 0 ? refuse(response, 429, 'too many requests') : json(response, {fine: true}),
    )

    await expect(client.json(pods)).resolves.toEqual({fine: true})
  })

  it.each([429, 503])(
    'is sent again when the server asks for that with %i, even if it writes',
    async (status) => {
      let refused = 0
      const {client} = await scriptedServer((_, response) =>
        refused++ < 5
          ? refuse(response, status, 'later', {'retry-after': '0'})
          : json(response, {fine: true}),
      )

      await expect(client.json({...pods, method: 'POST', body: {}})).resolves.toEqual({fine: true})
    },
  )

  it('is not retried when the server fails', async () => {
    const {client, asked} = await scriptedServer((_, response) => refuse(response, 500, 'no idea'))

    await expect(client.json(pods)).rejects.toMatchObject({code: 'KK_API_SERVER', status: 500})
    expect(asked).toHaveLength(1)
  })

  it('is retried when the response of a read is cut off', async () => {
    const {client, asked} = await scriptedServer((_, response) => {
      if (asked.length > 1) return json(response, {fine: true})
      response.writeHead(200, {'content-length': '100'}).write('{"fine"', () => response.destroy())
    })

    await expect(client.json(pods)).resolves.toEqual({fine: true})
  })

  it('is retried after a lost connection if it is a read or an idempotent write', async () => {
    const {client, asked} = await scriptedServer((_, response) => {
      if (asked.length % 2 === 0) json(response, {fine: true})
      else response.destroy()
    })

    await expect(client.json(pods)).resolves.toEqual({fine: true})
    await expect(client.json({...pods, method: 'PUT', body: {}, repeatable: true})).resolves.toEqual({
      fine: true,
    })
    await expect(client.json({...pods, method: 'POST', body: {}})).rejects.toMatchObject({
      code: 'KK_UNREACHABLE',
    })
    expect(asked.map(({method}) => method)).toEqual(['GET', 'GET', 'PUT', 'PUT', 'POST'])
  })

  it('ends with the reason of its signal when that is aborted', async () => {
    const {client} = await scriptedServer(() => undefined)
    const aborting = new AbortController()

    const request = client.json({...pods, signal: aborting.signal})
    aborting.abort(new Error('enough'))

    await expect(request).rejects.toThrow('enough')
  })

  it('times out when no response begins', async () => {
    const {client} = await scriptedServer(() => undefined)

    await expect(client.json({...pods, timeout: 100})).rejects.toMatchObject({
      code: 'KK_UNREACHABLE',
      message: expect.stringContaining('no response in time'),
    })
  })
})

it('an unreadable certificate is reported before any request', async () => {
  const user = {'client-certificate-data': Buffer.from('no certificate').toString('base64')}

  await expect(clientOf('https://127.0.0.1:1', user).json(pods)).rejects.toMatchObject({
    code: 'KK_KUBECONFIG',
    message: expect.stringMatching(
      /^no credentials for context "test": client-certificate-data: expected a certificate in PEM/,
    ),
  })
})

describe('credentials by a plugin', () => {
  const script = (status: object) =>
    `echo '${JSON.stringify({apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status})}'`
  const exec = (command: string, ...args: string[]) => ({
    exec: {command, args, apiVersion: 'client.authentication.k8s.io/v1', interactiveMode: 'Never'},
  })

  it('are read from its standard output', async () => {
    const plugin = exec('sh', '-c', script({token: 'from-plugin'}))
    const {client, asked} = await scriptedServer((_, response) => json(response, {}), plugin)

    await client.json(pods)

    expect(asked[0]?.headers.authorization).toBe('Bearer from-plugin')
  })

  it('are an error that names the plugin when it is not installed', async () => {
    const {client} = await scriptedServer((_, response) => json(response, {}), exec('no-such-plugin'))

    await expect(client.json(pods)).rejects.toMatchObject({
      code: 'KK_KUBECONFIG',
      message: 'no credentials for context "test": the credential plugin no-such-plugin is not installed',
    })
  })

  it('are an error with the first line of its output when it fails', async () => {
    const plugin = exec('sh', '-c', 'echo "you must log in" >&2; echo "more" >&2; exit 1')
    const {client} = await scriptedServer((_, response) => json(response, {}), plugin)

    await expect(client.json(pods)).rejects.toMatchObject({
      code: 'KK_KUBECONFIG',
      message: expect.stringMatching(/: you must log in$/),
    })
  })
})

describe('many requests to the API server', () => {
  it('are limited to sixteen at once, without delaying Leases and watches', async () => {
    const open: ServerResponse[] = []
    let most = 0
    const {client} = await scriptedServer(({path, query}, response) => {
      if (path.startsWith('/apis/coordination.k8s.io/')) return json(response, {kind: 'Lease'})
      if (query.has('watch')) return void response.writeHead(200).write('{"type":"BOOKMARK"}\n')
      open.push(response)
      most = Math.max(most, open.length)
    })
    const answer = () => json(open.shift()!, {items: []})

    const all = Array.from({length: 40}, () => client.json(pods))
    await vi.waitFor(() => expect(open).toHaveLength(16))
    const lease = await client.json({
      path: '/apis/coordination.k8s.io/v1/namespaces/kk-system/leases/a',
      summary: 'x',
    })
    const watch = await client.lines({...pods, query: {watch: 1}})
    for (let answered = 0; answered < 40; answered++) {
      await vi.waitFor(() => expect(open).not.toEqual([]))
      answer()
    }

    expect(lease).toEqual({kind: 'Lease'})
    expect((await watch.next()).value).toBe('{"type":"BOOKMARK"}')
    expect(await Promise.all(all)).toHaveLength(40)
    expect(most).toBe(16)
  })

  it('are not sent when they are aborted in the queue', async () => {
    const open: ServerResponse[] = []
    const {client, asked} = await scriptedServer((_, response) => void open.push(response))
    const aborted = new AbortController()

    const all = Array.from({length: 16}, () => client.json(pods))
    await vi.waitFor(() => expect(open).toHaveLength(16))
    const late = client.json({...pods, path: '/api/v1/late', signal: aborted.signal})
    aborted.abort(new Error('ended'))

    await expect(late).rejects.toThrow('ended')
    for (const response of open) json(response, {})
    await Promise.all(all)
    expect(asked.some(({path}) => path === '/api/v1/late')).toBe(false)
  })
})
