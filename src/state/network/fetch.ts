import type {Dispatcher} from 'undici'
import {oncePerObject} from '../../base/once.ts'
import {loadBundle} from '../assets.ts'
import {namesProxy, proxyFor} from './proxy.ts'

/**
 * Sends a request as `fetch` does, through the proxy that the environment names for its address, and for that of each
 * redirection. What carries it out is loaded only if there is a proxy.
 */
export async function fetchThroughProxy(
  url: string | URL,
  options: RequestInit = {},
  env: NodeJS.ProcessEnv = process.env,
): Promise<Response> {
  if (!namesProxy(env)) return fetch(url, options)
  const {send, dispatcher} = await proxyingOf(env)
  return (await send(url, {...options, dispatcher} as Parameters<typeof send>[1])) as unknown as Response
}

/** Connections are kept for the next request of the same environment. */
const proxyingOf = oncePerObject(async (env: NodeJS.ProcessEnv) => {
  const undici = await loadBundle('proxy', () => import('./libraries.ts'))
  const direct = new undici.Agent()
  const proxies = new Map<string, Dispatcher>()
  const through = (proxy: string) => {
    const found =
      proxies.get(proxy) ??
      (/^socks5h?:/i.test(proxy)
        ? new undici.Socks5ProxyAgent(proxy)
        : new undici.ProxyAgent({uri: proxy, proxyTunnel: false}))
    proxies.set(proxy, found)
    return found
  }
  const dispatcher = direct.compose(() => (request, handler) => {
    const proxy = proxyFor(String(request.origin), env)
    return (proxy === undefined ? direct : through(proxy)).dispatch(request, handler)
  })
  return {send: undici.fetch, dispatcher}
})
