import type {Values} from '../../release.ts'
import {pythonFloat} from './float.ts'
import {type PythonMap, type PythonNode, type PythonPair, type PythonScalar, pythonMap} from './node.ts'

/** Values as Python would hold them. No two nodes are one object, so nothing becomes an anchor. */
export function plainMap(values: Values): PythonMap {
  const entries = Object.entries(values).map(([name, value]): [string, PythonPair] => [
    name,
    {key: text(name), value: plainNode(value)},
  ])
  return pythonMap(new Map(entries))
}

function plainNode(value: unknown): PythonNode {
  if (value === null || value === undefined) return word('null', 'null')
  if (Array.isArray(value)) return {kind: 'list', items: value.map(plainNode)}
  if (typeof value === 'object') return plainMap(value as Values)
  if (typeof value === 'boolean') return word('bool', String(value))
  if (typeof value === 'bigint') return word('int', String(value))
  if (typeof value === 'number') return number(value)
  return text(String(value))
}

/** Helm knows one kind of number, Python two: what has no fraction is an integer, as far as Helm reads integers. */
function number(value: number): PythonScalar {
  const isInteger = Number.isInteger(value) && Math.abs(value) < 2 ** 63 && !Object.is(value, -0)
  return isInteger ? word('int', String(BigInt(value))) : word('float', pythonFloat(value))
}

function word(type: PythonScalar['type'], written: string): PythonScalar {
  return {kind: 'scalar', type, text: written, bare: true}
}

function text(value: string): PythonScalar {
  return {kind: 'scalar', type: 'str', text: value, bare: false}
}
