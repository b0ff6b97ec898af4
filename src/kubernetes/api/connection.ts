import {Agent as HttpAgent} from 'node:http'
import {Agent as HttpsAgent} from 'node:https'
import {createSecureContext} from 'node:tls'
import {credentialReader, noCredentials} from './credential-reader.ts'
import type {Credentials, Headers, TlsOptions} from './credentials.ts'
import type {ClusterAccess} from './kubeconfig.ts'

type Agent = HttpAgent | HttpsAgent

/** The agent and headers of a request. */
interface RequestContext {
  readonly agent: Agent
  readonly headers: Headers
}

export interface Connection {
  open(): Promise<RequestContext>
  /** Discards the cached credentials, after the API server has refused them. */
  expire(): void
  close(): void
}

/** The TTL of tokens and certificates from files and plugins, which may change during a run. */
const CREDENTIALS_TTL_MS = 60_000

/** Returns a connection with the credentials of one kubeconfig user, refreshed after their TTL. */
export function connect(access: ClusterAccess): Connection {
  const agents = new Map<string | Agent, Agent>()
  let read = credentialReader(access)
  let current: {readonly since: number; readonly value: Promise<RequestContext>} | undefined

  function cachedAgent(credentials: Credentials): Agent {
    const key = 'agent' in credentials ? credentials.agent : JSON.stringify(credentials.tls)
    const agent =
      agents.get(key) ?? ('agent' in credentials ? credentials.agent : makeAgent(access, credentials.tls))
    agents.set(key, agent)
    return agent
  }

  async function refresh(): Promise<RequestContext> {
    const credentials = await read()
    return {agent: cachedAgent(credentials), headers: credentials.headers}
  }

  return {
    open() {
      if (current && performance.now() - current.since < CREDENTIALS_TTL_MS) return current.value
      const value = refresh()
      current = {since: performance.now(), value}
      value.catch(() => {
        current = undefined
      })
      return value
    },
    expire() {
      current = undefined
      read = credentialReader(access)
    },
    close() {
      for (const agent of agents.values()) agent.destroy()
    },
  }
}

/**
 * Returns an agent with one secure context for all connections: Node would read the certificates again for
 * each, at 4 ms.
 */
function makeAgent(access: ClusterAccess, tls: TlsOptions): Agent {
  const {proxy} = access
  // The use of the proxy (`NO_PROXY`) was decided before.
  const shared = {keepAlive: true, ...(proxy && {proxyEnv: {HTTP_PROXY: proxy, HTTPS_PROXY: proxy}})}
  if (access.server.startsWith('http:')) return new HttpAgent(shared)
  try {
    return new HttpsAgent({...tls, secureContext: createSecureContext(tls), ...shared})
  } catch (error) {
    throw noCredentials(access, error)
  }
}
