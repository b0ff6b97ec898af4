import {BRIDGE, NODE_NETWORKS, PODS} from '../network.ts'
import {command} from './command.ts'

const FAMILIES = ['iptables', 'ip6tables'] as const

export type Family = (typeof FAMILIES)[number]

/** The names of the chains that kk, Kubernetes and the CNI plugins create. */
const CHAIN = /^(?:KK-AIO|KUBE|CNI)-/

/**
 * The rules of the node: pods reach each other and external hosts, which reach neither them nor the bridge.
 */
const RULES = `*nat
:KK-AIO-POSTROUTING - [0:0]
-I POSTROUTING -j KK-AIO-POSTROUTING
-A KK-AIO-POSTROUTING -s ${PODS} ! -d ${PODS} -j MASQUERADE
COMMIT
*filter
:KK-AIO-INPUT - [0:0]
:KK-AIO-FORWARD - [0:0]
-I INPUT -j KK-AIO-INPUT
-I FORWARD -j KK-AIO-FORWARD
-A KK-AIO-INPUT -i lo -j RETURN
-A KK-AIO-INPUT -i ${BRIDGE} -j RETURN
-A KK-AIO-INPUT -d ${PODS} -j DROP
${[BRIDGE, ...NODE_NETWORKS.map(({bridge}) => bridge)].map((bridge) => `-A KK-AIO-FORWARD -i ${bridge} -j ACCEPT`).join('\n')}
-A KK-AIO-FORWARD -o ${BRIDGE} -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT
-A KK-AIO-FORWARD -o ${BRIDGE} -j DROP
COMMIT
`

/** A chain that belongs, or may belong, to the node. */
export interface Chain {
  readonly table: string
  readonly name: string
}

export async function addRules(): Promise<void> {
  await command(['iptables-restore', '--noflush', '--wait'], RULES)
}

/** Removes the chains of the node and the rules that jump to them, except the chains in `before`. */
export async function removeRules(before: Readonly<Record<Family, readonly Chain[]>>): Promise<void> {
  for (const family of FAMILIES) {
    const input = removal(await command([`${family}-save`]), before[family])
    if (input !== '') await command([`${family}-restore`, '--noflush', '--wait'], input)
  }
}

/** Returns the chains of `iptables-save` whose names look like the node's. */
export async function nodeChains(family: Family): Promise<readonly Chain[]> {
  return tables(await command([`${family}-save`])).flatMap(({table, chains}) =>
    chains.map((name) => ({table, name})),
  )
}

/**
 * Converts the output of `iptables-save` to input of `iptables-restore --noflush` that removes the chains.
 */
export function removal(saved: string, before: readonly Chain[]): string {
  const documents = tables(saved).flatMap(({table, chains, rules}) => {
    const preserved = before.filter((each) => each.table === table).map(({name}) => name)
    const removed = chains.filter((name) => !preserved.includes(name))
    if (removed.length === 0) return []
    const jumps = rules.filter(({chain, target}) => !removed.includes(chain) && removed.includes(target))
    return [
      `*${table}`,
      ...jumps.map(({text}) => text.replace(/^-A/, '-D')),
      // Declaring a chain flushes it, so that no chain blocks the removal of another.
      ...removed.map((name) => `:${name} - [0:0]`),
      ...removed.map((name) => `-X ${name}`),
      'COMMIT',
    ]
  })
  return documents.map((line) => `${line}\n`).join('')
}

interface Table {
  readonly table: string
  readonly chains: readonly string[]
  readonly rules: readonly {readonly text: string; readonly chain: string; readonly target: string}[]
}

function tables(saved: string): readonly Table[] {
  return saved
    .split(/^\*/m)
    .slice(1)
    .map((text) => {
      const lines = text.split('\n')
      return {
        table: lines[0]!.trim(),
        chains: lines.flatMap((line) => /^:(\S+)/.exec(line)?.[1] ?? []).filter((name) => CHAIN.test(name)),
        rules: lines
          .filter((line) => line.startsWith('-A '))
          .map((line) => ({
            text: line,
            chain: line.split(' ')[1]!,
            target: / -[jg] (\S+)/.exec(line)?.[1] ?? '',
          })),
      }
    })
}
