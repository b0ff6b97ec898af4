import {describe, expect, it} from 'vitest'
import {parseTokens} from '../../src/api/tokens.ts'
import {KkError} from '../../src/base/errors.ts'
import {READ, useServer, WRITE} from './support/use-server.ts'
import {ENVIRONMENT_PAGES, HOSTILE, RUN, testViews} from './support/views.ts'

const {app, open} = useServer()

const PARTS = [
  '/parts/status',
  '/plan/parts/plan',
  '/drift/parts/drift',
  '/history/parts/runs',
  `/runs/${RUN.id}/parts/run`,
  '/releases/openstack/keystone/parts/state',
  '/releases/openstack/keystone/parts/values',
  '/releases/openstack/keystone/parts/revisions',
  '/fleet/parts/fleet',
  '/fleet/parts/environments',
]
const fragment = (url: string, headers = {}) =>
  app().inject({url, headers: {'hx-request': 'true', ...headers}})
const unreachable = async () => {
  throw new KkError('KK_UNREACHABLE', `the cluster ${HOSTILE} does not answer`, {hint: 'check the VPN'})
}

describe('the pages about an environment', () => {
  it.each(ENVIRONMENT_PAGES)(
    '%s is shown at once, with a busy part that is fetched afterwards',
    async (url) => {
      let calls = 0
      const count = async () => {
        calls++
        return unreachable()
      }
      await open({views: testViews({status: count, plan: count, drift: count, runs: count, run: count})})

      const {statusCode, body} = await app().inject(url)

      expect(statusCode).toBe(200)
      expect(body).toMatch(
        /hx-get="[^"]*\/parts\/\w+" hx-trigger="load"[^>]* aria-busy="true">\n<p role="status"/,
      )
      expect(body).toMatch(/<noscript><p><a href="[^"]*\/parts\/\w+">/)
      expect(calls).toBe(0)
    },
  )

  it.each(PARTS)('%s escapes all content, and has neither scripts nor styles inline', async (url) => {
    await open({views: testViews()})

    const {statusCode, body} = await fragment(url)
    const whole = await app().inject(url)

    expect(statusCode).toBe(200)
    expect(body).not.toMatch(/<script|<style| style=| on\w+=|javascript:/i)
    expect(body).not.toContain('<!doctype')
    expect(whole.body.replaceAll(/<script src="\/assets\/[^"]+" defer><\/script>/g, '')).not.toContain(
      '<script',
    )
    expect(whole.body).toMatch(/^<!doctype html>[\s\S]*<h1>/)
  })

  it('show the graph with the health that kk status reports, in words', async () => {
    await open({views: testViews()})

    const {body} = await fragment('/parts/status')

    expect(body).toMatch(
      /class="node good"[\s\S]*?href="\/releases\/openstack\/mariadb"[\s\S]*?mariadb<[\s\S]*?healthy</,
    )
    expect(body).toMatch(/class="node change"[\s\S]*?keystone<[\s\S]*?waiting</)
    expect(body).toContain('<strong>1 of 2</strong> releases are deployed and healthy')
    expect(body).toContain('<th scope="row"><a href="/releases/openstack/keystone">keystone</a></th>')
    expect(body).toContain('keystone: Deployment/keystone-api: 0 of 1 replicas &lt;script&gt;')
    expect(body).toMatch(/id="status-refresh" hx-get="\/parts\/status" hx-trigger="every \d+s"/)
  })

  it('show the graph without a cluster, with nothing known of the releases, and the error with its hint', async () => {
    await open({views: testViews({status: unreachable})})

    const {statusCode, body} = await fragment('/parts/status')

    expect(statusCode).toBe(200)
    expect(body.match(/>not known</g)).toHaveLength(2)
    expect(body).not.toContain('healthy</text>')
    expect(body).toMatch(
      /role="alert"[\s\S]*<strong>KK_UNREACHABLE<\/strong>: the cluster &lt;script&gt;[\s\S]*check the VPN/,
    )
  })

  it.each([
    ['/plan/parts/plan', {plan: unreachable}],
    ['/drift/parts/drift', {drift: unreachable}],
    ['/history/parts/runs', {runs: unreachable}],
  ])('show the error of %s with its code and hint, and log only its code', async (url, views) => {
    const lines: string[] = []
    await open({
      views: testViews(views),
      log: {level: 'error', stream: {write: (line: string) => void lines.push(line)}},
    })

    const {statusCode, body} = await fragment(url)

    expect(statusCode).toBe(500)
    expect(body).toMatch(/role="alert"[\s\S]*KK_UNREACHABLE[\s\S]*What to do next<\/strong>: check the VPN/)
    expect(body).not.toContain('<script')
    expect(lines.join('')).toContain('KK_UNREACHABLE')
    expect(lines.join('')).not.toContain('the cluster')
  })

  it('expose nothing of an internal error', async () => {
    await open({
      views: testViews({
        plan: async () => {
          throw new TypeError('password hunter2')
        },
      }),
    })

    const {body} = await fragment('/plan/parts/plan')

    expect(body).toContain('<strong>KK_BUG</strong>')
    expect(body).not.toContain('hunter2')
  })

  it('show a plan whose checks refuse it together with the refusal', async () => {
    const problem = new KkError('KK_VALUES', 'values are refused', {hint: 'correct them'})
    const {plan} = await testViews().plan()
    await open({views: testViews({plan: async () => ({plan, checks: {problem}})})})

    const {body} = await fragment('/plan/parts/plan')

    expect(body).toMatch(/no longer wanted[\s\S]*A deploy would be refused[\s\S]*KK_VALUES/)
  })

  it('read a run again until it has ended', async () => {
    await open({views: testViews()})
    const running = await fragment(`/runs/${RUN.id}/parts/run`)
    await app().close()
    const record = {...RUN, state: 'failed', outcome: 'failed', endedAt: '2026-11-21T08:31:00Z'} as const
    await open({views: testViews({run: async () => ({record, events: undefined})})})
    const ended = await fragment(`/runs/${RUN.id}/parts/run`)

    expect(running.body).toContain('hx-trigger="every 3s"')
    expect(running.body).toContain('not known to have ended')
    expect(ended.body).not.toContain('hx-trigger')
    expect(ended.body).toContain('2026-11-21 08:31:00Z')
  })

  it('show the log of a run in the cluster as kk run follow does', async () => {
    const started = {run: RUN.id, environment: 'cloud', context: 'production'}
    const release = 'openstack/mariadb'
    const actions = [{release, kind: 'install', requires: []}] as const
    const events = [
      {type: 'run-started', at: 1000, ...started, actions},
      {type: 'release-started', at: 3000, release, kind: 'install'},
    ] as const
    await open({views: testViews({run: async () => ({record: RUN, events})})})

    const {body} = await fragment(`/runs/${RUN.id}/parts/run`)

    expect(body).toContain('<span class="quiet">00:02</span> mariadb  installing')
  })

  it('escape the names of releases in the graph', async () => {
    const hostile = 'openstack/<img src=x onerror=alert(1)>"\\' as const
    const graph = {releases: [hostile], requirements: new Map([[hostile, []]])}
    await open({views: testViews({graph: async () => ({environment: 'cloud', graph, protected: new Set()})})})

    const {body} = await fragment('/parts/status')

    expect(body).toContain('&lt;img src=x')
    expect(body).not.toContain('<img')
  })

  it('wait for a part that takes longer than a connection may be idle', async () => {
    const {plan} = await testViews().plan()
    const slow = () => new Promise<void>((resolve) => setTimeout(resolve, 1500))
    const views = testViews({
      plan: async () => {
        await slow()
        return {plan, checks: {}}
      },
    })
    await open({views, limits: {silentTime: 300}})
    const url = await app().listen({host: '127.0.0.1', port: 0})

    const answer = await fetch(`${url}/plan/parts/plan`)

    expect(await answer.text()).toContain('no longer wanted')
  })

  it('without an environment name the flag that is missing', async () => {
    await open({views: undefined})

    for (const url of [...ENVIRONMENT_PAGES, ...PARTS]) {
      const {statusCode, body} = await app().inject(url)
      expect(statusCode, url).toBe(200)
      expect(body, url).toContain('<code>kk serve -e FILE</code>')
    }
    expect((await app().inject('/')).body).toContain('aria-label="ingress in kube-system"')
  })

  it('refuse parts that a page of another site asks for, and allow links to pages', async () => {
    await open({views: testViews({plan: unreachable})})

    const part = await fragment('/plan/parts/plan', {'sec-fetch-site': 'cross-site'})
    const link = await app().inject({url: '/plan', headers: {'sec-fetch-site': 'cross-site'}})

    expect(part.statusCode).toBe(403)
    expect(link.statusCode).toBe(200)
  })

  it.each(['/runs/..%2f', '/runs/%3Cscript%3E', `/runs/${'a'.repeat(200)}`])('reject %s', async (url) => {
    await open({views: testViews()})

    const {statusCode, body} = await app().inject(url)

    expect(statusCode).toBe(400)
    expect(body).not.toContain('<script>')
  })

  it('require a token if there are any, also for their files, and show secrets only to writers', async () => {
    const asked: boolean[] = []
    const values = async (release: `${string}/${string}`, {showSecrets}: {readonly showSecrets: boolean}) => {
      asked.push(showSecrets)
      return {release, keys: [], notes: []}
    }
    await open({tokens: parseTokens(`read ${READ}\nwrite ${WRITE}\n`, 'tokens'), views: testViews({values})})
    const url = '/releases/openstack/keystone/parts/values'
    const as = (token: string) => ({authorization: `Bearer ${token}`})

    for (const each of ['/', '/parts/status', '/assets/htmx.js', '/assets/kk.css'])
      expect((await app().inject(each)).statusCode, each).toBe(401)
    const read = await fragment(url, as(READ))
    const refused = await fragment(`${url}?show_secrets=true`, as(READ))
    const shown = await fragment(`${url}?show_secrets=true`, as(WRITE))

    expect(read.body).toContain('Secrets are masked.')
    expect(read.body).not.toContain('show_secrets=true')
    expect(refused.statusCode).toBe(403)
    expect(shown.statusCode).toBe(200)
    expect(asked).toEqual([false, true])
  })

  it('allow only files and requests of the service itself, and serve these', async () => {
    await open({views: testViews()})

    const {headers, body} = await app().inject('/')
    const files = [...body.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path!)

    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    )
    expect(files).toEqual(['/assets/kk.css', '/assets/htmx.js', '/assets/kk.js'])
    for (const file of files) expect((await app().inject(file)).statusCode, file).toBe(200)
    expect((await app().inject('/assets/htmx.js')).body).toContain('htmx')
  })
})
