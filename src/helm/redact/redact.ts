import type {Values} from '../../release.ts'
import {looksSecretPath} from './looks-secret.ts'
import {mapLeaves} from './map-leaves.ts'
import {replaceSecrets} from './text-secrets.ts'

const MASK = '***'
/** Shorter texts are words of every message; masking them would hide more than they protect. */
const SHORTEST = 6
/** A text of this length is nobody's word by accident: it is masked inside other words, too. */
const LONG = 12

/**
 * A function that masks, in what helm printed, the secrets among these values: every text under a key that looks
 * secret, what looks like one inside other texts, and whatever helm itself quotes of values in schema errors and merge warnings.
 */
export function redactor(values: Values): (text: string) => string {
  const secrets = new Set<string>()
  mapLeaves(values, (leaf, isSecret) => {
    for (const form of formsOf(leaf, isSecret)) secrets.add(form)
  })
  const pattern = secretPattern(secrets)
  return (text) => maskQuoted(pattern ? text.replace(pattern, MASK) : text)
}

/** What of a leaf is to be masked. */
function formsOf(leaf: unknown, isSecret: boolean): readonly string[] {
  if (typeof leaf !== 'string' && typeof leaf !== 'number' && typeof leaf !== 'bigint') return []
  const text = String(leaf)
  return (isSecret ? forms(text) : textSecrets(text)).filter((form) => form.length >= SHORTEST)
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

/** Without the quotes around it, and what ends it. */
function textSecrets(text: string): string[] {
  const found: string[] = []
  replaceSecrets(text, (secret) => {
    found.push(secret.replace(/^[\\"']+|[\\"',;)}\]\s]+$/g, ''))
    return secret
  })
  return found
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
      looksSecretPath(String(pointer).split('/')) ? `${start}'${MASK}'${end}` : line,
    )
}
