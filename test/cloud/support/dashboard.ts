import type {Page} from 'playwright-core'
import {newPage} from './browser.ts'

export const DASHBOARD = 'http://10.213.0.1:30080'

/** A page of the dashboard, from outside the cluster, on which the administrator is logged in. */
export async function loggedIn(): Promise<Page> {
  const page = await newPage()
  await page.goto(DASHBOARD)
  await page.getByLabel('User Name').fill('admin')
  await page.getByLabel('Password', {exact: true}).fill('dev-admin')
  await page.getByRole('button', {name: 'Sign In'}).click()
  await page.waitForURL(/\/(?:project|identity)\//)
  return page
}
