/** The meaning of a plain scalar that is not a string. */
export type Word =
  | {readonly kind: 'null'; readonly value: null}
  | {readonly kind: 'bool'; readonly value: boolean}
  | {readonly kind: 'int'; readonly value: number}
  | {readonly kind: 'float'; readonly value: number}

const NULL: Word = {kind: 'null', value: null}
const TRUE: Word = {kind: 'bool', value: true}
const FALSE: Word = {kind: 'bool', value: false}

const CONSTANTS: ReadonlyMap<string, Word> = new Map([
  ...words(NULL, '', '~', 'null', 'Null', 'NULL'),
  ...words(TRUE, 'y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'),
  ...words(FALSE, 'n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'),
  ...words({kind: 'float', value: Infinity}, '.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF'),
  ...words({kind: 'float', value: -Infinity}, '-.inf', '-.Inf', '-.INF'),
  ...words({kind: 'float', value: Number.NaN}, '.nan', '.NaN', '.NAN'),
])

function words(meaning: Word, ...spellings: string[]): [string, Word][] {
  return spellings.map((spelling) => [spelling, meaning])
}

/**
 * Returns the value that Helm resolves for a plain scalar; undefined for a string. Helm 3 and 4:
 * sigs.k8s.io/yaml → go.yaml.in/yaml/v2, resolve.go. Integers end up as float64, as in Helm.
 */
export function resolveWord(text: string): Word | undefined {
  const constant = CONSTANTS.get(text)
  if (constant) return constant
  const first = text.charCodeAt(0)
  const numeric = (first >= 48 && first <= 57) || first === 43 || first === 45 || first === 46
  if (!numeric) return undefined
  return resolveInt(text) ?? resolveFloat(text)
}

const INT = /^[-+]?(?:0[xX][0-9a-fA-F]+|0[oO]?[0-7]+|0[bB][01]+|0|[1-9][0-9]*)$/
/** The common case, without big integers. */
const SHORT_DECIMAL = /^(?:0|[1-9][0-9]{0,14})$/
const LEAST = -(2n ** 63n)
const END = 2n ** 64n
const SIGNED_END = 2n ** 63n

/**
 * Returns an integer as Go's `strconv.ParseInt(text, 0, 64)` parses it, then `ParseUint`, which accepts no
 * sign, after dropping underscores; undefined if both fail.
 */
export function exactInteger(text: string): bigint | undefined {
  const plain = text.replaceAll('_', '')
  if (!INT.test(plain)) return undefined
  const digits = plain.replace(/^[-+]/, '')
  const value = BigInt(/^0[0-7]+$/.test(digits) ? `0o${digits.slice(1)}` : digits.toLowerCase())
  const exact = plain.startsWith('-') ? -value : value
  const end = plain.startsWith('+') ? SIGNED_END : END
  return exact >= LEAST && exact < end ? exact : undefined
}

function resolveInt(text: string): Word | undefined {
  if (SHORT_DECIMAL.test(text)) return {kind: 'int', value: Number(text)}
  const value = exactInteger(text)
  return value === undefined ? undefined : {kind: 'int', value: Number(value)}
}

const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/
/** In a word that starts with a dot, Go accepts underscores between digits only. */
const LOOSE_UNDERSCORE = /(?:^|[^0-9])_|_(?:[^0-9]|$)/

function resolveFloat(text: string): Word | undefined {
  if (text.startsWith('.') && LOOSE_UNDERSCORE.test(text)) return undefined
  const digits = text.replaceAll('_', '')
  if (!FLOAT.test(digits)) return undefined
  const value = Number(digits)
  return Number.isFinite(value) ? {kind: 'float', value} : undefined
}
