import {chromium} from 'playwright-core'
import {openWorkplace} from '../../test/api/running/support/serving.ts'

const RABBITMQ = 'rabbitmq?namespace=openstack'
const CHANGE = {
  flag: 'reset',
  values: {set: ['pod.replicas.server=3', 'conf.enabled_plugins=rabbitmq_prometheus']},
}

/** The page of a chart with overrides of the deployer, in Chromium, as PNG. */
export async function pagePicture(): Promise<Buffer> {
  const workplace = await openWorkplace()
  const browser = await chromium.launch({executablePath: '/usr/bin/chromium', args: ['--no-sandbox']})
  try {
    const {url} = await workplace.serve(['--log-level', 'silent'])
    // Not by kk, because the page shows who made a change, and on which machine.
    await fetch(`${url}/v1/helm_charts/${RABBITMQ}`, {
      method: 'PATCH',
      headers: {'content-type': 'application/json'},
      body: JSON.stringify(CHANGE),
    })
    const page = await browser.newPage({viewport: {width: 1000, height: 900}})
    await page.goto(`${url}/charts/${RABBITMQ}`)
    return await page.screenshot()
  } finally {
    await browser.close()
    await workplace.remove()
  }
}
