import {beforeEach, describe, expect, it} from 'vitest'
import type {ServerOptions} from '../../src/api/open-server.ts'
import {parseTokens} from '../../src/api/tokens.ts'
import {READ, useServer, WRITE} from './support/use-server.ts'

const RABBITMQ = '/charts/rabbitmq?namespace=openstack'
const SECRET = 'mysecret'

const {app, overrides, ...server} = useServer()
const tokens = parseTokens(`read ${READ}\nwrite ${WRITE} ada\n`, 'tokens')
const as = (token: string) => ({authorization: `Basic ${Buffer.from(`:${token}`).toString('base64')}`})

/** Pages change overrides only with tokens. */
const open = (options: Partial<ServerOptions> = {}) =>
  server.open({tokens, serviceFor: (who) => overrides().serviceFor(who), ...options})
const get = (url: string) => app().inject({url, headers: as(WRITE)})
const post = (fields: Record<string, string>, {url = RABBITMQ, headers = {}} = {}) =>
  app().inject({
    method: 'POST',
    url,
    headers: {'content-type': 'application/x-www-form-urlencoded', ...as(WRITE), ...headers},
    payload: new URLSearchParams(fields).toString(),
  })
const stored = async () => (await overrides().store.get('rabbitmq', 'openstack'))?.userOverrides ?? ''
const store = async (text: string) => {
  const update = {flag: 'reset', values: {files: [{source: 'a', text}], set: [], setString: []}} as const
  return (await overrides().serviceFor('ada').update('rabbitmq', 'openstack', update)).etag!
}

describe('the web pages', () => {
  it('list the charts, with a link for each namespace', async () => {
    await open()

    const {body, headers} = await get('/overrides')

    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    expect(body).toContain(
      '<a href="/charts/ingress?namespace=kube-system" aria-label="ingress in kube-system">',
    )
  })

  it('show the layers of a chart as columns, with the winner marked by words', async () => {
    await open()
    await store('pod: {replicas: {server: 2}}')

    const {body} = await get(RABBITMQ)

    const row = /<tr><th scope="row"><code>pod.replicas.server<\/code>.*?<\/tr>/s.exec(body)![0]
    expect(body).toContain('<th scope="col">System</th><th scope="col">User</th>')
    expect(row).toMatch(
      /<td><div><code>1<\/code><br>.*<td class="won"><div><code>2<\/code> <strong>✓ wins<\/strong>/s,
    )
  })

  it('preview a change with the affected releases, and change nothing', async () => {
    await open()
    const etag = await store('a: 1')

    const {statusCode, body} = await post({action: 'preview', overrides: 'a: 2\n# mine', etag})

    expect(statusCode).toBe(200)
    expect(body).toContain('<h3>User overrides now</h3><pre>a: 1\n</pre>')
    expect(body).toContain('<h3>Afterwards</h3><pre>a: 2\n</pre>')
    expect(body).toContain('<code>rabbit-1</code> in openstack')
    expect(body).toContain('>\na: 2\n# mine</textarea>')
    expect(await stored()).toBe('a: 1\n')
  })

  it('save the submitted text, and redirect to a page that confirms it', async () => {
    await open()

    const {statusCode, headers} = await post({action: 'save', overrides: 'a: "é+&%"\r\n', etag: ''})

    expect(statusCode).toBe(303)
    expect((await get(headers.location!)).body).toMatch(/role="status"[^>]*>Saved\./)
    expect(await stored()).toBe('a: "\\xE9+&%"\n')
  })

  it('ask for confirmation before removing all overrides', async () => {
    await open()
    const etag = await store('a: 1')

    const asked = await post({action: 'ask-reset'})
    expect(asked.body).toContain(`<input type="hidden" name="etag" value="${etag}">`)
    expect(await stored()).toBe('a: 1\n')

    const {statusCode} = await post({action: 'reset', etag})
    expect(statusCode).toBe(303)
    expect(await stored()).toBe('')
  })

  it('remove all overrides if the submitted text is empty', async () => {
    await open()
    const etag = await store('a: 1')

    expect((await post({action: 'save', overrides: '\r\n', etag})).statusCode).toBe(303)
    expect(await stored()).toBe('')
  })

  it.each([
    ['others', 'a: 1'],
    ['none', ''],
  ])(
    'show a conflict, keep the submitted text, and allow saving it again: made from %s',
    async (_, before) => {
      await open()
      const etag = before === '' ? '' : await store(before)
      const later = await store('theirs: 1')

      for (const action of ['preview', 'save']) {
        const {statusCode, body} = await post({action, overrides: 'mine: 1', etag})
        expect(statusCode).toBe(409)
        expect(body).toContain('role="alert"')
        expect(body).toContain('>\nmine: 1</textarea>')
        expect(body).toContain('<pre>theirs: 1\n</pre>')
        expect(body).toContain(`name="etag" value="${later}"`)
      }
      expect(await stored()).toBe('theirs: 1\n')
      expect((await post({action: 'save', overrides: 'mine: 1', etag: later})).statusCode).toBe(303)
    },
  )

  it.each([
    ['no YAML', 'a: ['],
    ['a key of JavaScript', '__proto__: {a: 1}'],
    ['only a comment', '# a: 1'],
    ['a secret that kk manages', 'global: {endpoints: {oslo_messaging: {auth: {admin: {password: x}}}}}'],
  ])('reject %s and keep it in the form', async (_, text) => {
    await open()

    const {statusCode, body} = await post({action: 'save', overrides: text, etag: ''})

    expect([400, 403]).toContain(statusCode)
    expect(body).toContain(`>\n${text}</textarea>`)
    expect(body).toContain('aria-invalid="true" aria-errormessage="problem"')
    expect(await stored()).toBe('')
  })

  it('escape all content of overrides', async () => {
    await open()
    const text = 'a: "</textarea><script>alert(1)</script>"'
    await store(text)

    const shown = await get(RABBITMQ)
    const typed = await post({action: 'preview', overrides: '</textarea><script>', etag: ''})

    expect(shown.body + typed.body).not.toMatch(/<script>|<script(?! src="\/assets\/)/)
    expect(typed.body).toContain('&lt;/textarea&gt;&lt;script&gt;')
  })

  it('report errors as pages', async () => {
    await open()

    const unknown = await get('/charts/rabbit?namespace=openstack')
    const without = await get('/charts/rabbitmq')

    expect(unknown.statusCode).toBe(404)
    expect(unknown.body).toMatch(/role="alert".*rabbitmq/s)
    expect(without.statusCode).toBe(400)
    expect(without.headers['content-type']).toContain('text/html')
  })

  it('accept only form bodies', async () => {
    await open()
    const sent = (type: string, payload: string | Buffer) =>
      app().inject({method: 'POST', url: RABBITMQ, headers: {'content-type': type, ...as(WRITE)}, payload})
    const form = 'application/x-www-form-urlencoded'

    expect((await sent('application/json', '{"action": "save"}')).statusCode).toBe(415)
    expect((await sent('text/plain', 'action=save')).statusCode).toBe(415)
    for (const payload of ['action=save&overrides=%ff&etag=', 'action=save&action=save', 'action=x', ''])
      expect((await sent(form, payload)).statusCode, payload).toBe(400)
    expect((await sent(form, `overrides=${'x'.repeat(2 ** 20)}`)).statusCode).toBe(413)
    expect(await stored()).toBe('')
  })

  it('reject posts from pages of other sites', async () => {
    await open()

    for (const origin of ['https://evil.example', 'null', 'http://localhost:1']) {
      const headers = {origin, host: 'localhost'}
      const {statusCode} = await post({action: 'save', overrides: 'a: 1', etag: ''}, {headers})
      expect(statusCode, origin).toBe(403)
    }
    expect(await stored()).toBe('')
  })

  it('are read-only without tokens: no form, and a post is refused with the flag that is missing', async () => {
    await open({tokens: undefined})

    const {body} = await app().inject(RABBITMQ)
    const refused = await post({action: 'save', overrides: 'a: 1', etag: ''})

    expect(body).not.toContain('<form')
    expect(body).toContain('start kk serve with --token-file or KK_TOKEN')
    expect(refused.statusCode).toBe(403)
    expect(refused.body).toMatch(/Nothing was changed.*--token-file or KK_TOKEN/s)
    expect(await stored()).toBe('')
  })

  describe('the web pages of a chart with secrets', () => {
    beforeEach(async () => {
      await open()
      await overrides().store.put({
        ...{name: 'rabbitmq', namespace: 'openstack', who: 'ada', expected: undefined, secret: false},
        userOverrides: `password: ${SECRET}\n`,
      })
    })

    it('mask secrets, and have no form in which the mask could be saved', async () => {
      const {body} = await app().inject({url: RABBITMQ, headers: as(WRITE)})

      expect(body).toContain('***')
      expect(body).not.toContain(SECRET)
      expect(body).not.toContain('<textarea')
      expect(body).toContain('href="/charts/rabbitmq?namespace=openstack&amp;show_secrets=true"')
    })

    it('show secrets in the form to callers with the scope write', async () => {
      const url = `${RABBITMQ}&show_secrets=true`
      const {body} = await app().inject({url, headers: as(WRITE)})

      expect(body).toContain(`>\npassword: ${SECRET}\n</textarea>`)
      expect(body).toContain('action="/charts/rabbitmq?namespace=openstack&amp;show_secrets=true"')
    })

    it.each([
      'show_secrets=true',
      'show%5Fsecrets=true',
      'show_secrets=tru%65',
      'show_secrets=true&show_secrets=true',
      'show_secrets=false&show_secrets=true',
      'show_secrets[]=true',
      'show_secrets=TRUE',
      'show_secrets=1',
    ])('never show secrets to read-only callers: %s', async (query) => {
      for (const address of [RABBITMQ, RABBITMQ.replace('/charts', '/v1/helm_charts')]) {
        const {statusCode, body} = await app().inject({url: `${address}&${query}`, headers: as(READ)})
        expect([400, 403]).toContain(statusCode)
        expect(body).not.toContain(SECRET)
      }
    })

    it('have no form for read-only callers, and reject posts from them', async () => {
      const {body} = await app().inject({url: RABBITMQ, headers: as(READ)})
      const {statusCode} = await post({action: 'save', overrides: 'a: 1', etag: ''}, {headers: as(READ)})

      expect(body).toContain('Your token is read-only')
      expect(body).not.toMatch(/<form|show_secrets|mysecret/)
      expect(statusCode).toBe(403)
    })

    it('let all secrets be reset without being displayed', async () => {
      const asked = await post({action: 'ask-reset'}, {headers: as(WRITE)})
      const etag = /name="etag" value="([^"]+)"/.exec(asked.body)![1]!

      expect(asked.body).not.toContain(SECRET)
      expect((await post({action: 'reset', etag}, {headers: as(WRITE)})).statusCode).toBe(303)
    })
  })
})
