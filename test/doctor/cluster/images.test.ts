import {createServer} from 'node:http'
import type {AddressInfo} from 'node:net'
import {afterAll, beforeAll, expect, it} from 'vitest'
import {missingImages} from '../../../src/doctor/cluster/images.ts'
import {sourceRegistries} from '../../../src/images/registry/resolve.ts'

const requests: string[] = []
const server = createServer(({url = ''}, response) => {
  requests.push(url)
  const hasImage = url === '/v2/kk/keystone/manifests/1'
  response.writeHead(hasImage ? 200 : 404, {'docker-content-digest': `sha256:${'a'.repeat(64)}`}).end()
})
let host: string
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => server.close())

const missing = (...images: readonly string[]) => missingImages(images, sourceRegistries({env: {}}))

it('an image that the registry has is not a finding', async () => {
  expect(await missing(`${host}/kk/keystone:1`)).toEqual([])
})

it('an image that the registry does not have is a problem', async () => {
  expect(await missing(`${host}/kk/keystone:1`, `${host}/kk/glance:2`)).toEqual([
    {
      level: 'problem',
      what: `the registry ${host} does not have ${host}/kk/glance:2`,
      advice: 'push it there, or correct its name in the values',
    },
  ])
})

it('a registry that does not respond is one finding, whatever the number of images', async () => {
  const closed = '127.0.0.1:3'

  expect(await missing(`${closed}/kk/keystone:1`, `${closed}/kk/glance:1`)).toEqual([
    {
      level: 'info',
      what: `not checked: the registry ${closed} does not respond (ECONNREFUSED)`,
      advice: expect.any(String),
    },
  ])
  expect(await missing('registry.invalid/kk/keystone:1')).toMatchObject([{level: 'warning'}])
})
