import {chromium, type Page} from 'playwright-core'
import {onTestFinished} from 'vitest'

/** A page of a browser outside the cluster, for the test that asks. */
export async function newPage(...args: readonly string[]): Promise<Page> {
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', ...args],
  })
  onTestFinished(() => browser.close())
  return browser.newPage()
}
