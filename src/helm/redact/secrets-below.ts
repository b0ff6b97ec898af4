import {saysSecret} from './looks-secret.ts'

/** `password:` and nothing more in its line, or the sign of a block text; with all that stands before the key. */
const OPENING = /^(\s*(?:-\s+)*)["']?([\w.-]+)["']?\s*[:=]\s*(?:([|>][-+\d]*)\s*)?(?:#.*)?$/
/** A key of its own, such as in a map below `secrets:`. */
const KEYED = /^["']?[\w.-]+["']?\s*(?::(?:\s|$)|=)/

interface Opening {
  /** What belongs to the key is indented more. */
  readonly indent: number
  /** Whether all of that is its text, whatever it looks like. */
  readonly isBlock: boolean
}

/** Lines with what stands below a key that looks secret replaced: a value on the next line, a block text, a list. */
export function replaceBelow(lines: readonly string[], replace: (secret: string) => string): string[] {
  let opening: Opening | undefined
  return lines.map((line) => {
    const [, before = '', value = ''] = /^(\s*(?:-\s+)?)(.*)$/s.exec(line) ?? []
    if (value === '') return line
    if (opening && isBelow(before, opening) && (opening.isBlock || !KEYED.test(value))) {
      return before + replace(value)
    }
    opening = openingIn(line)
    return line
  })
}

function isBelow(before: string, {indent}: Opening): boolean {
  return before.length > indent
}

function openingIn(line: string): Opening | undefined {
  const [, before = '', key, block] = OPENING.exec(line) ?? []
  if (key === undefined || !saysSecret(key, '')) return undefined
  return {indent: before.length, isBlock: block !== undefined}
}
