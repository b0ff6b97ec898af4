import type {KubernetesObject} from '../../cluster/cluster.ts'
import {dig, digText} from './dig.ts'

/**
 * Every text in an object, each as `key: text`, or `NAME=text` for a variable; what a Secret holds is decoded. Metadata are
 * left out.
 */
export function textsOf(object: KubernetesObject): readonly string[] {
  const {metadata: _, data, ...rest} = object
  const found: string[] = []
  if (object.kind === 'Secret') collect(decoded(data), '', found)
  else if (data !== undefined) collect(data, '', found)
  collect(rest, '', found)
  return found
}

/** The texts in any part of an object. */
export function textsIn(tree: unknown): readonly string[] {
  const found: string[] = []
  collect(tree, '', found)
  return found
}

function collect(tree: unknown, key: string, found: string[]): void {
  if (typeof tree === 'string') found.push(key === '' ? tree : `${key}: ${tree}`)
  if (typeof tree !== 'object' || tree === null) return
  if (Array.isArray(tree)) for (const each of tree) collect(each, key, found)
  else if (isVariable(tree)) found.push(`${digText(tree, 'name')}=${digText(tree, 'value')}`)
  else for (const [name, value] of Object.entries(tree)) collect(value, name, found)
}

function isVariable(tree: object): boolean {
  return typeof dig(tree, 'name') === 'string' && typeof dig(tree, 'value') === 'string'
}

function decoded(data: unknown): unknown {
  if (typeof data !== 'object' || data === null) return undefined
  const entries = Object.entries(data).filter(([, value]) => typeof value === 'string')
  return Object.fromEntries(
    entries.map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')]),
  )
}
