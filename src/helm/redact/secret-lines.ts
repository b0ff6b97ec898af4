import {isSetting, saysSecret} from './looks-secret.ts'
import {isNoSecretWord, isPlaceholder} from './placeholder.ts'
import {replaceAssigned} from './secret-assignments.ts'
import {isReference, isSecretName} from './secret-names.ts'
import {continuation, type Opening, openingIn} from './secret-openings.ts'

/** A key of its own, such as in a map below `passwords:`, with what follows it. */
const KEYED = /^((["']?)([\w.-]+)\2\s*(?::(?=\s|$)|=)\s*)(.*)$/

type Replace = (secret: string) => string

/** A line without what it begins with: blanks, and the sign of an item. */
interface Content {
  readonly before: string
  readonly value: string
}

/** What becomes of a line, and what it leaves open. */
interface Replaced {
  readonly value: string
  readonly opening: Opening | undefined
}

/** Lines with the secrets in them replaced: behind a key, below it, and where a text goes on over several lines. */
export function replaceInLines(lines: readonly string[], replace: Replace): string[] {
  let opening: Opening | undefined
  return lines.map((line) => {
    const [, before = '', value = ''] = /^(\s*(?:-\s+)?)(.*)$/s.exec(line) ?? []
    if (value === '') return line
    const inside = opening && insideOf(opening, {before, value}, replace)
    if (inside) {
      opening = inside.opening
      return before + inside.value
    }
    const assigned = replaceAssigned(line, replace)
    opening = openingIn(line) ?? continuation(line, assigned)
    return assigned.line
  })
}

/** A line that belongs to what was opened; undefined for one that speaks for itself. */
function insideOf(opening: Opening, {before, value}: Content, replace: Replace): Replaced | undefined {
  const [, start = '', , key, rest = ''] = KEYED.exec(value) ?? []
  const whole = {value: replace(value), opening}
  const entry = (isSecret: boolean) => ({value: isSecret ? start + replace(rest) : value, opening})
  if ('indent' in opening && opening.kind !== 'named' && before.length <= opening.indent) return undefined
  switch (opening.kind) {
    case 'quoted':
      return {...whole, opening: value.search(opening.quote) === -1 ? opening : undefined}
    case 'block':
      return whole
    case 'continued':
      return key === undefined && !value.startsWith('-') ? whole : undefined
    case 'reference':
      return key !== undefined && isReference(opening.key, key) ? entry(false) : undefined
    case 'named':
      if (key !== 'value' || before.length !== opening.indent) return undefined
      return namedValue({start, rest, indent: opening.indent}, replace)
    case 'flag':
      return value.startsWith('-') || isNoSecretWord(value) ? undefined : {...whole, opening: undefined}
    case 'section':
      return key === undefined || value.startsWith('[') ? undefined : entry(!isPlaceholder(rest))
    case 'below':
      if (key === undefined) return whole
      // `keystone_authtoken:` is a section, whose keys speak for themselves.
      if (!saysSecret(opening.key, {})) return undefined
      return entry(!isNoSecret(opening.key, key, rest))
  }
}

/** Of `value:` beside a name that says it: also a text that follows. */
function namedValue({start, rest, indent}: NamedValue, replace: Replace): Replaced {
  if (!isPlaceholder(rest)) return {value: start + replace(rest), opening: {kind: 'continued', indent}}
  return {value: start + rest, opening: /^[|>]|^$/.test(rest) ? {kind: 'block', indent} : undefined}
}

interface NamedValue {
  readonly start: string
  readonly rest: string
  readonly indent: number
}

function isNoSecret(opening: string, key: string, rest: string): boolean {
  if (isPlaceholder(rest) || isSetting(key) || isReference(opening, key)) return true
  return (opening === 'secrets' || opening === 'keyrings') && isSecretName(rest)
}
