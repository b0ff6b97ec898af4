import {Agent as HttpAgent} from 'node:http'
import {Agent as HttpsAgent} from 'node:https'
import {createSecureContext} from 'node:tls'
import {credentialReader, noCredentials} from './credential-reader.ts'
import type {Credentials, Headers, TlsOptions} from './credentials.ts'
import type {ClusterAccess} from './kubeconfig.ts'

type Agent = HttpAgent | HttpsAgent

/** The agent and headers of a request. */
interface Opened {
  readonly agent: Agent
  readonly headers: Headers
}

export interface Connection {
  open(): Promise<Opened>
  /** Has the credentials read again, for the API server does not accept the present ones. */
  expire(): void
  close(): void
}

/** The time for which tokens and certificates from files and plugins are reused; they may change during a run. */
const FRESH_MILLISECONDS = 60_000

/** Returns connections with the credentials of one kubeconfig user, which are kept fresh. */
export function connect(access: ClusterAccess): Connection {
  const agents = new Map<string | Agent, Agent>()
  let read = credentialReader(access)
  let current: {readonly since: number; readonly value: Promise<Opened>} | undefined

  function agentOf(credentials: Credentials): Agent {
    const key = 'agent' in credentials ? credentials.agent : JSON.stringify(credentials.tls)
    const agent =
      agents.get(key) ?? ('agent' in credentials ? credentials.agent : makeAgent(access, credentials.tls))
    agents.set(key, agent)
    return agent
  }

  async function refresh(): Promise<Opened> {
    const credentials = await read()
    return {agent: agentOf(credentials), headers: credentials.headers}
  }

  return {
    open() {
      if (current && performance.now() - current.since < FRESH_MILLISECONDS) return current.value
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
 * Returns an agent with one secure context for all connections: Node would read the certificates again for each, 4 ms
 * every time.
 */
function makeAgent(access: ClusterAccess, tls: TlsOptions): Agent {
  const {proxy} = access
  // Whether the server is to be reached through it was decided before.
  const shared = {keepAlive: true, ...(proxy && {proxyEnv: {HTTP_PROXY: proxy, HTTPS_PROXY: proxy}})}
  if (access.server.startsWith('http:')) return new HttpAgent(shared)
  try {
    return new HttpsAgent({...tls, secureContext: createSecureContext(tls), ...shared})
  } catch (error) {
    throw noCredentials(access, error)
  }
}
