import {type Browser, chromium, type Page} from 'playwright-core'
import {afterAll, beforeAll, beforeEach, describe, expect, it} from 'vitest'
import {CREDENTIALS, KK_TOKEN, openWorkplace, type Serving, type Workplace} from './support/serving.ts'

const PLACE = ['rabbitmq', 'openstack']

let workplace: Workplace
let server: Serving
let browser: Browser
let page: Page
beforeAll(async () => {
  workplace = await openWorkplace()
  server = await workplace.serve([], {KK_TOKEN})
  browser = await chromium.launch({executablePath: '/usr/bin/chromium', args: ['--no-sandbox']})
  page = await browser.newPage({httpCredentials: CREDENTIALS})
})
afterAll(async () => {
  await browser.close()
  await workplace.remove()
})
beforeEach(async () => {
  await workplace.kk(['overrides', 'delete', ...PLACE])
  await page.goto(`${server.url}/charts/rabbitmq?namespace=openstack`)
})

const editor = () => page.getByLabel('User overrides, as YAML')
const press = async (name: string) => {
  await page.getByRole('button', {name, exact: true}).focus()
  const loaded = page.waitForEvent('load')
  await page.keyboard.press('Enter')
  await loaded
}
/** Waits, as a page focuses what has `autofocus` only when it is first painted. */
const focused = (selector: string) => page.locator(`${selector}:focus`).waitFor()
const stored = async () =>
  JSON.parse((await workplace.kk(['overrides', 'show', ...PLACE, '--output', 'json'])).stdout).user_overrides

describe('the web pages in Chromium', () => {
  it('allow an override to be previewed and saved with the keyboard alone', async () => {
    await page.goto(`${server.url}/overrides`)
    await page.getByRole('link', {name: 'rabbitmq in openstack'}).focus()
    await page.keyboard.press('Enter')
    await editor().waitFor()
    await editor().focus()
    await page.keyboard.type('pod: {replicas: {server: 5}}')
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Preview')
    await page.keyboard.press('Enter')

    await page.getByRole('heading', {name: 'Preview: nothing is changed yet'}).waitFor()
    await focused('#preview')
    expect(await page.getByText('every release of the chart rabbitmq in openstack').isVisible()).toBe(true)
    expect(await editor().inputValue()).toBe('pod: {replicas: {server: 5}}')

    await press('Save')
    await page.getByRole('status').waitFor()
    expect(await page.getByRole('status').textContent()).toContain('Saved.')
    const row = page.getByRole('row', {name: 'pod.replicas.server'})
    expect(await row.getByRole('cell').last().textContent()).toMatch(/^5 ✓ wins/)
    await page.reload()
    expect(await stored()).toBe('pod:\n  replicas:\n    server: 5\n')
  })

  it('show a conflict next to the submitted text', async () => {
    await editor().fill('# mine\n\n  a: 1')
    await workplace.kk(['overrides', 'update', ...PLACE, '--set', 'theirs=1'])

    await press('Save')

    const alert = page.getByRole('alert')
    expect(await alert.textContent()).toContain('are no longer those')
    await focused('[role=alert]')
    expect(await editor().inputValue()).toBe('# mine\n\n  a: 1')
    expect(await page.getByText('theirs: 1').first().isVisible()).toBe(true)
    await press('Save')
    expect(await stored()).toBe('a: 1\n')
  })

  it('ask for confirmation before a reset', async () => {
    await workplace.kk(['overrides', 'update', ...PLACE, '--set', 'a=1'])
    await page.reload()

    await press('Reset to none…')
    expect(await stored()).toBe('a: 1\n')
    await press('Reset to none')

    expect(await page.getByRole('status').textContent()).toContain('Reset to none.')
    expect(await stored()).toBe('')
  })

  it('label every control and landmark, and load only files of the service', async () => {
    const requested: string[] = []
    page.on('request', (request) => requested.push(request.url()))
    await page.reload()

    const snapshot = await page.locator('body').ariaSnapshot()
    expect(snapshot).toContain('- navigation "kk"')
    expect(snapshot).toContain('- main:')
    expect(snapshot).toContain('- textbox "User overrides, as YAML"')
    expect(snapshot).toContain('- columnheader "System"')
    expect(snapshot).toContain('- rowheader "pod.replicas.server"')
    expect(snapshot).toContain('- heading "rabbitmq in openstack" [level=1]')
    const files = ['kk.css', 'htmx.js', 'kk.js'].map((name) => `${server.url}/assets/${name}`)
    expect(requested.filter((url) => !url.startsWith('data:'))).toEqual([page.url(), ...files])
  })
})
