import {readFile} from 'node:fs/promises'
import {createServer} from 'node:http'
import type {AddressInfo} from 'node:net'
import {expect, inject, it, onTestFinished} from 'vitest'
import {openProxy} from '../support/proxy.ts'
import {openCorner, TWO} from './support/corner.ts'

it('kk and its helm plan, deploy and inspect a cloud through a proxy', async () => {
  const [corner, proxy] = [await openCorner(TWO), await openProxy()]
  const own = await readFile(inject('run').kubeconfig, 'utf8')
  const [, port] = /https:\/\/127\.0\.0\.1:(\d+)/.exec(own)!
  const far = own.replace(
    /"server": "[^"]*"/,
    `"server": "https://faraway.invalid:${port}", "tls-server-name": "localhost"`,
  )
  const KUBECONFIG = await corner.write('far', far)
  const env = {KUBECONFIG, HTTPS_PROXY: proxy.url, NO_PROXY: 'near.invalid,10.0.0.0/8'}

  const deployed = await corner.kk(['deploy', 'env.yaml'], {env})
  const asked = proxy.asked.length
  const status = await corner.kk(['status', 'env.yaml'], {env})
  const past = await corner.kk(['status', 'env.yaml'], {env: {...env, NO_PROXY: '.invalid'}})

  expect(deployed.exitCode, deployed.stderr).toBe(0)
  expect([status.exitCode, status.stdout]).toEqual([0, expect.stringMatching(/^api +1 +deployed +healthy/m)])
  expect(past.stderr).toContain('KK_UNREACHABLE')
  expect(new Set(proxy.asked)).toEqual(new Set([`CONNECT faraway.invalid:${port}`]))
  expect(proxy.asked.length).toBeGreaterThan(asked)
})

it('a remote override service behind a proxy is reached through it', async () => {
  const [corner, proxy] = [await openCorner(TWO), await openProxy()]
  const server = createServer((_, response) =>
    response.setHeader('content-type', 'application/json').end('{"charts":[]}'),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const url = `http://faraway.invalid:${(server.address() as AddressInfo).port}`

  const {exitCode, stderr} = await corner.kk(['overrides', 'list', '--server', url], {
    env: {HTTP_PROXY: proxy.url},
  })

  expect(exitCode, stderr).toBe(0)
  expect(proxy.asked).toEqual([`GET ${url}/v1/helm_charts`])
})
