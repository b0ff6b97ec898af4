/**
 * A node of the tree that Python holds after `yaml.load`, ready to be written. Objects shared in Python are
 * one object.
 */
export type PythonNode = PythonScalar | PythonList | PythonMap

export interface PythonScalar {
  readonly kind: 'scalar'
  readonly type: 'str' | 'null' | 'bool' | 'int' | 'float' | 'timestamp' | 'binary'
  /** The string that `yaml.dump` writes, before quoting. */
  readonly text: string
  /** Whether it is always written without quotes, so that the word keeps its meaning for Helm. */
  readonly bare: boolean
}

export interface PythonList {
  readonly kind: 'list'
  readonly items: readonly PythonNode[]
}

export interface PythonPair {
  readonly key: PythonScalar
  readonly value: PythonNode
}

export interface PythonMap {
  readonly kind: 'map'
  /** The pairs by the name that Helm gives to the key, in insertion order. */
  readonly entries: ReadonlyMap<string, PythonPair>
  /** The pairs in the order in which `yaml.dump` writes them. */
  readonly pairs: readonly PythonPair[]
}

/**
 * Returns a map with its pairs in the order of Python's `sorted`. Keys that Python cannot compare keep their
 * order.
 */
export function pythonMap(entries: ReadonlyMap<string, PythonPair>): PythonMap {
  const pairs = [...entries.values()]
  const compare = comparison(pairs)
  if (compare) pairs.sort((left, right) => compare(left.key, right.key))
  return {kind: 'map', entries, pairs}
}

type Compare = (left: PythonScalar, right: PythonScalar) => number

function comparison(pairs: readonly PythonPair[]): Compare | undefined {
  const [first] = pairs
  if (!first || pairs.length === 1) return undefined
  const type = comparable(first.key)
  for (const {key} of pairs) if (comparable(key) !== type) return undefined
  return type === 'number' ? compareNumbers : (left, right) => comparePoints(left.text, right.text)
}

function comparable(key: PythonScalar): string {
  return key.type === 'int' || key.type === 'float' || key.type === 'bool' ? 'number' : key.type
}

function compareNumbers(left: PythonScalar, right: PythonScalar): number {
  if (left.type !== 'int' || right.type !== 'int') return numericValue(left) - numericValue(right)
  const difference = BigInt(left.text) - BigInt(right.text)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

function numericValue(key: PythonScalar): number {
  return key.type === 'bool' ? Number(key.text === 'true') : Number(key.text)
}

/** Compares by code points, as Python compares strings. JavaScript compares UTF-16 units. */
function comparePoints(left: string, right: string): number {
  const length = Math.min(left.length, right.length)
  for (let index = 0; index < length; index += 1) {
    const one = left.charCodeAt(index)
    const other = right.charCodeAt(index)
    if (one !== other) return rank(one) - rank(other)
  }
  return left.length - right.length
}

/** Ranks surrogates highest because they encode the highest code points. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit
}
