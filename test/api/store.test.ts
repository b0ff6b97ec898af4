import {beforeEach, describe, expect, it} from 'vitest'
import {parseTokens} from '../../src/api/tokens.ts'
import {READ, useServer, WRITE} from './support/use-server.ts'

/** A place that the plugin of rabbitmq calls secret. */
const PASSWORD = 'endpoints: {oslo_messaging: {auth: {admin: {password: kept-by-kk}}}}'

const {app, overrides, open} = useServer()
beforeEach(() => open({tokens: parseTokens(`read ${READ} ada\nwrite ${WRITE} bob`, 'tokens')}))

const get = (url: string, token = READ) => app().inject({url, headers: {authorization: `Bearer ${token}`}})
const importing = (document: string, more: {token?: string; prune?: boolean; query?: string} = {}) =>
  app().inject({
    method: 'POST',
    url: `/v1/store${more.query ?? ''}`,
    headers: {authorization: `Bearer ${more.token ?? WRITE}`},
    payload: {document, ...(more.prune !== undefined && {prune: more.prune})},
  })
const stored = (values: string) => `version: 1\noverrides: {rabbitmq: {openstack: ${values}}}\n`
const putInClear = (userOverrides: string) =>
  overrides().store.put({
    name: 'rabbitmq',
    namespace: 'openstack',
    who: 'somebody',
    expected: undefined,
    secret: false,
    userOverrides,
  })

describe('the API of the whole store', () => {
  it('allows import with the scope write, and export and history with the scope read', async () => {
    const refused = await importing(stored('{a: 1}'), {token: READ})
    const dry = await importing(stored('{a: 1}'), {query: '?dry_run=true'})
    const done = await importing(stored('{a: 1}'))
    const exported = await get('/v1/store')
    const history = await get('/v1/history?name=rabbitmq&namespace=openstack')

    expect(refused.statusCode).toBe(403)
    const imported = {changed: [{name: 'rabbitmq', namespace: 'openstack', action: 'set'}], secrets: []}
    expect([dry.json(), done.json()]).toEqual([imported, imported])
    expect(exported.json().document).toMatch(/^version: 1\nstore: .*\noverrides:\n {2}rabbitmq:\n/ms)
    expect(history.json().entries).toMatchObject([{who: 'bob', before: null, after: 'a: 1\n'}])
  })

  it('returns its history in pages, each starting after the last entry of the previous one', async () => {
    for (const value of ['1', '2', '3']) await importing(stored(`{a: ${value}}`))
    const page = async (query: string) =>
      (await get(`/v1/history${query}`)).json().entries as {id: number; after: string}[]

    const first = await page('?limit=2')
    const last = await page(`?limit=2&before=${first.at(-1)!.id}`)

    expect(first.map(({after}) => after)).toEqual(['a: 3\n', 'a: 2\n'])
    expect(last.map(({after}) => after)).toEqual(['a: 1\n'])
    expect(await page(`?before=${last[0]!.id}`)).toEqual([])
    expect((await get('/v1/history?limit=0')).statusCode).toBe(400)
  })

  it('responds with 400 to a document that would take long to parse', async () => {
    const document = `version: 1\noverrides: {rabbitmq: {openstack: {a: [${'1,'.repeat(500_001)}]}}}`

    expect((await importing(document)).json().error).toMatchObject({
      code: 'KK_VALUES',
      message: expect.stringContaining('expected at most 500000 lines and commas'),
    })
  })

  it('removes overrides that a document lacks only with prune', async () => {
    await importing(stored('{a: 1}'))

    const kept = await importing('version: 1\n')
    const pruned = await importing('version: 1\n', {prune: true})

    expect(kept.json().changed).toEqual([])
    expect(pruned.json().changed).toEqual([{name: 'rabbitmq', namespace: 'openstack', action: 'delete'}])
  })

  it.each([
    ['/v1/history', 'kept-by-kk'],
    ['/v1/store', 'kept-by-kk'],
  ])('shows secrets at %s to no read-only caller', async (url, secret) => {
    await putInClear(`${PASSWORD}\n`)

    const masked = await get(url)
    const refused = await get(`${url}?show_secrets=true`)
    const shown = await get(`${url}?show_secrets=true`, WRITE)

    expect([masked.body, refused.body].filter((text) => text.includes(secret))).toEqual([])
    expect(refused.statusCode).toBe(403)
    expect(shown.body).toContain(secret)
  })

  it('imports no secret that kk manages, and loses none through an import', async () => {
    const set = await importing(stored(`{${PASSWORD}}`))
    const generated = await importing('version: 1\nsecrets: {openstack: {admin: marked}}\n')
    const sealed = await importing(stored('kk-sealed:v1:0123abcd:AAAA'))
    await putInClear(`${PASSWORD}\n`)
    const pruned = await importing('version: 1\n', {prune: true})

    for (const answer of [set, generated, sealed, pruned]) {
      expect([answer.statusCode, answer.json().error.code]).toEqual([403, 'KK_SECRET'])
      expect(answer.body).not.toMatch(/marked|kept-by-kk/)
    }
  })

  it.each([
    ['a chart that is not active', 'version: 1\noverrides: {nova: {openstack: {a: 1}}}\n', 404],
    ['another version', 'version: 2\n', 400],
    ['invalid YAML', 'a: [', 400],
    ['an empty document', '', 400],
  ])('rejects %s, and changes nothing', async (_, document, status) => {
    const answer = await importing(document)

    expect(answer.statusCode).toBe(status)
    expect((await get('/v1/history')).json().entries).toEqual([])
  })

  it('accepts a document above the size limit of other requests', async () => {
    const values = `{a: ${'x'.repeat(600_000)}}`
    const charts = `{rabbitmq: {openstack: ${values}}, ingress: {openstack: ${values}}}`
    const answer = await importing(`version: 1\noverrides: ${charts}\n`)

    expect(answer.statusCode).toBe(200)
  })

  it.each(['/v1/history?name=rabbitmq', '/v1/history?other=1', '/v1/store?dry_run=true'])(
    'rejects the query of %s',
    async (url) => {
      expect((await get(url)).json().error.code).toBe('KK_USAGE')
    },
  )
})
