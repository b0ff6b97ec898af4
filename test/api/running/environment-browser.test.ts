import type {AddressInfo} from 'node:net'
import axe, {type AxeResults} from 'axe-core'
import type {FastifyInstance} from 'fastify'
import {type Browser, chromium, type Page} from 'playwright-core'
import {afterAll, beforeAll, beforeEach, describe, expect, it} from 'vitest'
import type {EnvironmentViews} from '../../../src/api/pages/views.ts'
import {KkError} from '../../../src/base/errors.ts'
import {type TestOverrides, testOverrides} from '../support/overrides.ts'
import {testServer} from '../support/server.ts'
import {ENVIRONMENT_PAGES, RUN, row, testViews} from '../support/views.ts'

const PAGES = [...ENVIRONMENT_PAGES, '/overrides', '/charts/rabbitmq?namespace=openstack', '/docs']

let overrides: TestOverrides
let app: FastifyInstance
let url: string
let browser: Browser
let page: Page
/** What the pages show; a test sets its own. */
let views: Partial<EnvironmentViews>
/** What the browser reports: violations of the policy, and errors of scripts. */
let problems: string[]

const changing = new Proxy(testViews(), {
  get: (all, name: keyof EnvironmentViews) => views[name] ?? all[name],
})

beforeAll(async () => {
  overrides = await testOverrides()
  app = await testServer(overrides, {views: changing})
  await app.listen({host: '127.0.0.1', port: 0})
  url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  browser = await chromium.launch({executablePath: '/usr/bin/chromium', args: ['--no-sandbox']})
})
afterAll(async () => {
  await browser.close()
  await app.close()
  await overrides.remove()
})
beforeEach(async () => {
  views = {}
  problems = []
  page = await browser.newPage()
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
  page.on('pageerror', (error) => problems.push(error.message))
  return () => page.close()
})

/** Opens a page, and waits until all its parts have come. */
const open = async (path: string) => {
  await page.goto(url + path)
  await page.locator('main:not(:has([aria-busy]))').waitFor()
}

describe('the pages about an environment in Chromium', () => {
  it.each(PAGES.flatMap((path) => (['light', 'dark'] as const).map((scheme) => [path, scheme] as const)))(
    '%s in %s is accessible, with enough contrast, and breaks no policy',
    async (path, colorScheme) => {
      await page.emulateMedia({colorScheme})
      await open(path)

      await page.evaluate(axe.source)
      const {violations} = await page.evaluate<AxeResults>('axe.run()')

      const found = violations.flatMap(({id, nodes}) => nodes.map(({html}) => `${id}: ${html}`))
      expect(found).toEqual([])
      expect(problems).toEqual([])
    },
  )

  it('lead from the graph to a release by the keyboard alone, with the focus visible', async () => {
    await open('/')

    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.id')).toBe('graph')
    await page.keyboard.press('Tab')
    const outline = await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')
    expect(outline).toBe('solid')
    await page.keyboard.press('Enter')

    await page.getByRole('heading', {level: 1, name: ' in openstack'}).waitFor()
    await page.getByRole('heading', {name: 'Where each value comes from'}).waitFor()
  })

  it('show a busy state until a slow part comes, and then the part', async () => {
    const {promise, resolve} = Promise.withResolvers<void>()
    const {plan} = await testViews().plan()
    views = {
      plan: async () => {
        await promise
        return {plan, checks: {}}
      },
    }

    await page.goto(`${url}/plan`)
    await page.getByRole('status').getByText('nothing is changed').waitFor()
    expect(await page.locator('[aria-busy=true]').count()).toBe(1)
    resolve()

    await page.getByRole('rowheader', {name: 'old'}).waitFor()
    expect(await page.locator('[aria-busy=true]').count()).toBe(0)
  })

  it('show an error of a part with its code and hint', async () => {
    views = {
      drift: async () => {
        throw new KkError('KK_UNREACHABLE', 'the cluster does not answer', {hint: 'check the VPN'})
      },
    }

    await open('/drift')

    expect(await page.getByRole('alert').textContent()).toBe(
      'KK_UNREACHABLE: the cluster does not answerWhat to do next: check the VPN',
    )
  })

  it('follow a run until it has ended, keep the focus, and ask no longer afterwards', async () => {
    let record = RUN
    views = {run: async () => ({record, events: undefined})}
    await open(`/runs/${RUN.id}`)
    await page.getByRole('link', {name: 'keystone'}).focus()

    record = {...RUN, state: 'failed', outcome: 'failed', endedAt: '2026-11-21T08:31:00Z'}
    await page.getByText('2026-11-21 08:31:00Z').waitFor()

    expect(await page.evaluate('document.activeElement.textContent')).toBe('keystone')
    expect(await page.locator('[hx-trigger]').count()).toBe(0)
  })

  it('show the health of a release as it changes', async () => {
    await open('/')
    expect(await page.getByRole('status').textContent()).toContain('1 of 2')

    const report = {environment: 'cloud', releases: [row('openstack/mariadb')], notes: []}
    views = {status: async () => ({context: 'production', at: new Date(), report})}

    await page.getByText('1 of 1').waitFor()
    expect(problems).toEqual([])
  })

  it('report when the service no longer answers', async () => {
    await open(`/runs/${RUN.id}`)
    await page.route('**/parts/run', (route) => route.abort())

    await page.getByRole('alert').getByText('kk serve does not answer').waitFor()
    await page.unroute('**/parts/run')

    await page.getByRole('alert').waitFor({state: 'hidden'})
  })

  it('show a part without scripts by its link', async () => {
    const context = await browser.newContext({javaScriptEnabled: false})
    const plain = await context.newPage()
    await plain.goto(`${url}/plan`)

    await plain.getByRole('link', {name: 'Show it'}).click()

    await plain.getByRole('rowheader', {name: 'old'}).waitFor()
    expect(await plain.getByRole('heading', {level: 1}).textContent()).toBe('Plan')
    await context.close()
  })
})
