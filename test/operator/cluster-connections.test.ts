import {existsSync, readFileSync, statSync} from 'node:fs'
import {expect, it} from 'vitest'
import {KkError} from '../../src/base/errors.ts'
import {type OperatorPorts, openClusterConnections} from '../../src/operator/cluster-connections.ts'
import type {EnvironmentObject} from '../../src/operator/crds/environment.ts'

const TOKEN = 'token-7c1f'

function kubeconfig(user: object = {token: TOKEN}, cluster: object = {}): string {
  return JSON.stringify({
    'current-context': 'north',
    contexts: [{name: 'north', context: {cluster: 'north', user: 'kk'}}],
    clusters: [{name: 'north', cluster: {server: 'https://north.example.org', ...cluster}}],
    users: [{name: 'kk', user}],
  })
}

/** Sites of which `north` is one; its kubeconfig, and who answers there, are the test's. */
function connectionsWith(text: string | undefined) {
  const remote = {
    text,
    answer: async (): Promise<{uid: string}> => ({uid: 'uid-north'}),
    opened: [] as string[],
    contexts: [] as string[],
    driver: 'the operator of another cluster (its Environment is u)',
    own: undefined as string | undefined,
    deleted: 0,
    closed: 0,
    pinned: [] as string[],
  }
  const connect = async (path: string, context: string) => {
    remote.opened.push(path)
    remote.contexts.push(context)
    const cluster = {
      leases: {driver: async () => remote.driver},
      apiServer: {identity: () => remote.answer(), expectReady: async () => undefined},
      objects: {delete: async () => void remote.deleted++},
      close: async () => void remote.closed++,
    }
    return {cluster} as unknown as OperatorPorts
  }
  const encoded = () => remote.text && {data: {kubeconfig: Buffer.from(remote.text).toString('base64')}}
  const connections = openClusterConnections({
    hub: {read: async <T>() => encoded() as T},
    own: {
      cluster: {
        leases: {driver: async () => remote.own},
        objects: {delete: async () => void remote.deleted++},
      },
    } as unknown as OperatorPorts,
    connect,
    signal: new AbortController().signal,
    enqueue: () => undefined,
  })
  const attempt = (name = 'production', status: EnvironmentObject['status'] = {}, identity?: string) =>
    connections.forEnvironment(
      {
        metadata: {name, uid: 'u'},
        spec: {source: {configMap: name}, cluster: {kubeconfigSecret: 'north', identity}},
        status,
      },
      async (found) => void remote.pinned.push(found),
    )
  return {connections, remote, attempt}
}

it('a kubeconfig is in a private file while it is unchanged, and is removed with its Environment', async () => {
  const {connections, remote, attempt} = connectionsWith(kubeconfig())

  const first = await attempt().connect()
  const again = await attempt().connect()
  const [path = ''] = remote.opened
  const seen = {text: readFileSync(path, 'utf8'), mode: statSync(path).mode & 0o777}
  remote.text = kubeconfig({token: 'token-2'})
  await attempt().connect()
  const [, next = ''] = remote.opened
  const replaced = existsSync(path)
  await connections.forget('production')

  expect(again).toBe(first)
  expect(seen).toEqual({text: kubeconfig(), mode: 0o600})
  expect(isLeft(next)).toBe(false)
  expect(replaced).toBe(false)
  expect(remote.closed).toBe(2)
})

function isLeft(path: string): boolean {
  return existsSync(path) || existsSync(path.replace(/\/[^/]+$/, ''))
}

it.each([
  ['releases its own claim', {}, 1],
  ['keeps the claim of another operator', {driver: 'the operator'}, 0],
])('disconnecting a deleted Environment %s', async (_, more, deleted) => {
  const {connections, remote, attempt} = connectionsWith(kubeconfig())
  Object.assign(remote, more)

  await attempt().connect()
  await connections.forget('production')

  expect(remote.contexts).toEqual(['north'])
  expect(remote.deleted).toBe(deleted)
})

it.each([
  ['releases its own claim', 'the operator', 1],
  ['keeps the claim of another operator', 'the operator of another cluster (its Environment is u)', 0],
  ['finds no claim', undefined, 0],
])('disconnecting a deleted Environment of the own cluster %s', async (_, own, deleted) => {
  const {connections, remote} = connectionsWith(kubeconfig())
  Object.assign(remote, {own})

  await connections.forget('production')

  expect(remote.deleted).toBe(deleted)
})

it('disconnecting a deleted Environment changes nothing in a cluster with another identity', async () => {
  const {connections, remote, attempt} = connectionsWith(kubeconfig())
  await attempt().connect()
  remote.answer = async () => ({uid: 'uid-other'})

  await expect(attempt('production', {cluster: {identity: 'uid-north'}}).connect()).rejects.toThrow(
    'uid-other',
  )
  await connections.forget('production')

  expect(remote.deleted).toBe(0)
})

it('the identity found at the first connection is pinned, and the cluster is Reachable', async () => {
  const {remote, attempt} = connectionsWith(kubeconfig())
  const first = attempt()

  await first.connect()
  await attempt('production', {cluster: {identity: 'uid-north'}}).connect()

  expect(remote.pinned).toEqual(['uid-north'])
  expect(first.condition()).toMatchObject({type: 'Reachable', status: 'True'})
})

it.each([
  ['was found first', {cluster: {identity: 'uid-other'}}, undefined],
  ['is stated', {}, 'uid-other'],
  ['is stated, whatever was found first', {cluster: {identity: 'uid-north'}}, 'uid-other'],
])('a cluster that differs from the one that %s is refused', async (_, status, identity) => {
  const {remote, attempt} = connectionsWith(kubeconfig())

  await expect(attempt('production', status, identity).connect()).rejects.toMatchObject({
    code: 'KK_WRONG_CLUSTER',
    exit: 3,
    message: expect.stringContaining('uid-other'),
  })
  expect(remote.pinned).toEqual([])
})

it.each([
  ['KK_UNREACHABLE', new KkError('KK_UNREACHABLE', 'it does not answer: password=hunter2')],
  ['KK_UNREACHABLE', new KkError('KK_FORBIDDEN', 'it does not accept the credentials')],
  ['KK_KUBERNETES_VERSION', new KkError('KK_KUBERNETES_VERSION', 'it is too old')],
])('a cluster whose identity cannot be read gives %s', async (code, fault) => {
  const {remote, attempt} = connectionsWith(kubeconfig())
  remote.answer = () => Promise.reject(fault)

  const caught: KkError = await attempt()
    .connect()
    .then(
      () => undefined as never,
      (error: KkError) => error,
    )

  expect(caught.code).toBe(code)
  expect(caught.message).not.toContain('hunter2')
})

it.each([
  ['a program', {exec: {command: 'aws', apiVersion: 'client.authentication.k8s.io/v1'}}, {}, 'user.exec'],
  ['a file with a token', {tokenFile: '/var/run/secrets/token'}, {}, 'user.tokenFile'],
  ['a file with a key', {'client-key': 'key.pem'}, {}, 'user.client-key'],
  ['a file with an authority', {}, {'certificate-authority': 'ca.pem'}, 'cluster.certificate-authority'],
])(
  'a kubeconfig that names %s is refused: it would be one of the operator',
  async (_, user, cluster, named) => {
    const {remote, attempt} = connectionsWith(kubeconfig(user, cluster))

    await expect(attempt().connect()).rejects.toMatchObject({
      code: 'KK_KUBECONFIG',
      message: expect.stringMatching(new RegExp(`the Secret north: .*${named}`)),
    })
    expect(remote.opened).toEqual([])
  },
)

it.each([
  ['no Secret', undefined, 'KK_FILE', 'there is no Secret north'],
  ['a Secret with something else', `token: ${TOKEN}`, 'KK_KUBECONFIG', 'the Secret north'],
  ['a Secret without YAML', `{token: ${TOKEN}`, 'KK_KUBECONFIG', 'the Secret north: its content'],
])('%s is refused with its name, without its content', async (_, text, code, message) => {
  const {attempt} = connectionsWith(text)

  const caught: KkError = await attempt()
    .connect()
    .then(
      () => undefined as never,
      (error: KkError) => error,
    )

  expect(caught).toMatchObject({code, message: expect.stringContaining(message)})
  expect(caught.message + caught.hint).not.toContain(TOKEN)
})

it('reconciliations are limited per cluster, and other clusters do not wait for them', async () => {
  const {connections} = connectionsWith(kubeconfig())
  const environment = (kubeconfigSecret?: string): EnvironmentObject => ({
    metadata: {name: 'e'},
    spec: {source: {configMap: 'e'}, ...(kubeconfigSecret && {cluster: {kubeconfigSecret}})},
  })
  const hang = Promise.withResolvers<void>()
  let begun = 0
  const hanging = Array.from({length: 9}, () =>
    connections.runLimited(environment('north'), () => {
      begun++
      return hang.promise
    }),
  )

  const others = await Promise.all([
    connections.runLimited(environment('south'), async () => 'south'),
    connections.runLimited(environment(), async () => 'own'),
  ])
  const before = begun
  hang.resolve()
  await Promise.all(hanging)

  expect(others).toEqual(['south', 'own'])
  expect([before, begun]).toEqual([4, 9])
})
