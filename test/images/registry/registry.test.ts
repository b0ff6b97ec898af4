import {createServer} from 'node:http'
import type {AddressInfo} from 'node:net'
import {describe, expect, it, onTestFinished} from 'vitest'
import {parseRegistry, pushedDigest} from '../../../src/images/registry/registry.ts'
import {surveyed} from '../support/surveyed.ts'

describe('a registry', () => {
  it.each([
    ['127.0.0.1:5000', true, ''],
    ['localhost', true, ''],
    ['[::1]:5000/cloud', true, 'cloud/'],
    ['10.244.0.1:5000', false, ''],
    ['127.0.0.1.example.org', false, ''],
    ['registry.example.org/cloud/one', false, 'cloud/one/'],
  ])('%s is accessed without TLS: %s', (text, plain, prefix) => {
    expect(parseRegistry(text)).toMatchObject({name: text, plain, prefix})
  })

  it('is accessed without TLS if requested', () => {
    expect(parseRegistry('10.244.0.1:5000', {plain: true}).plain).toBe(true)
  })

  it.each(['http://127.0.0.1:5000', 'a registry', '', 'host/'])('%j is not a registry', (text) => {
    expect(() => parseRegistry(text)).toThrow(expect.objectContaining({code: 'KK_USAGE'}))
  })

  it('returns the digest of an existing image, and undefined for others', async () => {
    const server = createServer(({url}, response) => {
      const found = url === '/v2/cloud/kk/keystone/manifests/2025.1-debian-trixie'
      response.writeHead(found ? 200 : 404, found ? {'docker-content-digest': 'sha256:abc'} : {}).end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const {port} = server.address() as AddressInfo
    const registry = parseRegistry(`127.0.0.1:${port}/cloud`)

    expect(await pushedDigest(surveyed('keystone').image, registry)).toBe('sha256:abc')
    expect(await pushedDigest(surveyed('glance').image, registry)).toBeUndefined()
  })
})
