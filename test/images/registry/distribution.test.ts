import {createServer, type RequestListener} from 'node:http'
import type {AddressInfo} from 'node:net'
import {Readable} from 'node:stream'
import {text} from 'node:stream/consumers'
import {setFlagsFromString} from 'node:v8'
import {runInNewContext} from 'node:vm'
import {expect, it, onTestFinished} from 'vitest'
import {authorizationFor} from '../../../src/images/registry/authorization.ts'
import {sha256} from '../../../src/images/registry/content.ts'
import {openDistribution} from '../../../src/images/registry/distribution.ts'
import {writeFiles} from '../../charts/support/write-files.ts'
import {openProxy} from '../../support/proxy.ts'

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

/**
 * A registry that gives tokens, as those in the public do: to who is logged in, and for some repositories to
 * nobody.
 */
async function withTokens(name = '127.0.0.1'): Promise<string> {
  const address = await serve(({url = '', headers: {authorization}}, response) => {
    const {pathname, searchParams} = new URL(url, 'http://registry')
    if (pathname === '/token') {
      const isPublic = searchParams.get('scope') === 'repository:public/app:pull'
      const isUser = authorization === `Basic ${btoa('user:secret')}`
      if (searchParams.get('service') !== 'registry' || !(isPublic || isUser))
        return response.writeHead(401).end()
      return response.end(JSON.stringify({token: `for ${searchParams.get('scope')}`}))
    }
    const [, , owner] = pathname.split('/')
    if (authorization !== `Bearer for repository:${owner}/app:pull`) {
      const challenge = `Bearer realm="http://${headers()}/token",service="registry",scope="ignored"`
      return response.writeHead(401, {'www-authenticate': challenge}).end()
    }
    return response.writeHead(200, {'docker-content-digest': 'sha256:abc'}).end()
  })
  const host = address.replace('127.0.0.1', name)
  const headers = () => host
  return host
}

it('an anonymous token is requested if that suffices', async () => {
  const registry = openDistribution({host: await withTokens(), env: {HOME: '/nowhere'}})

  expect(await registry.digestOf('public/app', '1')).toBe('sha256:abc')
})

it('a registry and its token server are accessed through the proxy', async () => {
  const [host, proxy] = [await withTokens('faraway.invalid'), await openProxy()]
  const env = {HOME: '/nowhere', HTTP_PROXY: proxy.url}
  const registry = openDistribution({host, plain: true, env})

  expect(await registry.digestOf('public/app', '1')).toBe('sha256:abc')
  expect(proxy.asked.map((line) => line.split('?')[0])).toEqual([
    `HEAD http://${host}/v2/public/app/manifests/1`,
    `GET http://${host}/token`,
    `HEAD http://${host}/v2/public/app/manifests/1`,
  ])
})

it('a token is requested with the login of docker', async () => {
  const host = await withTokens()
  const registry = openDistribution({host, env: loggedIn(`http://${host}/v2/`)})

  expect(await registry.digestOf('private/app', '1')).toBe('sha256:abc')
})

it('a missing login is reported with the command to log in', async () => {
  const host = await withTokens()
  const registry = openDistribution({host, env: {HOME: '/nowhere'}})

  await expect(registry.digestOf('private/app', '1')).rejects.toMatchObject({
    code: 'KK_IMAGE',
    message: `the registry ${host} denies access (401)`,
    hint: expect.stringContaining(`docker login ${host}`),
  })
})

it('a registry that does not respond is reported by name', async () => {
  const registry = openDistribution({host: '127.0.0.1:1', env: {HOME: '/nowhere'}})

  await expect(registry.digestOf('app', '1')).rejects.toMatchObject({
    code: 'KK_IMAGE',
    message: expect.stringContaining('the registry 127.0.0.1:1 does not respond'),
  })
})

it('a blob that is read late is complete', async () => {
  const host = await serve((_, response) => response.end('bytes'))
  const registry = openDistribution({host, env: {HOME: '/nowhere'}})
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void

  const bytes = await registry.readBlob('app', {mediaType: '', digest: sha256('bytes'), size: 5})
  for (let round = 0; round < 3; round++) {
    collectGarbage()
    await new Promise(setImmediate)
  }

  expect(await text(bytes)).toBe('bytes')
})

it('content with another digest is rejected', async () => {
  const host = await serve((_, response) => response.end('{}'))
  const registry = openDistribution({host, env: {HOME: '/nowhere'}})

  await expect(registry.manifest('app', `sha256:${'0'.repeat(64)}`)).rejects.toMatchObject({
    code: 'KK_IMAGE',
    message: expect.stringContaining('the content received does not match sha256:0000'),
  })
})

it('referrers of a manifest are read page by page', async () => {
  const host = await serve(({url = ''}, response) => {
    const isFirst = !url.includes('page=2')
    if (!url.startsWith('/v2/app/referrers/sha256:abc')) return response.writeHead(404).end()
    if (isFirst) response.setHeader('link', '</v2/app/referrers/sha256:abc?page=2>; rel="next"')
    return response.end(JSON.stringify({manifests: [{digest: isFirst ? 'sha256:1' : 'sha256:2'}]}))
  })
  const registry = openDistribution({host, env: {HOME: '/nowhere'}})

  expect(await registry.referrers('app', 'sha256:abc')).toEqual([{digest: 'sha256:1'}, {digest: 'sha256:2'}])
  expect(await registry.referrers('app', 'sha256:def')).toBeUndefined()
})

it('the host of an upload URL does not receive the login', async () => {
  const told: (string | undefined)[] = []
  const elsewhere = await serve(({headers: {authorization}}, response) => {
    told.push(authorization)
    response.writeHead(201).end()
  })
  const host = await serve(({headers: {authorization}}, response) => {
    if (authorization === undefined) return response.writeHead(401, {'www-authenticate': 'Basic'}).end()
    return response.writeHead(202, {location: `http://${elsewhere}/upload`}).end()
  })
  const registry = openDistribution({host, env: loggedIn(host)})
  const blob = {mediaType: 'application/octet-stream', digest: sha256('bytes'), size: 5}

  await registry.writeBlob('app', blob, async () => Readable.from([Buffer.from('bytes')]))

  expect(told).toEqual([undefined])
})

/** Returns variables by which a login for a registry is found. */
function loggedIn(host: string): NodeJS.ProcessEnv {
  const config = JSON.stringify({auths: {[host]: {auth: btoa('user:secret')}}})
  return {HOME: '/nowhere', DOCKER_CONFIG: writeFiles({'config.json': config})}
}

it.each([
  ['without TLS, which the registry has', (server: string) => `http://${server}/token`, {plain: false}],
  ['with a user in its address', (server: string) => `http://me@${server}/token`, {}],
  ['that is no web server', () => 'file:///etc/passwd', {}],
  ['out there without TLS, of a registry here', () => 'http://192.0.2.1/token', {host: 'localhost:5000'}],
])('a token server %s does not receive the login', async (_, realmAt, given) => {
  let isAsked = false
  const server = await serve((_, response) => {
    isAsked = true
    response.end('{}')
  })
  const {host, plain} = {host: 'registry.example.org', plain: true, ...given}

  const asking = authorizationFor(`Bearer realm="${realmAt(server)}",service="registry"`, {
    ...{host, plain, env: loggedIn(host), scope: 'repository:app:pull'},
  })

  await expect(asking).rejects.toMatchObject({
    code: 'KK_IMAGE',
    message: expect.stringMatching(
      /^the registry (?:registry.example.org|localhost:5000) has the token server .*: expected an https/,
    ),
  })
  expect(isAsked).toBe(false)
})

it('the target of a redirect does not receive the login', async () => {
  const told: (string | undefined)[] = []
  const elsewhere = await serve(({url, headers: {authorization}}, response) => {
    told.push(authorization)
    const challenge = `Bearer realm="http://${address()}/token",service="registry"`
    if (url === '/token') response.end('{"token": "x"}')
    else response.writeHead(401, {'www-authenticate': challenge}).end()
  })
  const address = () => elsewhere
  const host = await serve((_, response) =>
    response.writeHead(307, {location: `http://${elsewhere}/blob`}).end(),
  )
  const registry = openDistribution({host, env: loggedIn(host)})

  await expect(registry.hasBlob('app', 'sha256:abc')).rejects.toMatchObject({code: 'KK_IMAGE'})
  expect(told).toEqual([undefined])
})
