import {beforeAll, describe, expect, it} from 'vitest'
import {cloudUp} from '../support/cloud.ts'
import {DASHBOARD, loggedIn} from '../support/dashboard.ts'

beforeAll(cloudUp)

describe('horizon: the dashboard', () => {
  it('lets the administrator log in from outside the cluster, and shows the users and the panels of each service', async () => {
    const page = await loggedIn()

    await page.goto(`${DASHBOARD}/identity/users/`)

    // Its tables are filled when the page is there.
    await page.getByRole('row', {name: /\bglance\b/}).waitFor()
    expect(await page.getByRole('row', {name: /\badmin\b/}).isVisible()).toBe(true)

    for (const panel of ['instances', 'volumes', 'backups', 'networks', 'stacks', 'images'])
      expect((await page.goto(`${DASHBOARD}/project/${panel}/`))?.status(), panel).toBe(200)
  })
})
