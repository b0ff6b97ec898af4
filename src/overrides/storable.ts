import {KkError} from '../errors.ts'

/** Longer ones are no keys that a chart has; a record of helm has room for about a million characters in all. */
const LONGEST_KEY = 1024
const DEEPEST = 64
/** So much of the way to what lies too deep tells where it begins. */
const SHOWN_STEPS = 8

type Path = readonly (string | number)[]

/** What kk does not keep, and where it is. */
export interface Unstorable {
  readonly path: Path
  readonly problem: string
}

/** Throws `KK_VALUES` for values that kk does not keep. */
export function expectStorable(values: unknown, source: string): void {
  const found = findUnstorable(values)
  if (!found) return
  throw new KkError('KK_VALUES', `${source}: ${found.problem}`, {
    hint: 'correct it there; nothing was changed',
  })
}

/**
 * The first that kk does not keep: a key `__proto__`, which readers of JavaScript would take for something else, one of
 * more than 1024 characters, maps and lists within each other more than 64 deep, a number that JSON or a text that UTF-8 cannot hold.
 */
export function findUnstorable(value: unknown, path: Path = []): Unstorable | undefined {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    return {path, problem: 'expected a number that is finite'}
  }
  if (typeof value === 'string' && !value.isWellFormed()) {
    return {path, problem: 'expected text without half a surrogate pair, which UTF-8 cannot hold'}
  }
  if (typeof value !== 'object' || value === null) return undefined
  if (path.length > DEEPEST) {
    const problem = `expected at most ${DEEPEST} maps and lists within each other`
    return {path: path.slice(0, SHOWN_STEPS), problem}
  }
  const entries = Array.isArray(value) ? value.entries() : Object.entries(value)
  for (const [key, inner] of entries) {
    const found = unstorableKey(key, path) ?? findUnstorable(inner, [...path, key])
    if (found) return found
  }
  return undefined
}

function unstorableKey(key: string | number, path: Path): Unstorable | undefined {
  if (typeof key === 'number') return undefined
  if (!key.isWellFormed()) return {path, problem: 'expected keys without half a surrogate pair'}
  if (key === '__proto__') return {path: [...path, key], problem: 'the key __proto__ cannot be kept'}
  if (key.length <= LONGEST_KEY) return undefined
  return {path, problem: `expected keys of at most ${LONGEST_KEY} characters, got one of ${key.length}`}
}
