import type {KubernetesObject} from '../../cluster/cluster.ts'

/**
 * All texts of an object, each begun by its key on a line of its own: `key: text`, or `NAME=text` for a variable; what a
 * Secret holds is decoded. Metadata are left out.
 */
export function textOf(object: KubernetesObject): string {
  const found: string[] = []
  for (const [key, value] of Object.entries(object)) {
    if (key === 'metadata' || key === 'apiVersion' || key === 'kind') continue
    collect(key === 'data' && object.kind === 'Secret' ? decoded(value) : value, key, found)
  }
  return found.join('\n')
}

/** The same of any part of an object. */
export function textIn(tree: unknown): string {
  const found: string[] = []
  collect(tree, '', found)
  return found.join('\n')
}

function collect(tree: unknown, key: string, found: string[]): void {
  if (typeof tree === 'string') found.push(key === '' ? tree : `${key}: ${tree}`)
  if (typeof tree !== 'object' || tree === null) return
  if (Array.isArray(tree)) {
    for (const each of tree) collect(each, key, found)
    return
  }
  const {name, value} = tree as {readonly name?: unknown; readonly value?: unknown}
  if (typeof name === 'string' && typeof value === 'string') found.push(`${name}=${value}`)
  else for (const inner in tree) collect((tree as Readonly<Record<string, unknown>>)[inner], inner, found)
}

function decoded(data: unknown): unknown {
  if (typeof data !== 'object' || data === null) return undefined
  const entries = Object.entries(data).filter(([, value]) => typeof value === 'string')
  return Object.fromEntries(
    entries.map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')]),
  )
}
