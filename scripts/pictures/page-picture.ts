import {mkdtemp, rm} from 'node:fs/promises'
import type {AddressInfo} from 'node:net'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {chromium} from 'playwright-core'
import type {SeenStatus} from '../../src/api/pages/views.ts'
import {singleToken} from '../../src/api/tokens.ts'
import {dependents} from '../../src/graph/dependents.ts'
import {builtInPlugins} from '../../src/overrides/system/plugins.ts'
import {openStore} from '../../src/overrides/user/open.ts'
import type {ReleaseId} from '../../src/release.ts'
import {localOverrides} from '../../src/verbs/overrides/local-overrides.ts'
import {factsBase} from '../../src/verbs/overrides/override-base.ts'
import {testServer} from '../../test/api/support/server.ts'
import {row, testViews} from '../../test/api/support/views.ts'
import {SIX} from '../../test/report/support/graphs.ts'

const TOKEN = 'token-of-the-pictures'
const RABBITMQ = 'rabbitmq?namespace=openstack'
const CHANGE = {
  flag: 'reset',
  values: {set: ['pod.replicas.server=3', 'conf.enabled_plugins=rabbitmq_prometheus'], files: []},
}

/** The six services while the last of them starts. */
const STATUS: SeenStatus = {
  context: 'production',
  at: new Date('2026-11-21T08:30:05Z'),
  report: {
    environment: SIX.environment,
    releases: SIX.graph.releases.map(statusOf),
    notes: [],
  },
}

function statusOf(release: ReleaseId) {
  const requires = (SIX.graph.requirements.get(release) ?? []).map(({to}) => to.split('/')[1]!)
  const users = dependents(SIX.graph, [release]).map((each) => ({
    release: each,
    environment: SIX.environment,
  }))
  const common = {owner: SIX.environment, requires, dependents: users}
  if (!release.endsWith('/keystone')) return row(release, common)
  const blames = [
    {
      object: 'Deployment/keystone-api',
      message: '2 of 3 replicas are available',
      pod: 'keystone-api-7c9d8-x2kqp',
      container: 'keystone-api',
      reason: 'ImagePullBackOff',
    },
  ]
  return row(release, {...common, revision: 2, health: {state: 'waiting', blames}})
}

/** Pages in Chromium, as PNG, by the names of their files: the overview in light and dark, and a chart. */
export async function pagePictures(): Promise<ReadonlyMap<string, Buffer>> {
  const directory = await mkdtemp(join(tmpdir(), 'kk-pictures-'))
  const store = await openStore({location: join(directory, 'store.sqlite'), env: {}})
  const base = factsBase({
    facts: {controllers: 1, charts: {rabbitmq: ['openstack']}},
    plugins: builtInPlugins(),
  })
  const serviceFor = localOverrides({base, store, allowSecrets: false})
  const views = testViews({graph: async () => SIX, status: async () => STATUS})
  const named = {...views, name: SIX.environment, file: 'environments/all-in-one.yaml'}
  const app = await testServer({serviceFor}, {views: named, tokens: singleToken(TOKEN, 'pictures')})
  const browser = await chromium.launch({executablePath: '/usr/bin/chromium', args: ['--no-sandbox']})
  try {
    await app.listen({host: '127.0.0.1', port: 0})
    const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
    await fetch(`${url}/v1/helm_charts/${RABBITMQ}`, {
      method: 'PATCH',
      headers: {'content-type': 'application/json', authorization: `Bearer ${TOKEN}`},
      body: JSON.stringify(CHANGE),
    })
    const shot = async (path: string, colorScheme: 'light' | 'dark') => {
      const page = await browser.newPage({
        viewport: {width: 1100, height: 950},
        colorScheme,
        httpCredentials: {username: 'ada', password: TOKEN},
      })
      await page.goto(url + path)
      await page.locator('main:not(:has([aria-busy]))').waitFor()
      return page.screenshot()
    }
    return new Map([
      ['page-light.png', await shot('/', 'light')],
      ['page-dark.png', await shot('/', 'dark')],
      ['page.png', await shot(`/charts/${RABBITMQ}`, 'light')],
    ])
  } finally {
    await browser.close()
    await app.close()
    await store.close()
    await rm(directory, {recursive: true})
  }
}
