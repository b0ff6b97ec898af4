import {chromium} from 'playwright-core'
import {beforeAll, describe, expect, it, onTestFinished} from 'vitest'
import {cloudUp} from '../support/cloud.ts'

const URL = 'http://10.213.0.1:30080'

beforeAll(cloudUp)

describe('the dashboard, from outside the cluster', () => {
  it('lets the administrator in, and shows the users and the panels of each service', async () => {
    const browser = await chromium.launch({executablePath: '/usr/bin/chromium', args: ['--no-sandbox']})
    onTestFinished(() => browser.close())
    const page = await browser.newPage()

    await page.goto(URL)
    await page.getByLabel('User Name').fill('admin')
    await page.getByLabel('Password', {exact: true}).fill('dev-admin')
    await page.getByRole('button', {name: 'Sign In'}).click()
    await page.waitForURL(/\/(?:project|identity)\//)
    await page.goto(`${URL}/identity/users/`)

    // Its tables are filled when the page is there.
    await page.getByRole('row', {name: /\bglance\b/}).waitFor()
    expect(await page.getByRole('row', {name: /\badmin\b/}).isVisible()).toBe(true)

    for (const panel of ['instances', 'volumes', 'backups', 'networks', 'stacks', 'images'])
      expect((await page.goto(`${URL}/project/${panel}/`))?.status(), panel).toBe(200)
  })
})
