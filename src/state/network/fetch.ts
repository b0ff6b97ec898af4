import type {Dispatcher} from 'undici'
import {oncePerObject} from '../../base/once.ts'
import {loadBundle} from '../assets.ts'
import {namesProxy, proxyFor} from './proxy.ts'

/**
 * Sends a request as `fetch` does, through the proxy that the environment configures for its address, and for
 * the address of each redirect. The proxy library is loaded only if a proxy is configured.
 */
export async function fetchThroughProxy(
  url: string | URL,
  options: RequestInit = {},
  env: NodeJS.ProcessEnv = process.env,
): Promise<Response> {
  if (!namesProxy(env)) return fetch(url, options)
  const {send, dispatcher} = await proxyClient(env)
  return (await send(url, {...options, dispatcher} as Parameters<typeof send>[1])) as unknown as Response
}

/** Returns the client of an environment. Its connections are reused. */
const proxyClient = oncePerObject(async (env: NodeJS.ProcessEnv) => {
  const undici = await loadBundle('proxy', () => import('./libraries.ts'))
  const direct = new undici.Agent()
  const proxies = new Map<string, Dispatcher>()
  const through = (proxy: string) => {
    const agent =
      proxies.get(proxy) ??
      (/^socks5h?:/i.test(proxy)
        ? new undici.Socks5ProxyAgent(proxy)
        : new undici.ProxyAgent({uri: proxy, proxyTunnel: false}))
    proxies.set(proxy, agent)
    return agent
  }
  const dispatcher = direct.compose(() => (request, handler) => {
    const proxy = proxyFor(String(request.origin), env)
    return (proxy === undefined ? direct : through(proxy)).dispatch(request, handler)
  })
  return {send: undici.fetch, dispatcher}
})
