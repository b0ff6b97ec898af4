import {request} from 'node:http'
import {type AddressInfo, connect} from 'node:net'
import {text} from 'node:stream/consumers'
import type {FastifyInstance} from 'fastify'
import {afterEach, beforeEach, describe, expect, it} from 'vitest'
import type {ServerOptions} from '../../src/api/open-server.ts'
import {parseTokens} from '../../src/api/tokens.ts'
import {KkError} from '../../src/errors.ts'
import {type TestOverrides, testOverrides} from './support/overrides.ts'
import {testServer} from './support/server.ts'

const READ = 'r'.repeat(32)
const WRITE = 'w'.repeat(32)
const RABBITMQ = '/v1/helm_charts/rabbitmq?namespace=openstack'

let app: FastifyInstance
let overrides: TestOverrides
beforeEach(async () => {
  overrides = await testOverrides()
})
const open = async (options: Partial<ServerOptions> = {}) => {
  app = await testServer(overrides, options)
  return app
}
const update = (set: readonly string[], headers = {}) =>
  app.inject({
    method: 'PATCH',
    url: RABBITMQ,
    headers,
    payload: {flag: 'reuse', values: {files: [], set: [...set]}},
  })
afterEach(async () => {
  await app.close()
  await overrides.remove()
})

describe('the service of overrides', () => {
  it.each(['/v1/helm_charts', '/v1/helm_charts/'])(
    'lists charts with their namespaces at %s',
    async (url) => {
      const answer = await (await open()).inject(url)

      expect(answer.statusCode).toBe(200)
      expect(answer.json()).toEqual({
        charts: [
          {name: 'ingress', namespaces: ['kube-system', 'openstack']},
          {name: 'rabbitmq', namespaces: ['openstack']},
        ],
      })
    },
  )

  it('shows, updates and deletes the overrides of a chart', async () => {
    await open()

    const none = await app.inject(RABBITMQ)
    expect(none.headers.etag).toBe('""')
    expect(none.json()).toEqual({
      namespace: 'openstack',
      name: 'rabbitmq',
      system_overrides: 'pod:\n  replicas: {server: 1}\n',
      user_overrides: '',
      combined_overrides: 'pod:\n  replicas:\n    server: 1\n',
    })
    expect((await update(['pod.replicas=2'])).json()).toEqual({
      user_overrides: 'pod:\n  replicas: 2\n',
      namespace: 'openstack',
      name: 'rabbitmq',
    })
    expect((await app.inject(RABBITMQ)).json().combined_overrides).toBe('pod:\n  replicas: 2\n')
    const gone = [
      await app.inject({method: 'DELETE', url: RABBITMQ}),
      await app.inject({method: 'DELETE', url: RABBITMQ}),
    ]
    expect(gone.map(({statusCode, body}) => ({statusCode, body}))).toEqual([
      {statusCode: 204, body: ''},
      {statusCode: 204, body: ''},
    ])
    expect((await app.inject(RABBITMQ)).json().user_overrides).toBe('')
  })

  it('gives the combined overrides of a set of charts', async () => {
    await open()

    expect(
      (await app.inject('/v1/helm_charts?combined=true&name=rabbitmq&name=ingress')).json().charts,
    ).toEqual([
      {
        name: 'ingress',
        namespace: 'kube-system',
        combined_overrides: expect.stringContaining('error_page: 1'),
      },
      {name: 'ingress', namespace: 'openstack', combined_overrides: expect.stringContaining('error_page: 1')},
      {name: 'rabbitmq', namespace: 'openstack', combined_overrides: 'pod:\n  replicas:\n    server: 1\n'},
    ])
    expect((await app.inject('/v1/helm_charts?combined=true&name=rabbit')).statusCode).toBe(404)
  })

  it('explains which layer a value comes from, and who gave it', async () => {
    await open()
    await update(['pod.replicas.server=2'])
    const [key] = (await app.inject(RABBITMQ.replace('?', '/explain?'))).json().keys

    expect(key).toMatchObject({
      key: 'pod.replicas.server',
      value: 2,
      winner: {
        layer: 'user',
        source: expect.stringMatching(
          /^user overrides of \S+ in \S+, by somebody on the host of kk serve at \d{4}-/,
        ),
      },
      lost: [
        {
          layer: 'system',
          source: 'system overrides of rabbitmq in openstack, by a built-in plugin',
          value: 1,
        },
      ],
    })
  })

  it('tells what an update would leave, and leaves all as it is', async () => {
    await open()
    const url = `${RABBITMQ}&dry_run=true`
    const payload = {flag: 'reset', values: {files: ['a: {b: 1}']}}
    const answer = await app.inject({method: 'PATCH', url, payload})

    expect(answer.json().user_overrides).toBe('a:\n  b: 1\n')
    expect((await app.inject(RABBITMQ)).json().user_overrides).toBe('')
  })

  it('takes all away for a reset that gives nothing, as StarlingX does', async () => {
    await open()
    await update(['a=1'])
    const payload = {flag: 'reset', values: {files: [], set: []}}
    const answer = await app.inject({method: 'PATCH', url: RABBITMQ, payload})

    expect(answer.statusCode).toBe(200)
    expect(answer.json().user_overrides).toBe('')
  })

  it('takes no secret that a plugin keeps', async () => {
    await open()
    const answer = await update(['global.endpoints.oslo_messaging.auth.admin.password=marked'])

    expect({status: answer.statusCode, code: answer.json().error?.code}).toEqual({
      status: 403,
      code: 'KK_SECRET',
    })
    expect(answer.body).not.toContain('marked')
  })

  it('takes no override of a secret away, as it sets none', async () => {
    await open()
    await overrides.store.put({
      name: 'rabbitmq',
      namespace: 'openstack',
      who: 'ada',
      expected: undefined,
      secret: false,
      userOverrides: 'endpoints: {oslo_messaging: {auth: {admin: {password: kept}}}}\n',
    })

    const refused = [
      await app.inject({method: 'DELETE', url: RABBITMQ}),
      await app.inject({method: 'PATCH', url: RABBITMQ, payload: {flag: 'reset', values: {}}}),
    ]

    expect(refused.map((each) => [each.statusCode, each.json().error.code])).toEqual([
      [403, 'KK_SECRET'],
      [403, 'KK_SECRET'],
    ])
  })

  it('answers 503 with advice where a secret is to be kept and no key was given', async () => {
    await open()
    const answer = await update(['conf.admin_password=marked'])

    expect(answer.statusCode).toBe(503)
    expect(answer.json().error).toMatchObject({
      code: 'KK_STORE_KEY',
      hint: expect.stringContaining('openssl rand -base64 32'),
    })
  })

  it('takes If-Match: * for any overrides, but not for none', async () => {
    await open()

    expect((await update(['a=1'], {'if-match': '*'})).statusCode).toBe(409)
    expect((await update(['a=1'], {'if-match': '""'})).statusCode).toBe(200)
    expect((await update(['a=2'], {'if-match': '*'})).statusCode).toBe(200)
  })

  it('takes a list of etags in If-Match, of which one must be right', async () => {
    await open()
    const {etag} = (await update(['a=1'])).headers

    expect((await update(['b=1'], {'if-match': '"x", "", W/"y"'})).statusCode).toBe(409)
    expect((await update(['b=1'], {'if-match': `"x",W/${etag} , "y"`})).statusCode).toBe(200)
  })

  it.each([
    ['PUT', RABBITMQ, 'DELETE, GET, HEAD, PATCH'],
    ['POST', '/v1/helm_charts', 'GET, HEAD'],
    ['OPTIONS', '/v1/helm_charts/', 'GET, HEAD'],
    ['DELETE', '/', 'GET, HEAD'],
    ['PATCH', '/healthz', 'GET, HEAD'],
  ] as const)('answers %s of %s with the methods that there are', async (method, url, allow) => {
    const answer = await (await open()).inject({method, url, payload: 'x'})

    expect([answer.statusCode, answer.headers.allow, answer.json().error.code]).toEqual([
      405,
      allow,
      'KK_METHOD',
    ])
  })

  it('answers 409 to a change that was made from other overrides', async () => {
    await open()
    await update(['z=1'])
    const {etag} = (await app.inject(RABBITMQ)).headers

    expect((await update(['a=1'], {'if-match': etag})).statusCode).toBe(200)
    const second = await update(['b=1'], {'if-match': etag})
    expect(second.statusCode).toBe(409)
    expect(second.json().error.code).toBe('KK_STORE_CONFLICT')
    expect(
      (await app.inject({method: 'DELETE', url: RABBITMQ, headers: {'if-match': etag}})).statusCode,
    ).toBe(409)
  })

  it.each([
    ['an unknown chart', {url: '/v1/helm_charts/rabbit?namespace=openstack'}, 404, 'KK_UNKNOWN_CHART'],
    ['no namespace', {url: '/v1/helm_charts/rabbitmq'}, 400, 'KK_USAGE'],
    ['an unknown address', {url: '/v2'}, 404, 'KK_NOT_FOUND'],
    [
      'a brace too few',
      {payload: '{"flag": "reuse", "values": {"files": [], "set": ["a=1"]}'},
      400,
      'KK_USAGE',
    ],
    ['another flag', {payload: '{"flag": "merge", "values": {}}'}, 400, 'KK_USAGE'],
    [
      'a key of JavaScript',
      {payload: '{"flag": "reset", "values": {}, "__proto__": {"a": 1}}'},
      400,
      'KK_USAGE',
    ],
    ['an empty file', {payload: '{"flag": "reset", "values": {"files": [""]}}'}, 400, 'KK_USAGE'],
    [
      'a key of JavaScript in a file',
      {payload: '{"flag": "reset", "values": {"files": ["__proto__: {a: 1}"]}}'},
      400,
      'KK_VALUES',
    ],
    ['a wrong expression', {payload: '{"flag": "reset", "values": {"set": ["a"]}}'}, 400, 'KK_VALUES'],
    ['what is no YAML', {payload: '{"flag": "reset", "values": {"files": ["a: ["]}}'}, 400, 'KK_YAML'],
    ['bytes that are no UTF-8', {payload: Buffer.from([0x22, 0xff, 0x22])}, 400, 'KK_USAGE'],
    ['too much', {payload: `"${'x'.repeat(2 ** 20)}"`}, 413, 'KK_TOO_LARGE'],
    [
      'a form',
      {payload: 'a=1', headers: {'content-type': 'application/x-www-form-urlencoded'}},
      415,
      'KK_USAGE',
    ],
  ] as const)('refuses %s with a code', async (_, sent, status, code) => {
    await open()
    const payload = 'payload' in sent ? ({method: 'PATCH', payload: sent.payload} as const) : {}
    const answer = await app.inject({
      url: RABBITMQ,
      ...sent,
      ...payload,
      headers: {'content-type': 'application/json', ...('headers' in sent && sent.headers)},
    })

    expect({status: answer.statusCode, code: answer.json().error?.code}).toEqual({status, code})
    expect(answer.body).not.toMatch(/\n +at |node_modules/)
    expect((await app.inject(RABBITMQ)).json().user_overrides).toBe('')
  })

  it('says of its own errors nothing but that there was one', async () => {
    const charts = () => Promise.reject(new Error('password=marked'))
    const serviceFor = (who: string) => ({...overrides.serviceFor(who), charts})
    const lines: string[] = []
    await open({serviceFor, log: {level: 'info', stream: {write: (line) => lines.push(line)}}})

    const answer = await app.inject('/v1/helm_charts')

    expect(answer.statusCode).toBe(500)
    expect(answer.body + lines.join('')).not.toContain('marked')
  })

  it('answers 429 to whoever asks too often', async () => {
    await open({limits: {requestsPerMinute: 2}})
    const codes = []
    for (let count = 0; count < 3; count++) codes.push((await app.inject('/v1/helm_charts')).statusCode)

    expect(codes).toEqual([200, 200, 429])
    expect((await app.inject('/healthz')).statusCode).toBe(200)
  })

  it.each([
    ['wrong tokens', RABBITMQ, 401],
    ['addresses that there are not', '/v2', 404],
  ])('counts %s, too', async (_, url, status) => {
    const tokens = parseTokens(`write ${WRITE}`, 'tokens')
    await open({limits: {requestsPerMinute: 2}, ...(status === 401 && {tokens})})
    const codes = []
    for (let count = 0; count < 3; count++) codes.push((await app.inject(url)).statusCode)
    const late = await app.inject({url: RABBITMQ, headers: {authorization: `Bearer ${WRITE}`}})

    expect(codes).toEqual([status, status, 429])
    expect(late.statusCode).toBe(429)
  })

  it('logs no parameter but the namespace', async () => {
    const lines: string[] = []
    await open({log: {level: 'info', stream: {write: (line) => lines.push(line)}}})

    await app.inject(`${RABBITMQ}&pasword=marked`)

    expect(lines.join('')).not.toContain('marked')
    expect(JSON.parse(lines[0]!).req).toMatchObject({
      method: 'GET',
      url: '/v1/helm_charts/rabbitmq',
      namespace: 'openstack',
    })
  })

  it('keeps pages of other sites from using it on loopback', async () => {
    await open()

    const foreign = await update(['a=1'], {origin: 'https://evil.example', host: 'localhost'})
    expect(foreign.statusCode).toBe(403)
    const rebound = await app.inject({url: '/v1/helm_charts', headers: {host: 'evil.example'}})
    expect(rebound.statusCode).toBe(403)
    expect((await update(['a=1'], {origin: 'http://localhost:80', host: 'localhost:80'})).statusCode).toBe(
      200,
    )
  })

  it.each([
    ['localhost', 200],
    ['LOCALHOST:8080', 200],
    ['127.9.9.9:1', 200],
    ['[::1]:8080', 200],
    ['[::ffff:127.0.0.1]:8080', 200],
    ['[::ffff:10.0.0.1]', 403],
    ['127.0.0.1.evil.example', 403],
    ['localhost@evil.example', 403],
    ['localhost:80:evil.example', 403],
    ['localhost.evil.example:80', 403],
    ['0.0.0.0', 403],
  ])('answers to %s with %d on loopback', async (host, status) => {
    await open()

    const headers = {host, 'x-forwarded-host': 'localhost'}
    expect((await app.inject({url: '/v1/helm_charts', headers})).statusCode).toBe(status)
  })

  describe('with tokens', () => {
    const tokens = parseTokens(`# who\nread ${READ} monitoring\nwrite ${WRITE} ada\n`, 'tokens')
    const as = (token: string) => ({authorization: `Bearer ${token}`})

    it('needs one for all but its health', async () => {
      await open({tokens})

      expect((await app.inject('/v1/helm_charts')).statusCode).toBe(401)
      expect((await app.inject({url: '/v1/helm_charts', headers: as('x'.repeat(32))})).statusCode).toBe(401)
      expect((await app.inject({url: '/metrics'})).statusCode).toBe(401)
      expect((await app.inject({url: '/healthz'})).statusCode).toBe(200)
    })

    it('lets one that reads only read, and no secrets', async () => {
      await open({tokens})

      expect((await app.inject({url: RABBITMQ, headers: as(READ)})).statusCode).toBe(200)
      expect((await app.inject({url: `${RABBITMQ}&show_secrets=true`, headers: as(READ)})).statusCode).toBe(
        403,
      )
      expect((await update(['a=1'], as(READ))).statusCode).toBe(403)
      expect((await update(['a=1'], as(WRITE))).statusCode).toBe(200)
      expect((await overrides.store.audit()).map(({who}) => who)).toEqual(['ada'])
    })

    it('takes the token as the password of a browser', async () => {
      await open({tokens})
      const basic = `Basic ${Buffer.from(`me:${READ}`).toString('base64')}`

      expect((await app.inject({url: RABBITMQ, headers: {authorization: basic}})).statusCode).toBe(200)
    })
  })

  it('describes itself in OpenAPI 3.1, for programs and for people', async () => {
    await open()
    const document = (await app.inject('/openapi.json')).json()

    expect(document).toMatchObject({openapi: '3.1.0', info: {version: '1.2.3'}})
    expect(Object.keys(document.paths)).toEqual(
      expect.arrayContaining([
        '/v1/helm_charts',
        '/v1/helm_charts/{name}',
        '/healthz',
        '/readyz',
        '/metrics',
      ]),
    )
    const {get} = document.paths['/v1/helm_charts/{name}']
    expect(Object.keys(get.responses)).toEqual(expect.arrayContaining(['200', '4XX', '503', '5XX']))
    expect(get.responses['200'].headers).toHaveProperty('ETag')
    expect(document.paths['/readyz'].get.responses).toHaveProperty('503')
    const page = await app.inject('/docs')
    expect(page.headers['content-type']).toContain('text/html')
    expect(page.body).toContain('<code>PATCH /v1/helm_charts/{name}</code>')
    expect(page.body).not.toContain('<script')
  })

  it('counts requests for Prometheus by route, not by address', async () => {
    await open()
    await app.inject(RABBITMQ)

    const {body} = await app.inject('/metrics')
    expect(body).toContain(
      'kk_http_request_duration_seconds_count{method="GET",route="/v1/helm_charts/:name",status="200"} 1',
    )
  })

  it('is not ready when what it works with is not', async () => {
    const problem = new KkError('KK_STORE_DATABASE', 'the store at postgres://inner.example is gone')
    await open({ready: () => Promise.reject(problem)})

    const answer = await app.inject('/readyz')
    expect(answer.statusCode).toBe(503)
    expect(answer.json()).toMatchObject({status: 'not ready', error: {code: 'KK_STORE_DATABASE'}})
    expect(answer.body).not.toContain('inner.example')
    expect((await app.inject('/healthz')).statusCode).toBe(200)
  })

  it('outlives requests that Node itself refuses', async () => {
    await open()
    await app.listen({host: '127.0.0.1', port: 0})
    const {port} = app.server.address() as AddressInfo
    const status = await new Promise<number | undefined>((resolve) => {
      request({host: '127.0.0.1', port, path: `/v1/helm_charts/${'x'.repeat(65_536)}`}, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
        .on('error', () => resolve(0))
        .end()
    })

    expect([0, 414, 431]).toContain(status)
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200)
  })

  it.each([
    ['a method that there is not', 'FOO / HTTP/1.1\r\nhost: localhost\r\n\r\n', 400, 'KK_USAGE'],
    ['what is no HTTP', 'hello\r\n\r\n', 400, 'KK_USAGE'],
    ['a head without an end', `GET / HTTP/1.1\r\nx: ${'x'.repeat(20_000)}`, 431, 'KK_TOO_LARGE'],
    ['a head that does not arrive', 'GET / HTTP/1.1\r\n', 408, 'KK_TIMEOUT'],
    ['a request without Host', 'GET / HTTP/1.1\r\nconnection: close\r\n\r\n', 400, 'KK_USAGE'],
    [
      'an expectation that nobody meets',
      'GET / HTTP/1.1\r\nhost: localhost\r\nexpect: a-miracle\r\nconnection: close\r\n\r\n',
      417,
      'KK_USAGE',
    ],
    [
      'a body that does not arrive',
      `PATCH ${RABBITMQ} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{`,
      408,
      'KK_TIMEOUT',
    ],
  ])('answers %s as it does all else', async (_, sent, status, code) => {
    await open({limits: {requestTime: 100}})
    await app.listen({host: '127.0.0.1', port: 0})
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
    socket.write(sent)

    const answer = await text(socket)

    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toMatchObject({error: {code}})
  })
})
