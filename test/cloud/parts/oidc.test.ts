import {writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {mergeValues} from '../../../src/base/merge.ts'
import type {Values} from '../../../src/base/values.ts'
import {kubectl} from '../../aio/support/node.ts'
import {waitFor} from '../../e2e/support/cluster.ts'
import {dexBinary} from '../../support/dex.ts'
import {testDirectory} from '../../support/test-directory.ts'
import {newPage} from '../support/browser.ts'
import {globalOfCloud} from '../support/environment.ts'
import {makeCloud} from '../support/own-cloud.ts'

const NODE = '10.213.0.1'
const [KEYSTONE, HORIZON, DEX] = [30501, 30081, 5556]
const ISSUER = `http://${NODE}:${DEX}/dex`
const DASHBOARD = `http://${NODE}:${HORIZON}`
const ADA = {email: 'ada@example.org', name: 'Ada', password: 'of-ada'}

let cloud: Awaited<ReturnType<typeof makeCloud>>
let endDex: () => unknown = () => undefined
beforeAll(async () => {
  cloud = await makeCloud('mariadb-server', 'rabbitmq', 'memcached', 'keystone', 'horizon', 'toolbox')
  endDex = await startDex()
  const secret = ['create', 'secret', 'generic', 'keystone-oidc', '--namespace', cloud.namespace]
  await kubectl([...secret, '--from-literal', 'client-secret=of-keystone'])
})
afterAll(async () => {
  endDex()
  await cloud?.remove()
})

/**
 * Starts an issuer of OpenID Connect beside the node, whose pods and browsers reach it by one URL; returns
 * what ends it.
 */
async function startDex(): Promise<() => unknown> {
  const file = join(testDirectory(), 'dex.json')
  const redirectURIs = [`http://${NODE}:${KEYSTONE}/v3/auth/OS-FEDERATION/redirect_uri`]
  const clients = [{id: 'keystone', name: 'keystone', secret: 'of-keystone', redirectURIs}]
  await writeFile(file, JSON.stringify({issuer: ISSUER, address: `${NODE}:${DEX}`, clients, people: [ADA]}))
  const started = execa(await dexBinary(), [file], {stdio: 'ignore', reject: false})
  const metadata = () => fetch(`${ISSUER}/.well-known/openid-configuration`).catch(() => undefined)
  await waitFor(metadata, {until: 'dex answers', seconds: 60})
  return () => started.kill()
}

const MAPPING = [
  {
    remote: [{type: 'OIDC-email'}, {type: 'OIDC-name', any_one_of: [ADA.name]}],
    local: [{user: {name: '{0}'}, projects: [{name: 'research', roles: [{name: 'member'}]}]}],
  },
]

async function sections(): Promise<Values> {
  const public_ = (port: Values) => ({host_fqdn_override: {public: {host: NODE}}, port})
  const {endpoints} = await globalOfCloud()
  return {
    global: {
      endpoints: mergeValues(endpoints as Values, {
        identity: public_({api: {public: KEYSTONE}}),
        dashboard: public_({web: {public: HORIZON}}),
      }),
      federation: {
        oidc: {
          ...{name: 'corp', public_name: 'Example Corporation', issuer: ISSUER, client_id: 'keystone'},
          ...{client_secret: {secret: 'keystone-oidc', key: 'client-secret'}, mapping: MAPPING},
        },
      },
    },
    keystone: {
      network: {api: {node_port: {enabled: true, port: KEYSTONE}}},
      // Dex's introspection has no claims of people.
      conf: {apache: {OIDCOAuthServerMetadataURL: null, OIDCOAuthVerifyJwksUri: `${ISSUER}/keys`}},
      pod: {replicas: {api: 2}},
    },
    horizon: {network: {server: {node_port: {enabled: true, port: HORIZON}}}},
  }
}

/** Bash that logs in with the password of the provider. */
const COMMAND_LINE = `export OS_AUTH_TYPE=v3oidcpassword OS_AUTH_URL=http://${NODE}:${KEYSTONE}/v3 OS_IDENTITY_API_VERSION=3
export OS_IDENTITY_PROVIDER=corp OS_PROTOCOL=openid OS_DISCOVERY_ENDPOINT=${ISSUER}/.well-known/openid-configuration
export OS_CLIENT_ID=keystone OS_CLIENT_SECRET=of-keystone OS_OPENID_SCOPE="openid email profile"
export OS_USERNAME=${ADA.email} OS_PASSWORD=${ADA.password} OS_PROJECT_NAME=research OS_PROJECT_DOMAIN_NAME=corp
openstack token issue --format json`

describe('a cloud with an identity provider', {timeout: 1_800_000}, () => {
  it('is deployed, and Keystone passes its test', async () => {
    await cloud.run('deploy', await sections())

    await cloud.run('test', await sections(), 'keystone', 'horizon')
  })

  it('logs a person of the provider in by the command line', async () => {
    const pod = [
      'exec',
      '--namespace',
      cloud.namespace,
      'deployment/keystone-api',
      '--container',
      'api',
      '--',
    ]

    const token = JSON.parse(await kubectl([...pod, 'bash', '-c', COMMAND_LINE])) as {project_id: string}

    expect(token.project_id).toMatch(/^[0-9a-f]{32}$/)
  })

  it('logs a person of the provider in to the dashboard', async () => {
    const page = await newPage()
    await page.goto(DASHBOARD)
    await page.getByLabel('Authenticate using').selectOption({label: 'Example Corporation'})
    await page.getByRole('button', {name: 'Sign In'}).click()
    await page.waitForURL((url) => url.href.startsWith(ISSUER))
    await page.locator('#login').fill(ADA.email)
    await page.locator('#password').fill(ADA.password)
    await page.locator('#submit-login').click()

    await page.waitForURL((url) => url.href.startsWith(`${DASHBOARD}/`) && !url.pathname.startsWith('/auth/'))

    expect(await page.locator('body').textContent()).toContain(ADA.email)
  })

  it('is not changed by another deploy', async () => {
    const before = await kubectl(['get', 'jobs', '--namespace', cloud.namespace, '--output', 'name'])

    await cloud.run('deploy', await sections())

    expect(await kubectl(['get', 'jobs', '--namespace', cloud.namespace, '--output', 'name'])).toBe(before)
  })
})
