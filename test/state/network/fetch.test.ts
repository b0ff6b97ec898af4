import {createServer} from 'node:http'
import type {AddressInfo} from 'node:net'
import {expect, it, onTestFinished} from 'vitest'
import {fetchThroughProxy} from '../../../src/state/network/fetch.ts'
import {openProxy} from '../../support/proxy.ts'

/** A server that redirects `/from?URL` to that URL, and echoes all else. */
async function openServer(): Promise<number> {
  const server = createServer(async (request, response) => {
    const url = new URL(request.url!, 'http://server')
    if (url.pathname === '/from')
      return void response.writeHead(302, {location: decodeURIComponent(url.search.slice(1))}).end()
    let body = ''
    for await (const chunk of request) body += String(chunk)
    response.end(`${request.method} ${request.url} ${body}`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

it('fetchThroughProxy uses the proxy of the environment, and none for hosts in NO_PROXY', async () => {
  const [port, proxy] = [await openServer(), await openProxy()]
  const env = {HTTP_PROXY: proxy.url.replace('//', '//ada:s3cret@')}
  const body = 'hello'

  const through = await fetchThroughProxy(`http://faraway.invalid:${port}/a`, {method: 'POST', body}, env)
  const own = await fetchThroughProxy(`http://127.0.0.1:${port}/b`, {}, env)
  const past = fetchThroughProxy(`http://faraway.invalid:${port}/c`, {}, {...env, NO_PROXY: '.invalid'})

  expect(await through.text()).toBe('POST /a hello')
  expect(await own.text()).toBe('GET /b ')
  await expect(past).rejects.toThrow('fetch failed')
  const login = Buffer.from('ada:s3cret').toString('base64')
  expect(proxy.asked).toEqual([`POST http://faraway.invalid:${port}/a Basic ${login}`])
})

it('fetchThroughProxy chooses the proxy of a redirect by its own address', async () => {
  const [port, proxy] = [await openServer(), await openProxy()]
  const env = {HTTP_PROXY: proxy.url, NO_PROXY: 'near.invalid'}
  const away = encodeURIComponent(`http://127.0.0.1:${port}/near`)
  const back = encodeURIComponent(`http://faraway.invalid:${port}/far`)

  const near = await fetchThroughProxy(`http://faraway.invalid:${port}/from?${away}`, {}, env)
  const far = await fetchThroughProxy(`http://127.0.0.1:${port}/from?${back}`, {}, env)

  expect([near.url, await near.text()]).toEqual([`http://127.0.0.1:${port}/near`, 'GET /near '])
  expect(await far.text()).toBe('GET /far ')
  expect(proxy.asked).toEqual([
    `GET http://faraway.invalid:${port}/from?${away}`,
    `GET http://faraway.invalid:${port}/far`,
  ])
})
