import {readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {buffer} from 'node:stream/consumers'
import {setTimeout as wait} from 'node:timers/promises'
import {inject} from 'vitest'
import {type Exchange, openApiProxy, refuse} from './api-proxy.ts'

/** What becomes of one write. */
export interface Fault {
  /** Writes of helm's records (by helm and kk), of kk's Leases, or all. */
  readonly on: 'record' | 'lease' | 'any'
  /** Which of these writes, counted from 1. */
  readonly nth: number
  /**
   * `cut-before`: the connection breaks, and the API server never hears of it; `cut-after`: it does as it is
   * told, but the answer is lost; the others are answers 429 and 500 of its own, and an answer that comes
   * late.
   */
  readonly how: 'cut-before' | 'cut-after' | 'throttled' | 'error' | 'delayed'
}

/** Lets one write go wrong. */
export interface Faults {
  handle(exchange: Exchange): Promise<void>
  /** Arms a fault, or none; the count begins anew. */
  arm(fault: Fault | undefined): void
  /** Whether the fault has been met. */
  struck(): boolean
  /** How many of the writes that a fault is armed for have come. */
  seen(): number
}

const DELAY = 2_000

export function newFaults(): Faults {
  let armed: Fault | undefined
  let seen = 0
  let struck = false
  const faultOf = (exchange: Exchange): Fault['how'] | undefined => {
    const written = writesTo(exchange)
    if (!armed || !written || (armed.on !== 'any' && written !== armed.on)) return undefined
    seen += 1
    if (struck || seen !== armed.nth) return undefined
    struck = true
    return armed.how
  }
  return {
    async handle(exchange) {
      const fault = faultOf(exchange)
      if (fault === 'cut-before') return exchange.cut()
      if (fault === 'throttled') return refuse(exchange, 429, {'retry-after': '1'})
      if (fault === 'error') return refuse(exchange, 500)
      if (fault === 'delayed') await wait(DELAY)
      const answer = await exchange.forward()
      if (fault !== 'cut-after') return exchange.pass(answer)
      await buffer(answer)
      exchange.cut()
    },
    arm(fault) {
      armed = fault
      seen = 0
      struck = false
    },
    struck: () => struck,
    seen: () => seen,
  }
}

/** Stands before the API server of the run, and lets one write go wrong. Whoever comes is let in. */
export interface FaultProxy extends Pick<Faults, 'arm' | 'struck'> {
  /** For `KUBECONFIG`. */
  readonly kubeconfig: string
  close(): Promise<void>
}

export async function openFaultProxy(directory: string): Promise<FaultProxy> {
  const faults = newFaults()
  const run = inject('run').kubeconfig
  const {server, close} = await openApiProxy({
    kubeconfig: run,
    asAdministrator: true,
    handle: faults.handle,
  })
  const upstream = JSON.parse(await readFile(run, 'utf8'))
  const [{cluster, ...named}] = upstream.clusters
  const [user] = upstream.users
  const kubeconfig = join(directory, 'proxy.kubeconfig')
  const clusters = [{...named, cluster: {...cluster, server}}]
  const users = [{...user, user: {token: 'anybody'}}]
  await writeFile(kubeconfig, JSON.stringify({...upstream, clusters, users}), {mode: 0o600})
  return {...faults, kubeconfig, close}
}

function writesTo({method, url, body}: Exchange): 'record' | 'lease' | 'other' | undefined {
  if (method === 'GET' || /dryRun=|selfsubjectaccessreviews/.test(url)) return undefined
  if (/\/namespaces\/kk-system\/leases(\/|\?|$)/.test(url)) return 'lease'
  const isSecret = /\/namespaces\/[^/]+\/secrets(\/|\?|$)/.test(url)
  const name = 'sh.helm.release.v1.'
  return isSecret && (url.includes(name) || body.includes(name)) ? 'record' : 'other'
}
