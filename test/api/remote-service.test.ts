import {type AddressInfo, createServer} from 'node:net'
import type {FastifyInstance} from 'fastify'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {remoteService} from '../../src/api/remote-service.ts'
import {parseTokens} from '../../src/api/tokens.ts'
import type {KkError} from '../../src/base/errors.ts'
import type {OverrideService} from '../../src/overrides/service.ts'
import {type TestOverrides, testOverrides} from './support/overrides.ts'
import {testServer} from './support/server.ts'

const TOKEN = 'w'.repeat(32)

/** What somebody does with overrides, and what comes of it. */
async function story(service: OverrideService): Promise<unknown> {
  const told: unknown[] = [
    await service.charts(),
    await service.show('rabbitmq', 'openstack'),
    await service.explain('rabbitmq', 'openstack'),
  ]
  const values = {
    files: [{source: 'extra.yaml', text: 'a: {b: 1}'}],
    set: ['pod.replicas=2'],
    setString: ['c=3'],
  }
  const place = ['rabbitmq', 'openstack'] as const
  const dry = await service.update(...place, {flag: 'reuse', values, dryRun: true, showSecrets: true})
  told.push(dry.userOverrides)
  const {etag, ...updated} = await service.update('rabbitmq', 'openstack', {flag: 'reuse', values})
  told.push(updated, {...(await service.show(...place)), etag: undefined})
  const failing = [
    () => service.show('rabbit', 'openstack'),
    () => service.update('rabbitmq', 'openstack', {flag: 'reset', values, ifMatch: ['another']}),
    () => service.delete('rabbitmq', 'openstack', {ifMatch: ['another', 'a third']}),
    () => service.update('rabbitmq', 'openstack', {flag: 'reset', values: {...values, set: ['a']}}),
  ]
  for (const call of failing) {
    const error = (await call().catch((each) => each)) as {code: string; hint: string}
    told.push({code: error.code, hint: error.hint})
  }
  const changes = await service.history({name: 'rabbitmq', namespace: 'openstack'})
  const document = await service.export()
  told.push(
    changes.map(({at: _, ...change}) => change),
    document.replace(/^store: .*$/m, ''),
    (await service.history()).length,
    (await service.history({name: 'ingress', namespace: 'openstack'})).length,
  )
  await service.delete('rabbitmq', 'openstack', etag === undefined ? {} : {ifMatch: ['another', etag]})
  told.push(await service.show('rabbitmq', 'openstack'))
  const how = {file: 'the document', prune: true}
  const other = 'version: 1\noverrides: {ingress: {openstack: {a: 1}}}\n'
  told.push(await service.import(document, {...how, dryRun: true}))
  told.push(await service.import(document, {...how, dryRun: false}))
  told.push(await service.import(other, {...how, dryRun: false}))
  for (const bad of ['version: 2\n', 'version: 1\noverrides: {ingres: {openstack: {a: 1}}}\n']) {
    const error = (await service.import(bad, {...how, dryRun: false}).catch((each) => each)) as KkError
    told.push({code: error.code, hint: error.hint, message: error.message})
  }
  return [...told, (await service.history()).length]
}

describe('the remote override service', () => {
  let app: FastifyInstance
  let url: string
  let remote: TestOverrides
  let local: TestOverrides
  beforeAll(async () => {
    remote = await testOverrides()
    local = await testOverrides()
    const tokens = parseTokens(`write ${TOKEN}`, 'tokens')
    app = await testServer(remote, {releasesOf: () => undefined, tokens})
    await app.listen({host: '127.0.0.1', port: 0})
    url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  })
  afterAll(async () => {
    await app.close()
    await remote.remove()
    await local.remove()
  })

  it('returns the same results and errors as the local one', async () => {
    expect(await story(remoteService({url, token: TOKEN}))).toEqual(
      await story(local.serviceFor('token of line 1')),
    )
  })

  it('reports requests that the server rejects, without the token', async () => {
    const token = 'wrong-'.repeat(6)
    const refused = remoteService({url, token}).charts()

    await expect(refused).rejects.toMatchObject({code: 'KK_SERVER', message: 'the token is invalid'})
    await expect(refused).rejects.not.toThrow(token)
  })

  it('reports that the server does not respond', async () => {
    const closed = createServer()
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve))
    const gone = `http://127.0.0.1:${(closed.address() as AddressInfo).port}`
    await new Promise((resolve) => closed.close(resolve))

    await expect(remoteService({url: gone}).charts()).rejects.toMatchObject({
      code: 'KK_SERVER',
      message: `${gone} does not respond (ECONNREFUSED)`,
    })
  })
})
