import {readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {kubectl} from '../../aio/support/node.ts'
import {waitFor} from '../../e2e/support/cluster.ts'
import {ask} from '../../support/authority.ts'
import {testDirectory} from '../../support/test-directory.ts'
import {newPage} from '../support/browser.ts'
import {inClient, openstack} from '../support/client.ts'
import {cloudUp, NAMESPACE, succeed} from '../support/cloud.ts'
import {CLOUD, changedEnvironment} from '../support/environment.ts'
import {pushImages} from '../support/images.ts'
import {machine} from '../support/machines.ts'
import {phase} from '../support/phase.ts'

const DOMAIN = 'cloud.example.org'
/** Where the node's ports are seen from the machine. */
const ADDRESS = '10.213.0.1'

let directory: string
let authority: string
let file: string

beforeAll(async () => {
  await cloudUp()
  await pushImages('traefik')
  // What the cloud's own file says of consoles is a port of the node.
  const console = {
    host_fqdn_override: {public: {host: `novncproxy.${DOMAIN}`}},
    port: {novnc_proxy: {public: 443}},
  }
  file = await changedEnvironment({
    values: {
      global: {
        tls: {public: true},
        ingress: {enabled: true, domain: DOMAIN},
        endpoints: {compute_novnc_proxy: console},
      },
      ingress: {},
    },
  })
  await phase('ingress deployed', () => succeed(['deploy', file, '--yes']))
  directory = testDirectory()
  authority = join(directory, 'ca.crt')
  const secret = ['get', 'secret', 'ingress-tls', '--namespace', NAMESPACE]
  const trusted = await kubectl([...secret, '--output', String.raw`jsonpath={.data.ca\.crt}`])
  await writeFile(authority, Buffer.from(trusted, 'base64'))
})
afterAll(async () => {
  // The names go from the catalogue first, then what serves them.
  await phase('ingress taken away', async () => {
    await succeed(['deploy', CLOUD, '--yes'])
    await succeed(['remove', file, 'ingress', '--yes'])
  })
})

const open = (url: string, ...args: readonly string[]) => ask({url, address: ADDRESS, authority, args})

/**
 * The public URLs in Keystone's catalogue, and those of the dashboard and of consoles, which are not there.
 */
async function publicUrls(): Promise<readonly string[]> {
  const endpoints = await openstack<readonly {readonly URL: string}[]>('endpoint list --interface public')
  const {id} = await openstack<{readonly id: string}>('project show admin')
  const others = [`https://horizon.${DOMAIN}/auth/login/`, `https://novncproxy.${DOMAIN}/vnc_lite.html`]
  return [...endpoints.map(({URL}) => URL.replace(/[%$]\((?:tenant|project)_id\)s/, id)), ...others]
}

describe('ingress: the public endpoints', {timeout: 600_000}, () => {
  it('are reachable from outside the cluster by name, over TLS of one authority and HTTP/2', async () => {
    const urls = await publicUrls()
    const token = (await inClient('openstack token issue --format value --column id')).trim()

    expect(urls.length).toBeGreaterThanOrEqual(9)
    for (const url of urls) {
      expect(new URL(url).host).toMatch(new RegExp(`^[a-z]+\\.${DOMAIN}$`))
      const {version, status, body} = await open(url, '--header', `X-Auth-Token: ${token}`)
      // Some have nothing at the end of their address alone; that is then what they say themselves.
      expect([url, version, status > 0 && status < 500]).toEqual([url, '2', true])
      expect(body.trim()).not.toBe('404 page not found')
    }
    const {body} = await open(`https://keystone.${DOMAIN}/v3`)
    expect(JSON.parse(body)).toMatchObject({
      version: {links: [{rel: 'self', href: `https://keystone.${DOMAIN}/v3/`}]},
    })
  })

  it('issue a token, and accept an image with it', async () => {
    const user = {name: 'admin', password: 'dev-admin', domain: {id: 'default'}}
    const scope = {project: {name: 'admin', domain: {id: 'default'}}}
    const login = {auth: {identity: {methods: ['password'], password: {user}}, scope}}
    await writeFile(join(directory, 'login.json'), JSON.stringify(login))
    const json = ['--header', 'Content-Type: application/json']
    const headers = join(directory, 'headers')
    const asked = await open(
      `https://keystone.${DOMAIN}/v3/auth/tokens`,
      ...[...json, '--dump-header', headers, '--data', `@${join(directory, 'login.json')}`],
    )
    expect(asked.status).toBe(201)
    const token = `X-Auth-Token: ${/^x-subject-token: (\S+)/im.exec(await readFile(headers, 'utf8'))![1]}`

    const image = {name: 'kk-uploaded', disk_format: 'raw', container_format: 'bare'}
    const images = `https://glance.${DOMAIN}/v2/images`
    const made = await open(images, '--header', token, ...json, '--data', JSON.stringify(image))
    const {id} = JSON.parse(made.body) as {readonly id: string}
    const bytes = Buffer.alloc(32 * 1024 * 1024, 7)
    await writeFile(join(directory, 'image'), bytes)
    const octets = ['--header', 'Content-Type: application/octet-stream']
    const sent = await open(
      `${images}/${id}/file`,
      ...['--header', token, ...octets, '--upload-file', join(directory, 'image')],
    )
    const shown = await openstack<{readonly size: number; readonly status: string}>(`image show ${id}`)
    await inClient(`openstack image delete ${id}`)

    expect(sent.status).toBe(204)
    expect(shown).toMatchObject({size: bytes.length, status: 'active'})
  })

  it('serve the console of a virtual machine over a WebSocket', async () => {
    await machine()
    const {url} = await openstack<{readonly url: string}>('console url show --novnc first')
    // That the certificate is good is shown above.
    const page = await newPage(
      `--host-resolver-rules=MAP *.${DOMAIN} ${ADDRESS}`,
      '--ignore-certificate-errors',
    )

    await page.goto(url)
    await page.getByText(/^Connected/).waitFor()

    expect(new URL(url).origin).toBe(`https://novncproxy.${DOMAIN}`)
  })

  it('redirect from HTTP, and are limited to the public ones', async () => {
    const plain = await ask({url: `http://keystone.${DOMAIN}/v3`, address: ADDRESS})

    expect(plain).toMatchObject({status: 301, location: `https://keystone.${DOMAIN}/v3`})
    expect((await open(`https://nobody.${DOMAIN}/`)).status).toBe(404)
    // CURLE_SSL_CONNECT_ERROR: refused before anything is asked.
    expect(await open('https://keystone.example.com/v3')).toMatchObject({exitCode: 35, status: 0})
  })

  it('pass the tests of the chart', async () => {
    await succeed(['test', file, 'ingress'])
  })

  it('are available again with the next pod of the controller', async () => {
    await kubectl(['delete', 'pod', '--namespace', NAMESPACE, '--selector', 'app.kubernetes.io/name=ingress'])

    await waitFor(async () => (await open(`https://keystone.${DOMAIN}/v3`)).status === 200, {
      until: 'a new controller serves',
      seconds: 120,
    })
  })
})
