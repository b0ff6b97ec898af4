import {existsSync, readFileSync, statSync} from 'node:fs'
import {expect, it} from 'vitest'
import {KkError} from '../../src/base/errors.ts'
import type {EnvironmentObject} from '../../src/operator/kinds/environment-kind.ts'
import {type OperatorPorts, openSites} from '../../src/operator/sites.ts'

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
function sitesWith(text: string | undefined) {
  const world = {
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
    world.opened.push(path)
    world.contexts.push(context)
    const cluster = {
      leases: {driver: async () => world.driver},
      apiServer: {identity: () => world.answer(), expectReady: async () => undefined},
      objects: {delete: async () => void world.deleted++},
      close: async () => void world.closed++,
    }
    return {cluster} as unknown as OperatorPorts
  }
  const encoded = () => world.text && {data: {kubeconfig: Buffer.from(world.text).toString('base64')}}
  const sites = openSites({
    hub: {read: async <T>() => encoded() as T},
    own: {
      cluster: {
        leases: {driver: async () => world.own},
        objects: {delete: async () => void world.deleted++},
      },
    } as unknown as OperatorPorts,
    connect,
    signal: new AbortController().signal,
    ring: () => undefined,
  })
  const contact = (name = 'production', status: EnvironmentObject['status'] = {}, identity?: string) =>
    sites.contact(
      {
        metadata: {name, uid: 'u'},
        spec: {source: {configMap: name}, cluster: {kubeconfigSecret: 'north', identity}},
        status,
      },
      async (found) => void world.pinned.push(found),
    )
  return {sites, world, contact}
}

it('a kubeconfig lies in a private file while it is the same, and goes with its Environment', async () => {
  const {sites, world, contact} = sitesWith(kubeconfig())

  const first = await contact().reach()
  const again = await contact().reach()
  const [path = ''] = world.opened
  const seen = {text: readFileSync(path, 'utf8'), mode: statSync(path).mode & 0o777}
  world.text = kubeconfig({token: 'token-2'})
  await contact().reach()
  const [, next = ''] = world.opened
  const replaced = existsSync(path)
  await sites.forget('production')

  expect(again).toBe(first)
  expect(seen).toEqual({text: kubeconfig(), mode: 0o600})
  expect(isLeft(next)).toBe(false)
  expect(replaced).toBe(false)
  expect(world.closed).toBe(2)
})

function isLeft(path: string): boolean {
  return existsSync(path) || existsSync(path.replace(/\/[^/]+$/, ''))
}

it.each([
  ['says so no more where it has driven', {}, 1],
  ['leaves it to another one that drives', {driver: 'the operator'}, 0],
])('who takes leave of an Environment %s', async (_, more, deleted) => {
  const {sites, world, contact} = sitesWith(kubeconfig())
  Object.assign(world, more)

  await contact().reach()
  await sites.forget('production')

  expect(world.contexts).toEqual(['north'])
  expect(world.deleted).toBe(deleted)
})

it.each([
  ['gives up what it has driven', 'the operator', 1],
  ['leaves it to another one that drives', 'the operator of another cluster (its Environment is u)', 0],
  ['finds nothing to give up', undefined, 0],
])('who takes leave of an Environment of the own cluster %s', async (_, own, deleted) => {
  const {sites, world} = sitesWith(kubeconfig())
  Object.assign(world, {own})

  await sites.forget('production')

  expect(world.deleted).toBe(deleted)
})

it('who takes leave of an Environment touches nothing in a cluster that is not the one', async () => {
  const {sites, world, contact} = sitesWith(kubeconfig())
  await contact().reach()
  world.answer = async () => ({uid: 'uid-other'})

  await expect(contact('production', {cluster: {identity: 'uid-north'}}).reach()).rejects.toThrow('uid-other')
  await sites.forget('production')

  expect(world.deleted).toBe(0)
})

it('the cluster that is found first is the one, and is said to answer', async () => {
  const {world, contact} = sitesWith(kubeconfig())
  const first = contact()

  await first.reach()
  await contact('production', {cluster: {identity: 'uid-north'}}).reach()

  expect(world.pinned).toEqual(['uid-north'])
  expect(first.finding()).toMatchObject({type: 'Reachable', status: 'True'})
})

it.each([
  ['was found first', {cluster: {identity: 'uid-other'}}, undefined],
  ['is stated', {}, 'uid-other'],
  ['is stated, whatever was found first', {cluster: {identity: 'uid-north'}}, 'uid-other'],
])('another cluster than the one that %s is refused', async (_, status, identity) => {
  const {world, contact} = sitesWith(kubeconfig())

  await expect(contact('production', status, identity).reach()).rejects.toMatchObject({
    code: 'KK_WRONG_CLUSTER',
    exit: 3,
    message: expect.stringContaining('uid-other'),
  })
  expect(world.pinned).toEqual([])
})

it.each([
  ['KK_UNREACHABLE', new KkError('KK_UNREACHABLE', 'it does not answer: password=hunter2')],
  ['KK_UNREACHABLE', new KkError('KK_FORBIDDEN', 'it does not accept the credentials')],
  ['KK_KUBERNETES_VERSION', new KkError('KK_KUBERNETES_VERSION', 'it is too old')],
])('who does not say which cluster it is gives %s', async (code, fault) => {
  const {world, contact} = sitesWith(kubeconfig())
  world.answer = () => Promise.reject(fault)

  const caught: KkError = await contact()
    .reach()
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
    const {world, contact} = sitesWith(kubeconfig(user, cluster))

    await expect(contact().reach()).rejects.toMatchObject({
      code: 'KK_KUBECONFIG',
      message: expect.stringMatching(new RegExp(`the Secret north: .*${named}`)),
    })
    expect(world.opened).toEqual([])
  },
)

it.each([
  ['no Secret', undefined, 'KK_FILE', 'there is no Secret north'],
  ['a Secret with something else', `token: ${TOKEN}`, 'KK_KUBECONFIG', 'the Secret north'],
  ['a Secret without YAML', `{token: ${TOKEN}`, 'KK_KUBECONFIG', 'the Secret north: its text'],
])('%s is refused by name, and not quoted', async (_, text, code, message) => {
  const {contact} = sitesWith(text)

  const caught: KkError = await contact()
    .reach()
    .then(
      () => undefined as never,
      (error: KkError) => error,
    )

  expect(caught).toMatchObject({code, message: expect.stringContaining(message)})
  expect(caught.message + caught.hint).not.toContain(TOKEN)
})

it('of one cluster few Environments are passed over at once, and others do not wait for them', async () => {
  const {sites} = sitesWith(kubeconfig())
  const environment = (kubeconfigSecret?: string): EnvironmentObject => ({
    metadata: {name: 'e'},
    spec: {source: {configMap: 'e'}, ...(kubeconfigSecret && {cluster: {kubeconfigSecret}})},
  })
  const hang = Promise.withResolvers<void>()
  let begun = 0
  const hanging = Array.from({length: 9}, () =>
    sites.inTurn(environment('north'), () => {
      begun++
      return hang.promise
    }),
  )

  const others = await Promise.all([
    sites.inTurn(environment('south'), async () => 'south'),
    sites.inTurn(environment(), async () => 'own'),
  ])
  const before = begun
  hang.resolve()
  await Promise.all(hanging)

  expect(others).toEqual(['south', 'own'])
  expect([before, begun]).toEqual([4, 9])
})
