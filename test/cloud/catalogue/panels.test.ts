import {beforeAll, describe, expect, it} from 'vitest'
import {servicesUp} from '../support/catalogue.ts'
import {DASHBOARD, loggedIn} from '../support/dashboard.ts'

beforeAll(() => servicesUp(['valkey', 'designate', 'octavia', 'manila', 'ironic']))

describe('horizon: the dashboard with the further services', () => {
  it('has a panel for each of them', async () => {
    const page = await loggedIn()

    for (const panel of ['project/dnszones', 'project/load_balancer', 'project/shares', 'admin/ironic'])
      expect((await page.goto(`${DASHBOARD}/${panel}/`))?.status(), panel).toBe(200)
  })

  it('creates, shows and deletes a share', async () => {
    const page = await loggedIn()
    const share = page.getByRole('row', {name: /\bkk-panel\b/})

    await page.goto(`${DASHBOARD}/project/shares/create/`)
    await page.locator('#id_name').fill('kk-panel')
    await page.locator('#id_share_proto').selectOption('CephFS')
    await page.locator('#id_size').fill('1')
    await page.locator('#id_share_type').selectOption('cephfs')
    await page.locator('form').getByRole('button', {name: 'Create'}).click()
    await share.filter({hasText: 'Available'}).waitFor()

    // The box itself is hidden below what is seen of it.
    await share.locator('.themable-checkbox label').click()
    await page.getByRole('button', {name: 'Delete Shares'}).click()
    await page.locator('.modal-footer').getByText('Delete Shares').click()
    await share.waitFor({state: 'detached'})

    expect(await share.count()).toBe(0)
  })
})
