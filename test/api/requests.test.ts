import {request} from 'node:http'
import {type AddressInfo, connect} from 'node:net'
import {text} from 'node:stream/consumers'
import {describe, expect, it} from 'vitest'
import {KkError} from '../../src/errors.ts'
import {RABBITMQ, useServer} from './support/use-server.ts'

const {app, open} = useServer()

describe('the service', () => {
  it('describes itself in OpenAPI 3.1, for programs and for people', async () => {
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
    expect(page.body).not.toContain('<script')
  })

  it('counts requests for Prometheus by route, not by address', async () => {
    await open()
    await app().inject(RABBITMQ)

    const {body} = await app().inject('/metrics')
    expect(body).toContain(
      'kk_http_request_duration_seconds_count{method="GET",route="/v1/helm_charts/:name",status="200"} 1',
    )
  })

  it('is not ready when what it works with is not', async () => {
    const problem = new KkError('KK_STORE_DATABASE', 'the store at postgres://inner.example is gone')
    await open({ready: () => Promise.reject(problem)})

    const answer = await app().inject('/readyz')
    expect(answer.statusCode).toBe(503)
    expect(answer.json()).toMatchObject({status: 'not ready', error: {code: 'KK_STORE_DATABASE'}})
    expect(answer.body).not.toContain('inner.example')
    expect((await app().inject('/healthz')).statusCode).toBe(200)
  })

  it('outlives requests that Node itself refuses', async () => {
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
    await app().listen({host: '127.0.0.1', port: 0})
    const socket = connect((app().server.address() as AddressInfo).port, '127.0.0.1')
    socket.write(sent)

    const answer = await text(socket)

    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toMatchObject({error: {code}})
  })
})
