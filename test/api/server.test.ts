import {describe, expect, it} from 'vitest'
import {RABBITMQ, useServer} from './support/use-server.ts'

const {app, overrides, open, update} = useServer()

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

  it('gives the combined overrides of a set of charts', async () => {
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

  it('explains which layer a value comes from, and who gave it', async () => {
    await open()
    await update(['pod.replicas.server=2'])
    const [key] = (await app().inject(RABBITMQ.replace('?', '/explain?'))).json().keys

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
    const answer = await app().inject({method: 'PATCH', url, payload})

    expect(answer.json().user_overrides).toBe('a:\n  b: 1\n')
    expect((await app().inject(RABBITMQ)).json().user_overrides).toBe('')
  })

  it('takes all away for a reset that gives nothing, as StarlingX does', async () => {
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
    ['an index that no list has', {set: ['a[99999999999999999999]']}],
    ['YAML that is too deep', {files: ['['.repeat(5000)]}],
    ['aliases that stand for too much', {files: [`a: &a ${'x'.repeat(50_000)}\nb: [${'*a,'.repeat(50)}]`]}],
  ])('answers 400 to %s, and keeps what there is', async (_, values) => {
    await open()
    await update(['a=1'])

    const answer = await app().inject({method: 'PATCH', url: RABBITMQ, payload: {flag: 'reuse', values}})

    expect(answer.statusCode).toBe(400)
    expect(answer.json().error.code).toMatch(/^KK_(VALUES|YAML)$/)
    expect((await app().inject(RABBITMQ)).json().user_overrides).toBe('a: 1\n')
  })

  it('answers 400 to JSON that is thousands of maps deep', async () => {
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

  it.each(['application/json', 'text/plain'])('deletes with the content type %s of no body', async (type) => {
    await open()

    const answer = await app().inject({method: 'DELETE', url: RABBITMQ, headers: {'content-type': type}})

    expect(answer.statusCode).toBe(204)
  })

  it.each([
    '/v1/history?name=a%00b&namespace=openstack',
    '/v1/helm_charts/rabbitmq?namespace=a%00b',
    '/v1/helm_charts/a%00b?namespace=openstack',
  ])('answers 400 to NUL in %s, which no database takes', async (url) => {
    await open()

    expect((await app().inject(url)).statusCode).toBe(400)
  })

  it('names the words that are allowed where another came', async () => {
    await open()
    const answer = await app().inject({method: 'PATCH', url: RABBITMQ, payload: {flag: 'x', values: {}}})

    expect(answer.json().error.message).toMatch(/allowed values: reuse, reset$/)
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
