import {expect, test} from 'vitest'
import {openSecretStore, secretMark} from '../../../src/kubernetes/records/secret-store.ts'
import {json, refuse, scriptedServer} from '../support/api-server.ts'

const SECRETS = '/api/v1/namespaces/kk-system/secrets'

interface Stored {
  metadata: {name: string; resourceVersion?: string}
}

/** The API server as far as Secrets in `kk-system` go, which compares resourceVersions. */
async function server() {
  const stored = new Map<string, Stored>()
  let version = 0
  let exists = false
  const {client} = await scriptedServer(({method, path, body}, response) => {
    if (path === '/api/v1/namespaces') {
      exists = true
      return json(response, {}, 201)
    }
    const name = path.slice(SECRETS.length + 1)
    if (method === 'GET' && name === '')
      return json(response, {metadata: {resourceVersion: '1'}, items: [...stored.values()]})
    if (method === 'GET') {
      const found = stored.get(name)
      return found ? json(response, found) : refuse(response, 404, 'not found')
    }
    if (!exists) return refuse(response, 404, 'namespaces "kk-system" not found')
    const sent = JSON.parse(body) as Stored
    const present = stored.get(sent.metadata.name)
    if (present?.metadata.resourceVersion !== sent.metadata.resourceVersion)
      return refuse(response, 409, 'the object has been modified')
    version += 1
    const next = {...sent, metadata: {...sent.metadata, resourceVersion: String(version)}}
    stored.set(sent.metadata.name, next)
    json(response, next)
  })
  return {secrets: openSecretStore(client), stored}
}

const password = (value: string, name = 'oslo_db.admin.password') => ({name, value, kind: 'password'})

test('stored secrets are read and listed with kind and time', async () => {
  const {secrets, stored} = await server()

  await secrets.add('openstack', [password('first')])

  const kept = await secrets.read('openstack')
  expect(kept.get('oslo_db.admin.password')).toEqual({
    value: 'first',
    kind: 'password',
    since: expect.stringMatching(/^\d{4}-/),
  })
  expect(await secrets.list()).toEqual(new Map([['openstack', kept]]))
  expect(JSON.stringify([...stored.values()])).not.toContain('first')
  expect(await secrets.read('elsewhere')).toEqual(new Map())
})

test('replaced secrets are recognised by their mark, and cannot be read', async () => {
  const {secrets, stored} = await server()
  const name = 'oslo_db.admin.password'
  for (const value of ['first', 'second', 'third'])
    await secrets.add('openstack', [password(value)], {replace: true})

  const kept = await secrets.read('openstack')

  expect(kept.get(name)?.former).toEqual([secretMark(name, 'second'), secretMark(name, 'first')])
  expect(JSON.stringify([...stored.values()])).not.toMatch(/first|second/)
})

test('concurrent writers of a secret all get the first value, and lose none', async () => {
  const {secrets} = await server()
  const numbers = Array.from({length: 10}, (_, index) => String(index))

  const kept = await Promise.all(
    numbers.map((each) => secrets.add('openstack', [password(each), password(each, `own-${each}`)])),
  )

  expect(new Set(kept.map((each) => each.get('oslo_db.admin.password')!.value)).size).toBe(1)
  expect((await secrets.read('openstack')).size).toBe(11)
})

test('an existing secret is replaced only on request', async () => {
  const {secrets} = await server()
  await secrets.add('openstack', [password('first')])

  const left = await secrets.add('openstack', [password('second')])
  const replaced = await secrets.add('openstack', [password('third')], {replace: true})

  expect(left.get('oslo_db.admin.password')!.value).toBe('first')
  expect(replaced.get('oslo_db.admin.password')!.value).toBe('third')
})

test('a Secret of another client is read by its namespace and name', async () => {
  const data = {password: Buffer.from('of-vault').toString('base64')}
  const {client} = await scriptedServer(({path}, response) =>
    path === '/api/v1/namespaces/openstack/secrets/keystone-admin'
      ? json(response, {metadata: {name: 'keystone-admin'}, data})
      : refuse(response, 404, 'not found'),
  )
  const secrets = openSecretStore(client)

  expect(await secrets.readOther('openstack', 'keystone-admin')).toEqual(new Map([['password', 'of-vault']]))
  expect(await secrets.readOther('openstack', 'elsewhere')).toBeUndefined()
})
