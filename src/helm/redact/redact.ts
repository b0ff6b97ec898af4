import type {Values} from '../../release.ts'

const MASK = '***'
/** Shorter texts are words of every message; masking them would hide more than they protect. */
const SHORTEST = 6
/** A text of this length is nobody's word by accident: it is masked inside other words, too. */
const LONG = 12

const SECRET_KEY = /pass(?:word|wd|phrase)|secret|token|credential|cookie|keyring|private|fernet/i
/** The last word of a key: `api_key`, `userPass`; but `node_selector_key` names a label. */
const SECRET_ENDING = /(?:^|[^a-z])(?:keys?|pass|pwd|psk)$|[a-z](?:Keys?|Pass|Pwd)$/
const SELECTOR_KEY = /selector_?key$/i

/** Whether the values under a key of this name are to be kept out of what people read. */
export function looksSecret(key: string): boolean {
  if (SELECTOR_KEY.test(key)) return false
  return SECRET_KEY.test(key) || SECRET_ENDING.test(key)
}

/**
 * A function that masks, in what helm printed, the secrets among these values: every text under a key that looks
 * secret, the password in a URL, and whatever helm itself quotes of values in schema errors and merge warnings.
 */
export function redactor(values: Values): (text: string) => string {
  const secrets = new Set<string>()
  collect(values, false, secrets)
  const pattern = secretPattern(secrets)
  return (text) => maskQuoted(pattern ? text.replace(pattern, MASK) : text)
}

function collect(value: unknown, secret: boolean, found: Set<string>): void {
  if (Array.isArray(value)) {
    for (const item of value) collect(item, secret, found)
    return
  }
  if (typeof value === 'object' && value !== null) {
    for (const [key, child] of Object.entries(value)) collect(child, secret || looksSecret(key), found)
    return
  }
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint') return
  const text = String(value)
  for (const form of secret ? forms(text) : urlPasswords(text)) if (form.length >= SHORTEST) found.add(form)
}

/** The shapes in which one secret can come back: as it is, line by line, quoted by Go, in a URL, in a Secret. */
function forms(text: string): string[] {
  const lines = text.split('\n').map((line) => line.trim())
  const quoted = JSON.stringify(text).slice(1, -1)
  return [text, text.trim(), ...lines, quoted, encode(text), Buffer.from(text).toString('base64')]
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}

function urlPasswords(text: string): string[] {
  return Array.from(text.matchAll(/:\/\/[^\s/@:]*:([^\s@]+)@/g), (match) => match[1]!)
}

function secretPattern(secrets: ReadonlySet<string>): RegExp | undefined {
  if (secrets.size === 0) return undefined
  const longestFirst = [...secrets].sort((a, b) => b.length - a.length)
  const alternatives = longestFirst.map((secret) => {
    const literal = secret.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
    return secret.length >= LONG ? literal : `(?<![\\p{L}\\p{N}])${literal}(?![\\p{L}\\p{N}])`
  })
  return new RegExp(alternatives.join('|'), 'gu')
}

/**
 * Helm: coalesce.go prints the value that it could not merge, in brackets at the end of the line; jsonschema.go
 * quotes the value that it rejects after the JSON pointer. Chart defaults can be there, which kk does not know.
 */
function maskQuoted(text: string): string {
  return text
    .replace(/(warning: .*?(?:non table for|non-table value)[^(\n]*\().*(\))/g, `$1${MASK}$2`)
    .replace(/(at '([^'\n]*)': )'[^\n]*?'( (?:does not|is not))/g, (line, start, pointer, end) =>
      String(pointer).split('/').some(looksSecret) ? `${start}'${MASK}'${end}` : line,
    )
}
