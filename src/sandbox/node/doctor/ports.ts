import {readFile} from 'node:fs/promises'
import {DNS_PORT, KUBELET_PORT, REGISTRY_PORT} from '../network.ts'
import type {Finding} from './finding.ts'

/** The ports that cannot be others: what is asked by name or by number of old. */
const PORTS = [
  {
    port: DNS_PORT,
    table: 'tcp',
    what: 'DNS',
    advice: 'let your DNS server listen on its own addresses only (dnsmasq: bind-interfaces)',
  },
  {
    port: DNS_PORT,
    table: 'udp',
    what: 'DNS',
    advice: 'let your DNS server listen on its own addresses only (dnsmasq: bind-interfaces)',
  },
  {port: KUBELET_PORT, table: 'tcp', what: 'the kubelet', advice: 'end the other Kubernetes of this machine'},
  {
    port: REGISTRY_PORT,
    table: 'tcp',
    what: 'the registry',
    advice: 'end what listens there: ss --listening --processes',
  },
] as const

/** As the kernel writes addresses: all of them, and loopback. */
const ALL = ['00000000', '0'.repeat(32)]
const LOOPBACK = '0100007F'

/** What `/proc/net/tcp` and `/proc/net/udp` call listening. */
const LISTENING = {tcp: '0A', udp: '07'} as const

/** Whether something listens on all addresses, and so on the node's, which are not there yet; the registry's are on loopback, too. */
export async function checkPorts(): Promise<readonly Finding[]> {
  const taken = await Promise.all(
    PORTS.map(async (each) => ((await isTaken(each.table, each.port)) ? [each] : [])),
  )
  const problems = taken.flat().map(
    ({port, table, what, advice}): Finding => ({
      check: 'ports',
      level: 'problem',
      what: `something listens already on port ${port} (${table}), where ${what} is to answer`,
      advice,
    }),
  )
  if (problems.length > 0) return problems
  return [{check: 'ports', level: 'ok', what: `${DNS_PORT}, ${REGISTRY_PORT} and ${KUBELET_PORT} are free`}]
}

async function isTaken(table: 'tcp' | 'udp', port: number): Promise<boolean> {
  const addresses = port === REGISTRY_PORT ? [...ALL, LOOPBACK] : ALL
  const texts = await Promise.all(
    [table, `${table}6`].map((name) => readFile(`/proc/net/${name}`, 'utf8').catch(() => '')),
  )
  return texts
    .flatMap((text) => text.split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state]) => state === LISTENING[table])
    .map(([, local = '']) => local.split(':'))
    .some(([address = '', hex = '']) => Number.parseInt(hex, 16) === port && addresses.includes(address))
}
