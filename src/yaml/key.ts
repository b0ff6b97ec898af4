import {type Source, yamlError} from './error.ts'
import {type Node, targetNode} from './node.ts'
import {exactInteger, resolveWord} from './word.ts'

const SIGNED_END = 2n ** 63n

/**
 * Returns the name that Helm gives to a key: `y:` is "true", `0x10:` is "16", `1e6:` is "1e+06".
 * sigs.k8s.io/yaml: yaml.go convertToJSONableObject. Throws `KK_YAML` for null, maps, lists and 64-bit
 * integers.
 */
export function keyText(source: Source, node: Node): string {
  const key = targetNode(node)
  if (key.kind !== 'scalar') throw badKey(source, node, `a ${key.kind}`)
  if (!key.plain || key.tag !== '') return key.text
  const word = resolveWord(key.text)
  if (!word) return key.text
  if (word.kind === 'null') throw badKey(source, node, 'null')
  if (word.kind === 'bool') return String(word.value)
  if (word.kind === 'float') return floatText(word.value)
  if (Number.isSafeInteger(word.value)) return String(word.value)
  const exact = exactInteger(key.text) as bigint
  if (exact >= SIGNED_END) throw badKey(source, node, `an integer beyond 63 bits`)
  return String(exact)
}

function badKey(source: Source, node: Node, what: string): Error {
  return yamlError(source, node.offset, `expected a string as a key, got ${what}`, 'write the key in quotes')
}

/**
 * Formats a float like Go's `strconv.FormatFloat(value, 'g', -1, 32)`, which sigs.k8s.io/yaml uses for keys.
 */
function floatText(value: number): string {
  if (Number.isNaN(value)) return '.nan'
  const single = Math.fround(value)
  if (!Number.isFinite(single)) return single > 0 ? '.inf' : '-.inf'
  if (single === 0) return Object.is(single, -0) ? '-0' : '0'
  const shortest = shortestSingle(single)
  const exponent = Number(shortest.slice(shortest.indexOf('e') + 1))
  if (exponent >= -4 && exponent < 6) return String(Number(shortest))
  const size = String(Math.abs(exponent)).padStart(2, '0')
  return `${shortest.slice(0, shortest.indexOf('e'))}e${exponent < 0 ? '-' : '+'}${size}`
}

/** Returns the fewest digits that parse to the same 32-bit float, as `d.ddde±x`. */
function shortestSingle(single: number): string {
  for (let count = 0; count < 9; count += 1) {
    const text = single.toExponential(count)
    if (Math.fround(Number(text)) === single) return text
  }
  return single.toExponential(9)
}
