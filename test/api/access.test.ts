import {describe, expect, it} from 'vitest'
import {parseTokens} from '../../src/api/tokens.ts'
import {RABBITMQ, READ, useServer, WRITE} from './support/use-server.ts'

const {app, overrides, open, update} = useServer()

describe('access control of the REST service', () => {
  it('hides the details of internal errors', async () => {
    const charts = () => Promise.reject(new Error('password=marked'))
    const serviceFor = (who: string) => ({...overrides().serviceFor(who), charts})
    const lines: string[] = []
    await open({serviceFor, log: {level: 'info', stream: {write: (line) => lines.push(line)}}})

    const answer = await app().inject('/v1/helm_charts')

    expect(answer.statusCode).toBe(500)
    expect(answer.body + lines.join('')).not.toContain('marked')
  })

  it('responds with 429 above the rate limit', async () => {
    await open({limits: {requestsPerMinute: 2}})
    const codes = []
    for (let count = 0; count < 3; count++) codes.push((await app().inject('/v1/helm_charts')).statusCode)

    expect(codes).toEqual([200, 200, 429])
    expect((await app().inject('/healthz')).statusCode).toBe(200)
  })

  it.each([
    ['wrong tokens', RABBITMQ, 401],
    ['unknown paths', '/v2', 404],
  ])('counts %s against the rate limit, too', async (_, url, status) => {
    const tokens = parseTokens(`write ${WRITE}`, 'tokens')
    await open({limits: {requestsPerMinute: 2}, ...(status === 401 && {tokens})})
    const codes = []
    for (let count = 0; count < 3; count++) codes.push((await app().inject(url)).statusCode)
    const late = await app().inject({url: RABBITMQ, headers: {authorization: `Bearer ${WRITE}`}})

    expect(codes).toEqual([status, status, 429])
    expect(late.statusCode).toBe(429)
  })

  it('logs only the namespace among the parameters', async () => {
    const lines: string[] = []
    await open({log: {level: 'info', stream: {write: (line) => lines.push(line)}}})

    await app().inject(`${RABBITMQ}&pasword=marked`)

    expect(lines.join('')).not.toContain('marked')
    expect(JSON.parse(lines[0]!).req).toMatchObject({
      method: 'GET',
      url: '/v1/helm_charts/rabbitmq',
      namespace: 'openstack',
    })
  })

  it('rejects cross-site requests on loopback', async () => {
    await open()

    const site = (value: string) => update(['a=1'], {'sec-fetch-site': value, host: 'localhost'})
    expect((await site('cross-site')).statusCode).toBe(403)
    expect((await site('same-site')).statusCode).toBe(403)
    expect((await site('same-origin')).statusCode).toBe(200)
    const foreign = await update(['a=1'], {origin: 'https://evil.example', host: 'localhost'})
    expect(foreign.statusCode).toBe(403)
    const rebound = await app().inject({url: '/v1/helm_charts', headers: {host: 'evil.example'}})
    expect(rebound.statusCode).toBe(403)
    expect((await update(['a=1'], {origin: 'http://localhost:80', host: 'localhost:80'})).statusCode).toBe(
      200,
    )
    const secure = await update(['a=1'], {origin: 'https://localhost:80', host: 'localhost:80'})
    expect(secure.statusCode).toBe(403)
  })

  it('shows no secrets on loopback without a token, because every user of the machine can reach it', async () => {
    await open()
    await overrides().store.put({
      ...{name: 'rabbitmq', namespace: 'openstack', who: 'ada', expected: undefined, secret: false},
      userOverrides: 'password: marked\n',
    })

    const shown = await app().inject(RABBITMQ)
    const page = await app().inject(RABBITMQ.replace('/v1/helm_charts', '/charts'))
    const asked = await Promise.all(
      [RABBITMQ, '/v1/history?', '/v1/store?', RABBITMQ.replace('/v1/helm_charts', '/charts')].map((url) =>
        app().inject(`${url}&show_secrets=true`),
      ),
    )

    expect(shown.json().user_overrides).toMatch(/^password: '?\*\*\*'?\n$/)
    expect(page.body).toContain('start kk serve with --token-file or KK_TOKEN')
    expect(asked.map(({statusCode}) => statusCode)).toEqual([403, 403, 403, 403])
    expect([shown, page, ...asked].map(({body}) => body).join('')).not.toContain('marked')
  })

  it.each([
    ['localhost', 200],
    ['LOCALHOST:8080', 200],
    ['127.9.9.9:1', 200],
    ['[::1]:8080', 200],
    ['[::ffff:127.0.0.1]:8080', 200],
    ['[::ffff:10.0.0.1]', 403],
    ['127.0.0.1.evil.example', 403],
    ['localhost@evil.example', 400],
    ['localhost:80:evil.example', 400],
    ['localhost.evil.example:80', 403],
    ['0.0.0.0', 403],
  ])('responds to %s with %d on loopback', async (host, status) => {
    await open()

    const headers = {host, 'x-forwarded-host': 'localhost'}
    expect((await app().inject({url: '/v1/helm_charts', headers})).statusCode).toBe(status)
  })

  describe('access with tokens', () => {
    const tokens = parseTokens(`# who\nread ${READ} monitoring\nwrite ${WRITE} ada\n`, 'tokens')
    const as = (token: string) => ({authorization: `Bearer ${token}`})

    it('requires a token for everything except health checks', async () => {
      await open({tokens})

      const without = await app().inject('/v1/helm_charts')
      expect(without.statusCode).toBe(401)
      // A header each: Chromium takes several schemes in one for a scheme that it does not know.
      expect(without.headers['www-authenticate']).toEqual(['Basic realm="kk"', 'Bearer'])
      expect((await app().inject({url: '/v1/helm_charts', headers: as('x'.repeat(32))})).statusCode).toBe(401)
      expect((await app().inject({url: '/metrics'})).statusCode).toBe(401)
      expect((await app().inject({url: '/healthz'})).statusCode).toBe(200)
    })

    it('lets a read-only token neither write nor read secrets', async () => {
      await open({tokens})

      expect((await app().inject({url: RABBITMQ, headers: as(READ)})).statusCode).toBe(200)
      expect((await app().inject({url: `${RABBITMQ}&show_secrets=true`, headers: as(READ)})).statusCode).toBe(
        403,
      )
      expect((await update(['a=1'], as(READ))).statusCode).toBe(403)
      expect((await update(['a=1'], as(WRITE))).statusCode).toBe(200)
      expect((await overrides().store.audit()).map(({who}) => who)).toEqual(['ada'])
    })

    it('accepts the token as the password of Basic authentication', async () => {
      await open({tokens})
      const basic = `Basic ${Buffer.from(`me:${READ}`).toString('base64')}`

      expect((await app().inject({url: RABBITMQ, headers: {authorization: basic}})).statusCode).toBe(200)
    })
  })
})
