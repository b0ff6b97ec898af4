import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import {load} from 'js-yaml'
import {expect, it} from 'vitest'
import {mergeValues} from '../../src/base/merge.ts'
import type {Values} from '../../src/base/values.ts'
import {GIVEN, useCharts} from '../own-charts/support/charts.ts'
import {find, type KubernetesObject, pods, workloads} from '../own-charts/support/objects.ts'
import {dexBinary} from '../support/dex.ts'
import {CONFIG, containerOf} from './support/container.ts'
import {releasesOf} from './support/images.ts'
import {API, environmentOf, KEYSTONE} from './support/keystone.ts'
import {startOf} from './support/start-of.ts'

const charts = await useCharts()

const PEOPLE = readFileSync(join(import.meta.dirname, 'support/oidc.py'), 'utf8')
const PAGE = readFileSync(join(import.meta.dirname, '../../docs/oidc.md'), 'utf8')
const [, block = ''] = /```yaml\n(global:\n.*?)```/s.exec(PAGE) ?? []
const ISSUER = 'http://127.0.0.1:5556/dex'
const LOCAL = {hosts: {default: '127.0.0.1'}, host_fqdn_override: {default: '127.0.0.1'}}
/** As on the page, but for addresses; and dex, whose people have no groups, says their names. */
const {federation} = (
  load(block.replace('OIDC-groups', 'OIDC-name').replace('researchers', 'Ada')) as {global: Values}
).global
const GLOBAL = mergeValues(GIVEN, {
  federation: mergeValues(federation as Values, {
    oidc: {
      issuer: ISSUER,
      scope: 'openid email profile',
      dashboards: ['http://dashboard.example.org/auth/websso/'],
    },
  }),
  endpoints: {identity: LOCAL, oslo_cache: LOCAL},
})

/** As the page says for dex, whose introspection has no claims of people. */
const APACHE = {OIDCOAuthServerMetadataURL: null, OIDCOAuthVerifyJwksUri: `${ISSUER}/keys`}

const DEX = {
  issuer: ISSUER,
  address: '127.0.0.1:5556',
  clients: ['keystone', 'other'].map((id) => ({
    ...{id, secret: `of-${id}`, name: id},
    redirectURIs: ['http://127.0.0.1:5000/v3/auth/OS-FEDERATION/redirect_uri'],
  })),
  people: [{email: 'ada@example.org', name: 'Ada', password: 'of-ada'}],
}

const SERVERS = `
memcached -u memcache -l 127.0.0.1 &
${CONFIG}/dex ${CONFIG}/dex.json 2>/tmp/dex.log &
`

/** The variables of the Job that registers the provider, but for the password, and its script. */
function jobOf(objects: readonly KubernetesObject[]) {
  const job = objects.find(({kind, metadata}) => kind === 'Job' && metadata.name.includes('-federation-'))!
  const {env = []} = pods([job])[0]!.spec.containers[0]!
  const known = env.flatMap(({name, value}) => (value === undefined ? [] : [[name, value] as const]))
  const script = find(objects, 'ConfigMap', 'keystone-bin').data!['keystone-federation.py']!
  return {'job.json': Object.fromEntries(known), 'federation.py': script}
}

it.each(releasesOf('keystone'))(
  'people of a provider log in to $name with what docs/oidc.md says',
  {timeout: 2_000_000},
  async (image) => {
    const objects = await charts.render('keystone', {global: GLOBAL, values: {conf: {apache: APACHE}}})
    const [{spec}] = pods(workloads(objects)) as [ReturnType<typeof pods>[number]]
    const [unit] = spec.containers
    const container = await containerOf(image)
    const installed = await container.run('install-packages memcached', {user: 'root', timeout: 600})
    expect(installed.exitCode, installed.says).toBe(0)
    const placed = await container.configure({
      ...startOf(objects, spec, unit!).files,
      ...jobOf(objects),
      ...{'dex.json': DEX, 'keystone_api.py': KEYSTONE, 'oidc.py': PEOPLE},
    })
    expect(placed.exitCode, placed.says).toBe(0)
    await container.bring(await dexBinary())

    const {exitCode, says} = await container.run(`${API}${SERVERS}python3 ${CONFIG}/oidc.py`, {
      env: environmentOf(objects, unit!, {'keystone-oidc': {'client-secret': 'of-keystone'}}),
      user: 'root',
      isAlone: true,
      timeout: 1400,
    })

    expect(exitCode, says).toBe(0)
    expect(says).toContain("registered: ['corp']")
    const ada = "('ada@example.org', 'corp', 'research')"
    expect(says).toContain(`by name and password: ${ada}`)
    expect(says).toContain('by another password: HTTP 401')
    expect(says).toContain(`by a token: ${ada}`)
    expect(says).toContain('by a token for another client: HTTP 401')
    expect(says).toContain("in a browser: ('ada@example.org', 'corp', None)")
    expect(says).toContain('by headers: 401')
  },
)
