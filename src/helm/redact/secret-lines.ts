import {isSetting, saysSecret} from './looks-secret.ts'
import {isPlaceholder} from './placeholder.ts'
import {type Assigned, replaceAssigned} from './secret-assignments.ts'
import {isReference, isSecretName} from './secret-names.ts'

/** `password:` and nothing more in its line, or the sign of a block text; with all that stands before the key. */
const OPENING = /^(\s*(?:-\s+)*)["']?([\w.-]+)["']?\s*[:=]\s*(?:([|>][-+\d]*)\s*)?(?:#.*)?$/
/** A key of its own, such as in a map below `passwords:`, with what follows it. */
const KEYED = /^((["']?)([\w.-]+)\2\s*(?::(?=\s|$)|=)\s*)(.*)$/
/** A key at the beginning of its line, whose value may go on in the next. */
const LEADING = /^\s*(?:-\s+)*["']?[\w.-]+["']?\s*[:=]\s*$/

/** What a line leaves open for those below it. */
type Opening =
  /** A secret text, whatever it looks like. */
  | {readonly kind: 'block'; readonly indent: number}
  /** A secret of its own line, a list, or a map of secrets. */
  | {readonly kind: 'below'; readonly indent: number; readonly key: string}
  /** A reference to a Secret. */
  | {readonly kind: 'reference'; readonly indent: number; readonly key: string}
  /** A secret that may go on in lines that are indented more. */
  | {readonly kind: 'continued'; readonly indent: number}
  /** A secret in quotes that goes on until they are closed. */
  | {readonly kind: 'quoted'; readonly quote: string}

/** Lines with the secrets in them replaced: behind a key, below it, and where a text goes on over several lines. */
export function replaceInLines(lines: readonly string[], replace: (secret: string) => string): string[] {
  let opening: Opening | undefined
  return lines.map((line) => {
    const [, before = '', value = ''] = /^(\s*(?:-\s+)?)(.*)$/s.exec(line) ?? []
    if (value === '') return line
    if (opening?.kind === 'quoted') {
      if (value.includes(opening.quote)) opening = undefined
      return before + replace(value)
    }
    const inside = opening && before.length > opening.indent ? insideOf(opening, value, replace) : undefined
    if (inside !== undefined) return before + inside
    const assigned = replaceAssigned(line, replace)
    opening = openingIn(line) ?? continuation(line, assigned)
    return assigned.line
  })
}

/** A line that belongs to what was opened; undefined for one that speaks for itself. */
function insideOf(
  opening: Exclude<Opening, {kind: 'quoted'}>,
  value: string,
  replace: (secret: string) => string,
): string | undefined {
  const [, start = '', , key, rest = ''] = KEYED.exec(value) ?? []
  switch (opening.kind) {
    case 'block':
      return replace(value)
    case 'continued':
      return key === undefined && !value.startsWith('-') ? replace(value) : undefined
    case 'reference':
      return key !== undefined && isReference(opening.key, key) ? value : undefined
    case 'below':
      if (key === undefined) return replace(value)
      // `keystone_authtoken:` is a section, whose keys speak for themselves.
      if (!saysSecret(opening.key, {})) return undefined
      return isNoSecret(opening.key, key, rest) ? value : start + replace(rest)
  }
}

function isNoSecret(opening: string, key: string, rest: string): boolean {
  if (isPlaceholder(rest) || isSetting(key) || isReference(opening, key)) return true
  return (opening === 'secrets' || opening === 'keyrings') && isSecretName(rest)
}

function openingIn(line: string): Opening | undefined {
  const [, before = '', key, block] = OPENING.exec(line) ?? []
  if (key === undefined) return undefined
  const indent = before.length
  if (/KeyRef$/.test(key)) return {kind: 'reference', indent, key}
  if (!saysSecret(key, '')) return undefined
  return block === undefined ? {kind: 'below', indent, key} : {kind: 'block', indent}
}

/** What a secret at the end of a line leaves open. */
function continuation(line: string, {secret, at = 0}: Assigned): Opening | undefined {
  if (secret === undefined) return undefined
  const [, quote] = /^\\?(["'])/.exec(secret) ?? []
  if (quote !== undefined)
    return secret.indexOf(quote, secret.indexOf(quote) + 1) === -1 ? {kind: 'quoted', quote} : undefined
  if (secret.endsWith('\\') || !LEADING.test(line.slice(0, at))) return undefined
  return {kind: 'continued', indent: /^\s*(?:-\s+)*/.exec(line)![0].length}
}
