import {join} from 'node:path'
import type {Page} from 'playwright-core'
import {beforeAll, expect, it} from 'vitest'
import type {Instance} from '../../../scripts/cloud/instance.ts'
import {waitFor} from '../../e2e/support/cluster.ts'
import {newPage} from '../support/browser.ts'
import {openstack} from '../support/client.ts'
import {cloudUp} from '../support/cloud.ts'
import {ROOT} from '../support/images.ts'
import {inMachine, machine} from '../support/machines.ts'

/** Where the last screenshot is. */
const SCREENSHOT = join(ROOT, 'dist/console.png')

let first: Instance
beforeAll(async () => {
  await cloudUp()
  first = await machine()
})

/** Waits until the screen of the machine, as its kernel has it, says something. */
async function shows(text: string): Promise<void> {
  const screen = () => inMachine(first, 'fold -w 80 /dev/vcs1')
  await waitFor(async () => (await screen()).includes(text), {until: `the screen says ${text}`, seconds: 40})
}

/** Types as slowly as a person does: a keyboard of QEMU's remembers 16 events, and the guest may be busy. */
function type(page: Page, text: string): Promise<void> {
  return page.keyboard.type(text, {delay: 200})
}

/** Logs in, and has the shell compute something. */
async function useShell(page: Page): Promise<void> {
  // The screen is cleared; a user who is logged in no longer is, and a login is asked for once more.
  await inMachine(
    first,
    "printf '\\033c' >/dev/tty1; kill -9 $(ls -l /proc/[0-9]*/fd/0 | sed -n 's,.*/proc/\\([0-9]*\\)/fd/0 -> /dev/tty1$,\\1,p')",
  )
  await shows('login:')
  await type(page, 'root\n')
  await shows('Password:')
  await type(page, 'guest\n')
  await shows('~ # ')
  await type(page, 'expr 123456 / 8\n')
  await shows('15432')
}

/** How often a user types it: on a busy machine a key is lost now and then. */
const ATTEMPTS = 4

it('the console of a virtual machine is a web page with display and keyboard input', async () => {
  const {url} = await openstack<{readonly url: string}>('console url show --novnc first')
  const page = await newPage()

  await page.goto(url)
  await page.getByText(/^Connected/).waitFor()
  await page.locator('canvas').click()
  for (let attempt = 1; ; attempt++) {
    try {
      await useShell(page)
      break
    } catch (error) {
      if (attempt === ATTEMPTS) throw error
    }
  }

  await page.screenshot({path: SCREENSHOT})
  const colours = await page.evaluate<number>(`(() => {
    const {width, height} = document.querySelector('canvas')
    const {data} = document.querySelector('canvas').getContext('2d').getImageData(0, 0, width, height)
    return new Set(new Uint32Array(data.buffer)).size
  })()`)
  expect(colours).toBeGreaterThan(1)
  await type(page, 'exit\n')
})
