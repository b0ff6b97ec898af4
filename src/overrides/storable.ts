import {KkError} from '../errors.ts'

/** Longer ones are no keys that a chart has; a record of helm has room for about a million characters in all. */
const LONGEST_KEY = 1024
const DEEPEST = 64

/**
 * Throws `KK_VALUES` for values that kk does not keep: a key `__proto__`, which readers of JavaScript would take for
 * something else, one of more than 1024 characters, maps and lists within each other more than 64 deep.
 */
export function expectStorable(values: unknown, source: string): void {
  check(values, source, 0)
}

function check(value: unknown, source: string, depth: number): void {
  if (typeof value !== 'object' || value === null) return
  if (depth > DEEPEST) throw refused(source, `expected at most ${DEEPEST} maps and lists within each other`)
  if (Array.isArray(value)) {
    for (const item of value) check(item, source, depth + 1)
    return
  }
  for (const [key, inner] of Object.entries(value)) {
    if (key === '__proto__') throw refused(source, 'the key __proto__ cannot be kept')
    if (key.length > LONGEST_KEY) {
      throw refused(source, `expected keys of at most ${LONGEST_KEY} characters, got one of ${key.length}`)
    }
    check(inner, source, depth + 1)
  }
}

function refused(source: string, problem: string): KkError {
  return new KkError('KK_VALUES', `${source}: ${problem}`, {hint: 'correct it there; nothing was changed'})
}
