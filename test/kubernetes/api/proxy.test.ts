import {readFile, writeFile} from 'node:fs/promises'
import type {IncomingMessage} from 'node:http'
import {createServer} from 'node:https'
import type {AddressInfo} from 'node:net'
import {join} from 'node:path'
import type {TLSSocket} from 'node:tls'
import {describe, expect, it, onTestFinished} from 'vitest'
import {clusterAccess} from '../../../src/kubernetes/api/access.ts'
import {openClient} from '../../../src/kubernetes/api/client.ts'
import {certificateFor} from '../../support/authority.ts'
import {openProxy} from '../../support/proxy.ts'
import {testDirectory} from '../../support/test-directory.ts'
import {scriptedServer} from '../support/api-server.ts'

const PODS = {path: '/api/v1/pods', summary: 'list pods'}

interface SecureServer {
  readonly port: number
  readonly authority: string
  readonly asked: IncomingMessage['headers'][]
  /** How many connections were made. */
  readonly connections: () => number
}

/** An API server with TLS for the name `api.invalid`. */
async function secureServer(): Promise<SecureServer> {
  const directory = testDirectory()
  const {data, authority} = await certificateFor(['api.invalid'], directory)
  const asked: IncomingMessage['headers'][] = []
  let connections = 0
  const pem = (key: keyof typeof data) => Buffer.from(data[key], 'base64')
  const server = createServer({cert: pem('tls.crt'), key: pem('tls.key')}, (request, response) => {
    asked.push(request.headers)
    response.setHeader('content-type', 'application/json').end('{"items":[]}')
  })
  server.on('secureConnection', (_: TLSSocket) => {
    connections += 1
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return {port: (server.address() as AddressInfo).port, authority, asked, connections: () => connections}
}

/** A client of the kubeconfig's cluster, in an environment with these variables. */
async function clientIn(
  env: Readonly<Record<string, string>>,
  {cluster, user = {}}: {readonly cluster: object; readonly user?: object},
) {
  const directory = testDirectory()
  const kubeconfig = join(directory, 'config')
  const content = {
    'current-context': 'c',
    contexts: [{name: 'c', context: {cluster: 'c', user: 'c'}}],
    clusters: [{name: 'c', cluster}],
    users: [{name: 'c', user}],
  }
  await writeFile(kubeconfig, JSON.stringify(content))
  const client = openClient(clusterAccess({kubeconfig, env}))
  onTestFinished(() => client.close())
  return client
}

describe('the API server', () => {
  it('is reached through the proxy of the environment, with its certificate checked and connections kept', async () => {
    const [server, proxy] = [await secureServer(), await openProxy()]
    const address = {server: `https://api.invalid:${server.port}`, 'certificate-authority': server.authority}
    const client = await clientIn(
      {HTTPS_PROXY: proxy.url.replace('//', '//ada:s3cret@')},
      {cluster: address, user: {token: 'own'}},
    )

    await client.json(PODS)
    await client.json(PODS)

    const login = Buffer.from('ada:s3cret').toString('base64')
    expect(proxy.asked).toEqual([`CONNECT api.invalid:${server.port} Basic ${login}`])
    expect(server.asked.map(({authorization}) => authorization)).toEqual(['Bearer own', 'Bearer own'])
    expect(server.connections()).toBe(1)
  })

  it('is verified by its certificate through a proxy', async () => {
    const [server, proxy] = [await secureServer(), await openProxy()]
    const authority = {'certificate-authority': server.authority}
    const far = {server: `https://faraway.invalid:${server.port}`, ...authority}

    const named = await clientIn(
      {https_proxy: proxy.url},
      {cluster: {...far, 'tls-server-name': 'api.invalid'}},
    )
    const other = await clientIn({https_proxy: proxy.url}, {cluster: far})

    await expect(named.json(PODS)).resolves.toEqual({items: []})
    await expect(other.json(PODS)).rejects.toMatchObject({
      code: 'KK_UNREACHABLE',
      message: expect.stringContaining('its certificate is for another name'),
    })
    expect(server.asked).toHaveLength(1)
  })

  it('is reached without the proxy for NO_PROXY, and always through proxy-url', async () => {
    const [server, proxy] = [await scriptedServer((_, response) => response.end('{}')), await openProxy()]
    const {port} = new URL(server.url)
    const far = {server: `http://faraway.invalid:${port}`}
    const env = {HTTP_PROXY: proxy.url, NO_PROXY: '.invalid'}

    const past = await clientIn(env, {cluster: far})
    const own = await clientIn(env, {cluster: {server: server.url}})
    const stated = await clientIn(env, {cluster: {...far, 'proxy-url': proxy.url}})

    await expect(past.json(PODS)).rejects.toMatchObject({code: 'KK_UNREACHABLE'})
    await own.json(PODS)
    expect(proxy.asked).toEqual([])
    await stated.json(PODS)
    expect(proxy.asked).toEqual([`GET http://faraway.invalid:${port}/api/v1/pods`])
  })
})

it('a user impersonates another one with all fields of the kubeconfig', async () => {
  const server = await scriptedServer((_, response) => response.end('{}'))
  const user = {
    token: 'own',
    as: 'ada',
    'as-uid': '17',
    'as-groups': ['ops', 'dev'],
    'as-user-extra': {'example.org/scopes': ['read', 'write'], empty: []},
  }
  const client = await clientIn({}, {cluster: {server: server.url}, user})

  await client.json(PODS)

  expect(server.asked[0]!.headers).toMatchObject({
    authorization: 'Bearer own',
    'impersonate-user': 'ada',
    'impersonate-uid': '17',
    'impersonate-group': 'ops, dev',
    'impersonate-extra-example.org%2fscopes': 'read, write',
  })
})

it('a certificate of a credential plugin is sent to the server', async () => {
  const directory = testDirectory()
  const {data} = await certificateFor(['client.invalid'], directory)
  const pem = (key: keyof typeof data) => Buffer.from(data[key], 'base64').toString()
  let shown = ''
  const server = createServer(
    {cert: pem('tls.crt'), key: pem('tls.key'), ca: pem('ca.crt'), requestCert: true},
    (request, response) => {
      shown = (request.socket as TLSSocket).getPeerCertificate().subject.CN as string
      response.end('{}')
    },
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const answer = JSON.stringify({
    apiVersion: 'client.authentication.k8s.io/v1beta1',
    kind: 'ExecCredential',
    status: {clientCertificateData: pem('tls.crt'), clientKeyData: pem('tls.key')},
  })
  await writeFile(join(directory, 'answer'), answer)
  await writeFile(join(directory, 'login'), `#!/bin/sh\ncat ${directory}/answer\n`, {mode: 0o755})
  const exec = {apiVersion: 'client.authentication.k8s.io/v1beta1', command: join(directory, 'login')}
  const address = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = await clientIn(
    {},
    {
      cluster: {
        server: address,
        'certificate-authority-data': (await readFile(join(directory, 'ca.crt'))).toString('base64'),
        'tls-server-name': 'client.invalid',
      },
      user: {exec},
    },
  )

  await client.json(PODS)

  expect(shown).toBe('public')
})
