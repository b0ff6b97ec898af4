import {once} from 'node:events'
import {rm, writeFile} from 'node:fs/promises'
import {type IncomingMessage, Agent as PlainAgent, request as requestPlain} from 'node:http'
import {Agent, get} from 'node:https'
import {join} from 'node:path'
import {execa} from 'execa'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {atNight} from '../../support/night.ts'
import {jsonExample} from '../../support/overrides-document.ts'
import {openWorkplace, type Serving, type Workplace} from './support/serving.ts'

const RABBITMQ = '/v1/helm_charts/rabbitmq?namespace=openstack'

let workplace: Workplace
let server: Serving
beforeAll(async () => {
  workplace = await openWorkplace()
  server = await workplace.serve()
})
afterAll(() => workplace.remove())

const send = (path: string, init?: RequestInit) => fetch(server.url + path, init)
const patch = (body: string) =>
  send(RABBITMQ, {method: 'PATCH', headers: {'content-type': 'application/json'}, body})

describe('the executable as a server', () => {
  it('responds exactly as specified, including the characters in strings', async () => {
    const shown = JSON.parse(jsonExample('{"namespace": "openstack",\n         "name": "rabbitmq",'))
    const example = jsonExample('{"flag": "reuse"')

    expect(await (await send(RABBITMQ)).json()).toEqual(shown)
    // The document's request lacks its last brace.
    const broken = await patch(example)
    expect(broken.status).toBe(400)
    expect(await broken.json()).toMatchObject({error: {code: 'KK_USAGE'}})
    expect(await (await patch(`${example}}`)).json()).toEqual(JSON.parse(jsonExample('{"user_overrides"')))
    expect((await send(RABBITMQ, {method: 'DELETE'})).status).toBe(204)
    expect((await send(RABBITMQ, {method: 'DELETE'})).status).toBe(204)
    expect(await (await send(RABBITMQ)).json()).toEqual(shown)
  })

  it('lists the charts as specified', async () => {
    const other = await workplace.serve([
      '--facts',
      join(import.meta.dirname, '../../fixtures/overrides/without-telemetry.yaml'),
    ])
    const listed = await (await fetch(`${other.url}/v1/helm_charts/`)).json()
    const {charts} = JSON.parse(jsonExample('{"charts": [')) as {charts: {name: string}[]}

    expect(listed).toEqual({charts: charts.toSorted((a, b) => (a.name < b.name ? -1 : 1))})
    await other.stop()
  })

  it('contains its documentation and its pages', async () => {
    expect(await (await send('/openapi.json')).json()).toMatchObject({openapi: '3.1.0'})
    expect(await (await send('/docs')).text()).toContain('<code>PATCH /v1/helm_charts/{name}</code>')
    const page = await (await send('/')).text()
    expect(page).toContain('<h2>Overrides of charts</h2>')
    expect(page).toContain('Overrides</a></li>')
    expect(await (await send('/assets/htmx.js')).text()).toMatch(/^var htmx=/)
    expect((await send('/readyz')).status).toBe(200)
    expect(await (await send('/metrics')).text()).toContain('kk_http_request_duration_seconds_bucket')
  })

  it('returns the same through --server as from the store, as text and as JSON', async () => {
    const place = ['rabbitmq', 'openstack']
    const other = await openWorkplace()
    const both = async (...args: string[]) => {
      const through = await workplace.kk(args, {KK_SERVER: server.url})
      const direct = await other.kk(args)
      expect(through, args.join(' ')).toEqual(direct)
      return through
    }

    await both('helm-override-list')
    await both('overrides', 'list', '--output', 'json')
    await both('helm-override-update', ...place, '--reuse-values', '--set', 'pod.replicas=2')
    await both('overrides', 'update', ...place, '--reuse-values', '--set', 'a=1', '--output', 'json')
    expect((await both('helm-override-show', ...place)).stdout).toContain('|   replicas: 2 ')
    await both('overrides', 'show', ...place, '--output', 'json')
    expect((await both('overrides', 'show', 'rabbit', 'openstack')).exitCode).not.toBe(0)
    await both('helm-override-delete', ...place)
    await both('helm-override-show', ...place)
    await other.remove()
  })

  it('completes running requests before it stops', async () => {
    const stopping = await workplace.serve()
    const body = '{"flag": "reset", "values": {"set": ["slow=1"]}}'
    const headers = {'content-type': 'application/json', 'content-length': body.length}
    const request = requestPlain(stopping.url + RABBITMQ, {
      method: 'PATCH',
      headers,
      agent: new PlainAgent({keepAlive: true}),
    })
    const answered = once(request, 'response') as Promise<[IncomingMessage]>
    request.write(body.slice(0, 10))
    // Its head has been read when another connection, made later, is answered.
    await fetch(`${stopping.url}/healthz`)

    const ended = stopping.stop()
    request.end(body.slice(10))
    const [answer] = await answered
    answer.resume()

    expect(answer.statusCode).toBe(200)
    expect(await ended).toMatchObject({exitCode: 0, stdout: ''})
    expect(await (await send(RABBITMQ)).json()).toMatchObject({user_overrides: 'slow: 1\n'})
    await send(RABBITMQ, {method: 'DELETE'})
  })

  it.each([
    [
      'a port in use',
      () => ['--listen', new URL(server.url).host],
      'KK_SERVER',
      'another process listens there',
    ],
    [
      'a public address without TLS and tokens',
      () => ['--listen', '0.0.0.0:0'],
      'KK_UNCONFIRMED',
      '--token-file',
    ],
    ['no certificate', () => ['--tls-cert', 'none', '--tls-key', 'none'], 'KK_FILE', '--tls-cert none'],
    [
      'a wrong certificate',
      () => ['--tls-cert', 'wrong', '--tls-key', 'wrong'],
      'KK_FILE',
      'expected a certificate',
    ],
    ['an invalid store key', () => [], 'KK_STORE_KEY', 'KK_STORE_KEY does not hold', {KK_STORE_KEY: 'wrong'}],
  ] as const)('rejects %s', async (_, args, code, message, env: Record<string, string> = {}) => {
    await writeFile(join(workplace.directory, 'wrong'), 'no PEM')
    const facts = {KK_FACTS: join(import.meta.dirname, '../../fixtures/overrides/without-telemetry.yaml')}
    const {exitCode, stderr} = await workplace.kk(['serve', ...args()], {...facts, ...env})

    expect(exitCode).toBeGreaterThan(0)
    expect(stderr).toContain(code)
    expect(stderr).toContain(message)
  })

  it('does not start with another key than the store was encrypted with', async () => {
    const other = await openWorkplace()
    const facts = {KK_FACTS: join(import.meta.dirname, '../../fixtures/overrides/without-telemetry.yaml')}
    const key = (letter: string) => ({...facts, KK_STORE_KEY: Buffer.alloc(32, letter).toString('base64')})
    const set = ['overrides', 'update', 'rabbitmq', 'openstack', '--set', 'conf.password=hedgehog']

    expect(await other.kk(set, key('a'))).toMatchObject({exitCode: 0})
    const {exitCode, stderr} = await other.kk(['serve', '--listen', '127.0.0.1:0'], key('b'))

    expect(exitCode).toBe(2)
    expect(stderr).toContain('KK_STORE_KEY')
    await other.remove()
  })

  it('reports that its store was removed, and rejects further changes', async () => {
    const other = await openWorkplace()
    const serving = await other.serve()
    await rm(join(other.directory, 'store.sqlite'))

    const changed = await fetch(serving.url + RABBITMQ, {
      method: 'PATCH',
      headers: {'content-type': 'application/json'},
      body: '{"flag": "reset", "values": {"set": ["a=1"]}}',
    })

    expect(changed.status).toBe(503)
    expect(await changed.json()).toMatchObject({error: {code: 'KK_STORE_DATABASE'}})
    expect((await fetch(`${serving.url}/readyz`)).status).toBe(503)
    await other.remove()
  })

  atNight(() => {
    it('stops although a client has sent half a request', async () => {
      const stopping = await workplace.serve()
      const half = requestPlain(stopping.url + RABBITMQ, {
        method: 'PATCH',
        headers: {'content-type': 'application/json', 'content-length': 1000},
      })
      half.on('error', () => undefined)
      half.write('{')
      await fetch(`${stopping.url}/healthz`)

      expect(await stopping.stop()).toMatchObject({exitCode: 0})
    })
  })

  it('responds with 429 above --rate-limit', async () => {
    const limited = await workplace.serve(['--rate-limit', '2'])
    const codes = []
    for (let count = 0; count < 3; count++) codes.push((await fetch(`${limited.url}/v1/helm_charts`)).status)

    expect(codes).toEqual([200, 200, 429])
    await limited.stop()
  })

  it('serves TLS to callers with a token, and logs neither tokens nor values', async () => {
    const {directory} = workplace
    const [cert, key, tokens] = ['tls.crt', 'tls.key', 'tokens'].map((name) => join(directory, name))
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
    const files = ['-keyout', key!, '-out', cert!]
    await execa('openssl', [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-days',
      '2',
      ...subject,
      ...files,
    ])
    const token = 'marked-'.repeat(5)
    await writeFile(tokens!, `write ${token} ada\n`)

    const secured = await workplace.serve(['--tls-cert', cert!, '--tls-key', key!, '--token-file', tokens!])
    const status = (headers: Record<string, string>) =>
      new Promise((resolve, reject) => {
        const agent = new Agent({rejectUnauthorized: false})
        get(`${secured.url}/v1/helm_charts`, {agent, headers}, (response) => {
          response.resume()
          resolve(response.statusCode)
        }).on('error', reject)
      })
    const statuses = [await status({}), await status({authorization: `Bearer ${token}`})]
    const through = await workplace.kk(
      ['overrides', 'update', 'rabbitmq', 'openstack', '--set', 'a=marked-value'],
      {KK_SERVER: secured.url, KK_TOKEN: token, NODE_EXTRA_CA_CERTS: cert!},
    )
    const {exitCode} = await secured.stop()

    expect(secured.url).toMatch(/^https:/)
    expect(statuses).toEqual([401, 200])
    expect(through).toMatchObject({exitCode: 0})
    expect(exitCode).toBe(0)
    expect(secured.log()).toContain('"url":"/v1/helm_charts"')
    expect(secured.log()).not.toContain('marked')
  })
})
