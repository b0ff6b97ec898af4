import {chmod, writeFile} from 'node:fs/promises'
import {createServer, type IncomingMessage, type Server, type ServerResponse} from 'node:http'
import {createServer as createSecureServer} from 'node:https'
import type {AddressInfo} from 'node:net'
import {join} from 'node:path'
import {execa} from 'execa'
import {load} from 'js-yaml'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {mergeValues} from '../../src/base/merge.ts'
import {localReference} from '../../src/images/image.ts'
import {down} from '../../src/sandbox/remove.ts'
import {up} from '../../src/sandbox/up.ts'
import {waitFor} from '../e2e/support/cluster.ts'
import {GIVEN, useCharts} from '../own-charts/support/charts.ts'
import {find, ofKind} from '../own-charts/support/objects.ts'
import {ask, type Certificate, certificateFor} from '../support/authority.ts'
import {testDirectory} from '../support/test-directory.ts'
import {toolbox} from '../support/tools.ts'
import {buildah, CONFIG} from './support/container.ts'
import {imageOf} from './support/images.ts'

const NAMESPACE = 'openstack'
const NAME = 'keystone.example.org'
const ACCOUNT = 'ingress-controller'
const charts = await useCharts()
const FILES = {'ca.crt': '-', 'tls.crt': '-', 'tls.key': '-'}
const secure = mergeValues(GIVEN, {
  ingress: {enabled: true, domain: 'example.org'},
  tls: {internal: true, files: FILES},
})
const objects = await charts.render('ingress', {global: secure})

/** What an API is asked, and says back. */
function echo({url, headers, httpVersion}: IncomingMessage, answer: ServerResponse): void {
  const {host, 'x-forwarded-proto': scheme} = headers
  answer.end(JSON.stringify({url, host, scheme, httpVersion}))
}
const service = createServer(echo)

async function secureServer(name: string, {data}: Certificate): Promise<void> {
  const [cert, key] = [data['tls.crt'], data['tls.key']].map((text) => Buffer.from(text, 'base64'))
  const server = createSecureServer({cert, key}, echo)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  secured.set(name, server)
}
/** Servers of APIs that speak TLS, by their names. */
const secured = new Map<string, Server>()
/** Where the authority inside is. */
let inside: string

let directory: string
let certificate: Certificate
let tools: string
let kubeconfig: string
let env: NodeJS.ProcessEnv
let stop: () => Promise<void>
const ports = {http: 0, https: 0}

const kubectl = async (args: readonly string[], input?: object) => {
  const {stdout} = await execa(join(tools, 'kubectl'), ['--kubeconfig', kubeconfig, ...args], {
    ...(input && {input: JSON.stringify(input)}),
  })
  return stdout
}
const apply = (object: object) => kubectl(['apply', '--filename', '-'], object)
const secret = (name: string, {data}: Certificate) =>
  apply({
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'kubernetes.io/tls',
    metadata: {name, namespace: NAMESPACE},
    data,
  })

/** What the chart `common` makes of an endpoint. */
const ingress = (host: string, backend: string, port: number) => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  metadata: {name: backend, namespace: NAMESPACE},
  spec: {
    ingressClassName: 'openstack',
    tls: [{hosts: [host], secretName: 'ingress-tls'}],
    rules: [
      {
        host,
        http: {
          paths: [{path: '/', pathType: 'Prefix', backend: {service: {name: backend, port: {number: port}}}}],
        },
      },
    ],
  },
})

const serviceOf = (name: string, spec: object, annotations = {}) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: {name, namespace: NAMESPACE, annotations},
  spec,
})

/** Ports of loopback that nobody has. */
async function freePorts(count: number): Promise<readonly number[]> {
  const servers = await Promise.all(
    Array.from({length: count}, async () => {
      const server = createServer()
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      return server
    }),
  )
  const free = servers.map((server) => (server.address() as AddressInfo).port)
  for (const server of servers) server.close()
  return free
}

/** The files of the controller: the chart's, but for the addresses and a Service that is on this machine. */
async function files(): Promise<Readonly<Record<string, string>>> {
  const {data = {}} = find(objects, 'ConfigMap', 'ingress-etc')
  const configuration = load(data['traefik.yaml']!) as {
    readonly entryPoints: Record<string, {address: string}>
    readonly providers: {readonly kubernetesIngress: Record<string, unknown>}
  }
  for (const name of ['http', 'https'] as const)
    configuration.entryPoints[name]!.address = `127.0.0.1:${ports[name]}`
  configuration.providers.kubernetesIngress['allowExternalNameServices'] = true
  const token = await kubectl(['create', 'token', ACCOUNT, '--namespace', NAMESPACE])
  const config = JSON.parse(await kubectl(['config', 'view', '--raw', '--minify', '--output', 'json'])) as {
    users: {user: object}[]
  }
  config.users[0]!.user = {token: token.trim()}
  return {
    'config.json': data['controller.json']!,
    'dynamic.yaml': data['dynamic.yaml']!,
    'traefik.yaml': JSON.stringify(configuration),
    kubeconfig: JSON.stringify(config),
  }
}

/** Starts the image as a pod does, with these files as its configuration; returns what ends it. */
async function started(configuration: Readonly<Record<string, string>>): Promise<() => Promise<void>> {
  const place = testDirectory()
  for (const [name, text] of Object.entries(configuration)) await writeFile(join(place, name), text)
  for (const shared of [place, inside]) await chmod(shared, 0o755)
  const {stdout: id} = await buildah(['from', '--pull=never', localReference(imageOf('traefik'))])
  const variables = {
    KOLLA_CONFIG_STRATEGY: 'COPY_ALWAYS',
    KUBECONFIG: `${CONFIG}/kubeconfig`,
    SECRETS_FIELD_SELECTOR: 'metadata.name=ingress-tls',
  }
  const child = execa(
    'buildah',
    [
      ...['run', '--isolation', 'chroot', '--volume', `${place}:${CONFIG}:ro`],
      ...['--volume', `${inside}:/etc/tls:ro`],
      ...Object.entries(variables).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
      ...[id, '--', 'dumb-init', '--single-child', '--', 'kolla_start'],
    ],
    {all: true, reject: false, stdin: 'ignore', detached: true},
  )
  return async () => {
    process.kill(-child.pid!, 'SIGTERM')
    await child
    await buildah(['rm', id])
  }
}

beforeAll(async () => {
  tools = await toolbox()
  directory = testDirectory()
  certificate = await certificateFor(['*.example.org'], directory)
  env = {...process.env, XDG_STATE_HOME: directory, KK_TOOLBOX: tools}
  kubeconfig = (await up({name: 'ingress', nodes: 1, env})).sandbox.kubeconfig
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
  const {port} = service.address() as AddressInfo
  inside = testDirectory()
  await secureServer('glance', await certificateFor(['servers.openstack.svc.cluster.local'], inside))
  const strange = testDirectory()
  await secureServer('nova', await certificateFor(['servers.openstack.svc.cluster.local'], strange))
  const [http = 0, https = 0] = await freePorts(2)
  Object.assign(ports, {http, https})

  await kubectl(['create', 'namespace', NAMESPACE])
  const rights = [
    'ServiceAccount',
    'Role',
    'RoleBinding',
    'ClusterRole',
    'ClusterRoleBinding',
    'IngressClass',
  ]
  for (const object of ofKind(objects, ...rights)) await apply(object)
  await secret('ingress-tls', certificate)
  // Kubernetes wants no address of loopback behind a Service; a name is one.
  await apply(serviceOf('keystone-api', {type: 'ExternalName', externalName: 'localhost', ports: [{port}]}))
  await apply(ingress(NAME, 'keystone-api', port))
  await apply(serviceOf('heat-api', {selector: {app: 'nobody'}, ports: [{port: 8004}]}))
  await apply(ingress('heat.example.org', 'heat-api', 8004))
  // Where APIs speak TLS inside.
  for (const [name, server] of secured) {
    const {metadata} = find(await charts.render(name, {global: secure}), 'Service', `${name}-api`)
    const {port} = server.address() as AddressInfo
    const spec = {type: 'ExternalName', externalName: 'localhost', ports: [{port}]}
    await apply(serviceOf(`${name}-api`, spec, metadata.annotations))
    await apply(ingress(`${name}.example.org`, `${name}-api`, port))
  }
  stop = await started(await files())
  await waitFor(async () => (await open(NAME)).status === 200, {until: 'the name is served'})
})
afterAll(async () => {
  await stop()
  service.close()
  for (const server of secured.values()) server.close()
  await down({name: 'ingress', env})
})

const open = (name: string, {authority} = certificate) =>
  ask({url: `https://${name}:${ports.https}/v3`, address: '127.0.0.1', authority})

describe('the controller of the chart ingress', () => {
  it('routes to a service by host name, over TLS and HTTP/2, with forwarded headers', async () => {
    const {version, status, body} = await open(NAME)

    expect([version, status]).toEqual(['2', 200])
    expect(JSON.parse(body)).toEqual({
      url: '/v3',
      host: `${NAME}:${ports.https}`,
      scheme: 'https',
      httpVersion: '1.1',
    })
  })

  it('rejects a host name without a certificate before the request', async () => {
    // https://curl.se/libcurl/c/libcurl-errors.html: CURLE_SSL_CONNECT_ERROR
    expect(await open('keystone.example.com')).toMatchObject({exitCode: 35, status: 0})
  })

  it('responds for a name with a certificate but no Ingress, and for a Service without pods', async () => {
    expect((await open('nobody.example.org')).status).toBe(404)
    expect((await open('heat.example.org')).status).toBe(503)
  })

  it('connects over TLS to a service of the same authority, and to none of another', async () => {
    expect((await open('glance.example.org')).status).toBe(200)
    expect((await open('nova.example.org')).status).toBe(500)
  })

  it('redirects from HTTP to HTTPS', async () => {
    const asked = await ask({url: `http://${NAME}:${ports.http}/v3`, address: '127.0.0.1'})

    expect(asked).toMatchObject({status: 301, location: `https://${NAME}/v3`})
  })

  it('serves a new certificate as soon as it is in the Secret', async () => {
    const other = testDirectory()
    const renewed = await certificateFor(['*.example.org'], other)

    await secret('ingress-tls', renewed)

    await waitFor(async () => (await open(NAME, renewed)).status === 200, {
      until: 'the new authority is the one',
    })
    expect((await open(NAME)).exitCode).not.toBe(0)
  })

  it('may read only that Secret', async () => {
    const as = `--as=system:serviceaccount:${NAMESPACE}:${ACCOUNT}`
    const may = async (...what: readonly string[]) => {
      const said = await execa(
        join(tools, 'kubectl'),
        ['--kubeconfig', kubeconfig, 'auth', 'can-i', ...what, '--namespace', NAMESPACE, as],
        {reject: false},
      )
      return said.stdout
    }

    expect(await may('watch', 'secrets/ingress-tls')).toBe('yes')
    expect(await may('list', 'secrets')).toBe('no')
    expect(await may('get', 'secrets/keystone-env')).toBe('no')
    expect(await may('update', 'ingresses')).toBe('no')
  })
})
