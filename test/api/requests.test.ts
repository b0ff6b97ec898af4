import {once} from 'node:events'
import {request} from 'node:http'
import {type AddressInfo, connect} from 'node:net'
import {text} from 'node:stream/consumers'
import {describe, expect, it} from 'vitest'
import {KkError} from '../../src/base/errors.ts'
import {RABBITMQ, useServer} from './support/use-server.ts'

const {app, open, overrides} = useServer()

describe('requests to the REST service', () => {
  it('get an OpenAPI 3.1 document, as JSON and as a page', async () => {
    await open()
    const document = (await app().inject('/openapi.json')).json()

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
    const page = await app().inject('/docs')
    expect(page.headers['content-type']).toContain('text/html')
    expect(page.body).toContain('<code>PATCH /v1/helm_charts/{name}</code>')
    expect(page.body).not.toMatch(/<script(?! src="\/assets\/)|<style|style=/)
  })

  it('are counted for Prometheus by route, not by path', async () => {
    await open()
    await app().inject(RABBITMQ)

    const {body} = await app().inject('/metrics')
    expect(body).toContain(
      'kk_http_request_duration_seconds_count{method="GET",route="/v1/helm_charts/:name",status="200"} 1',
    )
  })

  it('get 503 from /readyz if a dependency is not ready', async () => {
    const problem = new KkError('KK_STORE_DATABASE', 'the store at postgres://inner.example is gone')
    await open({ready: () => Promise.reject(problem)})

    const answer = await app().inject('/readyz')
    expect(answer.statusCode).toBe(503)
    expect(answer.json()).toMatchObject({status: 'not ready', error: {code: 'KK_STORE_DATABASE'}})
    expect(answer.body).not.toContain('inner.example')
    expect((await app().inject('/healthz')).statusCode).toBe(200)
  })

  it('that Node itself rejects do not stop the service', async () => {
    await open()
    await app().listen({host: '127.0.0.1', port: 0})
    const {port} = app().server.address() as AddressInfo
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

  it.each<[string, string, number, string]>([
    ['an unknown method', 'FOO / HTTP/1.1\r\nhost: localhost\r\n\r\n', 400, 'KK_USAGE'],
    ['an invalid HTTP request', 'hello\r\n\r\n', 400, 'KK_USAGE'],
    ['oversized headers', `GET / HTTP/1.1\r\nx: ${'x'.repeat(20_000)}`, 431, 'KK_TOO_LARGE'],
    ['incomplete headers', 'GET / HTTP/1.1\r\n', 408, 'KK_TIMEOUT'],
    ['a request without Host', 'GET / HTTP/1.1\r\nconnection: close\r\n\r\n', 400, 'KK_USAGE'],
    [
      'two Host headers',
      'GET / HTTP/1.1\r\nhost: localhost\r\nhost: localhost\r\nconnection: close\r\n\r\n',
      400,
      'KK_USAGE',
    ],
    [
      'the address of another host',
      'GET http://evil.example/v1/helm_charts HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n',
      400,
      'KK_USAGE',
    ],
    ...['evil.example@127.0.0.1', '127.0.0.1#.evil', '127.0.0.1/evil', ''].map(
      (host): [string, string, number, string] => [
        `the host "${host}"`,
        `GET / HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`,
        400,
        'KK_USAGE',
      ],
    ),
    [
      'an unsupported expectation',
      'GET / HTTP/1.1\r\nhost: localhost\r\nexpect: a-miracle\r\nconnection: close\r\n\r\n',
      417,
      'KK_USAGE',
    ],
    [
      'an incomplete body',
      `PATCH ${RABBITMQ} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{`,
      408,
      'KK_TIMEOUT',
    ],
  ])('with %s get the usual error response', async (_, sent, status, code) => {
    // A busy machine must not take longer than that for what is answered otherwise.
    await open(status === 408 ? {limits: {requestTime: 100}} : {})
    await app().listen({host: '127.0.0.1', port: 0})
    const socket = connect((app().server.address() as AddressInfo).port, '127.0.0.1')
    socket.write(sent)

    const answer = await text(socket)

    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toMatchObject({error: {code}})
  })

  it.each([
    ['a content encoding', {'content-encoding': 'gzip', 'content-type': 'application/json'}],
    ['another charset', {'content-type': 'application/json; charset=iso-8859-1'}],
  ])('with a body with %s are rejected', async (_, headers) => {
    await open()
    const payload = JSON.stringify({flag: 'reuse', values: {set: ['a=1']}})

    const answer = await app().inject({method: 'PATCH', url: RABBITMQ, headers, payload})

    expect(answer.statusCode).toBe(415)
    expect(answer.json()).toMatchObject({error: {code: 'KK_USAGE'}})
  })

  it('are aborted if the client does not read the response', async () => {
    await open({limits: {silentTime: 200}})
    await app().listen({host: '127.0.0.1', port: 0})
    const ended = once(app().server, 'connection').then(([socket]) => once(socket, 'close'))
    const client = connect((app().server.address() as AddressInfo).port, '127.0.0.1')
    client.on('error', () => undefined).pause()

    client.write('GET /openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(1000))

    await ended
    client.destroy()
  })

  it('get no location of the store if it cannot be used', async () => {
    const problem = new KkError(
      'KK_STORE_DATABASE',
      'the store postgres://kk@inner.example/kk cannot be used',
    )
    const charts = () => Promise.reject(problem)
    const lines: string[] = []
    await open({
      serviceFor: (who) => ({...overrides().serviceFor(who), charts}),
      log: {level: 'info', stream: {write: (line) => lines.push(line)}},
    })

    const answer = await app().inject('/v1/helm_charts')

    expect(answer.statusCode).toBe(503)
    expect(answer.json()).toMatchObject({error: {code: 'KK_STORE_DATABASE'}})
    expect(answer.body).not.toContain('inner.example')
    expect(lines.join('')).toContain('inner.example')
  })

  it('with an entry number beyond any database are accepted', async () => {
    await open()

    expect((await app().inject('/v1/history?before=999999999999999')).json()).toEqual({entries: []})
  })

  it('with overrides of too many values are rejected before they are processed', async () => {
    await open()
    const text = Array.from({length: 5_001}, (_, index) => `k${index}: 1\n`).join('')
    const payload = {flag: 'reuse', values: {files: [text]}}

    const answer = await app().inject({method: 'PATCH', url: RABBITMQ, payload})

    expect(answer.statusCode).toBe(400)
    expect(answer.json().error.message).toContain('expected at most 5000 values and maps')
  })
})
