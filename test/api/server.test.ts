import {describe, expect, it} from 'vitest'
import {RABBITMQ, useServer} from './support/use-server.ts'

const {app, overrides, open, update} = useServer()

describe('the REST API of overrides', () => {
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

    const none = await app().inject(RABBITMQ)
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
    expect((await app().inject(RABBITMQ)).json().combined_overrides).toBe('pod:\n  replicas: 2\n')
    const gone = [
      await app().inject({method: 'DELETE', url: RABBITMQ}),
      await app().inject({method: 'DELETE', url: RABBITMQ}),
    ]
    expect(gone.map(({statusCode, body}) => ({statusCode, body}))).toEqual([
      {statusCode: 204, body: ''},
      {statusCode: 204, body: ''},
    ])
    expect((await app().inject(RABBITMQ)).json().user_overrides).toBe('')
  })

  it('returns the combined overrides of several charts', async () => {
    await open()

    expect(
      (await app().inject('/v1/helm_charts?combined=true&name=rabbitmq&name=ingress')).json().charts,
    ).toEqual([
      {
        name: 'ingress',
        namespace: 'kube-system',
        combined_overrides: expect.stringContaining('domain: cloud.example.org'),
      },
      {
        name: 'ingress',
        namespace: 'openstack',
        combined_overrides: expect.stringContaining('domain: cloud.example.org'),
      },
      {name: 'rabbitmq', namespace: 'openstack', combined_overrides: 'pod:\n  replicas:\n    server: 1\n'},
    ])
    expect((await app().inject('/v1/helm_charts?combined=true&name=rabbit')).statusCode).toBe(404)
  })

  it('explains which layer a value comes from, and its source', async () => {
    await open()
    await update(['pod.replicas.server=2'])
    const [key] = (await app().inject(RABBITMQ.replace('?', '/explain?'))).json().keys

    expect(key).toMatchObject({
      key: 'pod.replicas.server',
      value: 2,
      winner: {
        layer: 'user',
        source: expect.stringMatching(
          /^user overrides of \S+ in \S+, by unauthenticated user on the host of kk serve at \d{4}-/,
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

  it('previews an update without changing anything', async () => {
    await open()
    const url = `${RABBITMQ}&dry_run=true`
    const payload = {flag: 'reset', values: {files: ['a: {b: 1}']}}
    const answer = await app().inject({method: 'PATCH', url, payload})

    expect(answer.json().user_overrides).toBe('a:\n  b: 1\n')
    expect((await app().inject(RABBITMQ)).json().user_overrides).toBe('')
  })

  it('removes all overrides for a reset without values, as StarlingX does', async () => {
    await open()
    await update(['a=1'])
    const payload = {flag: 'reset', values: {files: [], set: []}}
    const answer = await app().inject({method: 'PATCH', url: RABBITMQ, payload})

    expect(answer.statusCode).toBe(200)
    expect(answer.json().user_overrides).toBe('')
  })

  it.each([
    ['lists that would be too long', {set: Array.from({length: 200}, (_, list) => `a${list}[65536]=1`)}],
    ['thousands of brackets', {set: [`a${'[0]'.repeat(5000)}=1`]}],
    ['an out-of-range index', {set: ['a[99999999999999999999]']}],
    ['deeply nested YAML', {files: ['['.repeat(5000)]}],
    ['an alias bomb', {files: [`a: &a ${'x'.repeat(50_000)}\nb: [${'*a,'.repeat(50)}]`]}],
  ])('responds to %s with 400, and keeps the stored overrides', async (_, values) => {
    await open()
    await update(['a=1'])

    const answer = await app().inject({method: 'PATCH', url: RABBITMQ, payload: {flag: 'reuse', values}})

    expect(answer.statusCode).toBe(400)
    expect(answer.json().error.code).toMatch(/^KK_(VALUES|YAML)$/)
    expect((await app().inject(RABBITMQ)).json().user_overrides).toBe('a: 1\n')
  })

  it('responds with 400 to JSON with thousands of nested maps', async () => {
    await open()
    const payload = `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`

    const answer = await app().inject({
      method: 'PATCH',
      url: RABBITMQ,
      headers: {'content-type': 'application/json'},
      payload,
    })

    expect(answer.statusCode).toBe(400)
  })

  it.each(['application/json', 'text/plain'])(
    'deletes with the content type %s and no body',
    async (type) => {
      await open()

      const answer = await app().inject({method: 'DELETE', url: RABBITMQ, headers: {'content-type': type}})

      expect(answer.statusCode).toBe(204)
    },
  )

  it.each([
    '/v1/history?name=a%00b&namespace=openstack',
    '/v1/helm_charts/rabbitmq?namespace=a%00b',
    '/v1/helm_charts/a%00b?namespace=openstack',
  ])('responds with 400 to NUL in %s, which databases reject', async (url) => {
    await open()

    expect((await app().inject(url)).statusCode).toBe(400)
  })

  it('lists the allowed values after a wrong one', async () => {
    await open()
    const answer = await app().inject({method: 'PATCH', url: RABBITMQ, payload: {flag: 'x', values: {}}})

    expect(answer.json().error.message).toMatch(/allowed values: reuse, reset$/)
  })

  it('rejects secrets that a plugin manages', async () => {
    await open()
    const answer = await update(['global.endpoints.oslo_messaging.auth.admin.password=marked'])

    expect({status: answer.statusCode, code: answer.json().error?.code}).toEqual({
      status: 403,
      code: 'KK_SECRET',
    })
    expect(answer.body).not.toContain('marked')
  })

  it('rejects the removal of a secret override, as it rejects setting one', async () => {
    await open()
    await overrides().store.put({
      name: 'rabbitmq',
      namespace: 'openstack',
      who: 'ada',
      expected: undefined,
      secret: false,
      userOverrides: 'endpoints: {oslo_messaging: {auth: {admin: {password: kept}}}}\n',
    })

    const refused = [
      await app().inject({method: 'DELETE', url: RABBITMQ}),
      await app().inject({method: 'PATCH', url: RABBITMQ, payload: {flag: 'reset', values: {}}}),
    ]

    expect(refused.map((each) => [each.statusCode, each.json().error.code])).toEqual([
      [403, 'KK_SECRET'],
      [403, 'KK_SECRET'],
    ])
  })

  it('responds with 503 and advice if a secret should be stored without a key', async () => {
    await open()
    const answer = await update(['conf.admin_password=marked'])

    expect(answer.statusCode).toBe(503)
    expect(answer.json().error).toMatchObject({
      code: 'KK_STORE_KEY',
      hint: expect.stringContaining('openssl rand -base64 32'),
    })
  })

  it('accepts If-Match: * for existing overrides only', async () => {
    await open()

    expect((await update(['a=1'], {'if-match': '*'})).statusCode).toBe(409)
    expect((await update(['a=1'], {'if-match': '""'})).statusCode).toBe(200)
    expect((await update(['a=2'], {'if-match': '*'})).statusCode).toBe(200)
  })

  it('accepts a list of etags in If-Match if one matches', async () => {
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
  ] as const)('responds to %s of %s with the allowed methods', async (method, url, allow) => {
    const answer = await (await open()).inject({method, url, payload: 'x'})

    expect([answer.statusCode, answer.headers.allow, answer.json().error.code]).toEqual([
      405,
      allow,
      'KK_METHOD',
    ])
  })

  it('responds with 409 to a change based on other overrides', async () => {
    await open()
    await update(['z=1'])
    const {etag} = (await app().inject(RABBITMQ)).headers

    expect((await update(['a=1'], {'if-match': etag})).statusCode).toBe(200)
    const second = await update(['b=1'], {'if-match': etag})
    expect(second.statusCode).toBe(409)
    expect(second.json().error.code).toBe('KK_STORE_CONFLICT')
    expect(
      (await app().inject({method: 'DELETE', url: RABBITMQ, headers: {'if-match': etag}})).statusCode,
    ).toBe(409)
  })

  it.each([
    ['an unknown chart', {url: '/v1/helm_charts/rabbit?namespace=openstack'}, 404, 'KK_UNKNOWN_CHART'],
    ['no namespace', {url: '/v1/helm_charts/rabbitmq'}, 400, 'KK_USAGE'],
    ['an unknown path', {url: '/v2'}, 404, 'KK_NOT_FOUND'],
    [
      'a missing brace',
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
    ['invalid YAML', {payload: '{"flag": "reset", "values": {"files": ["a: ["]}}'}, 400, 'KK_YAML'],
    ['invalid UTF-8', {payload: Buffer.from([0x22, 0xff, 0x22])}, 400, 'KK_USAGE'],
    ['too much', {payload: `"${'x'.repeat(2 ** 20)}"`}, 413, 'KK_TOO_LARGE'],
    [
      'a form',
      {payload: 'a=1', headers: {'content-type': 'application/x-www-form-urlencoded'}},
      415,
      'KK_USAGE',
    ],
  ] as const)('rejects %s with an error code', async (_, sent, status, code) => {
    await open()
    const payload = 'payload' in sent ? ({method: 'PATCH', payload: sent.payload} as const) : {}
    const answer = await app().inject({
      url: RABBITMQ,
      ...sent,
      ...payload,
      headers: {'content-type': 'application/json', ...('headers' in sent && sent.headers)},
    })

    expect({status: answer.statusCode, code: answer.json().error?.code}).toEqual({status, code})
    expect(answer.body).not.toMatch(/\n +at |node_modules/)
    expect((await app().inject(RABBITMQ)).json().user_overrides).toBe('')
  })
})
