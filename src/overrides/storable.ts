import {KkError} from '../base/errors.ts'

/** The maximum length of a key, in characters; no chart has longer ones. */
const MAX_KEY_CHARACTERS = 1024
export const MAX_DEPTH = 64
/** The maximum length of overrides, in characters of YAML: what fits into a record of helm. */
export const MAX_CHARS = 1_000_000
/**
 * The maximum number of values and maps in the overrides of one chart: ten times those of a large one. Each
 * takes time to mask, compare and write, during which a server answers no other request.
 */
const MAX_VALUES = 5_000
/** The number of leading path segments that a message shows of a value that is nested too deeply. */
const MAX_SHOWN_SEGMENTS = 8

type Path = readonly (string | number)[]

/** A value that kk cannot store, and its path. */
export interface Unstorable {
  readonly path: Path
  readonly problem: string
}

/** Throws `KK_VALUES` for values that kk cannot store. */
export function expectStorable(values: unknown, source: string): void {
  expectStorableSize(values, source)
  const unstorable = findUnstorable(values)
  if (unstorable) throw refused(source, unstorable.problem)
}

/** Throws `KK_VALUES` for too many values. */
export function expectStorableSize(values: unknown, source: string): void {
  const {characters, count} = measure(values)
  if (characters > MAX_CHARS)
    throw refused(
      source,
      `expected at most ${MAX_CHARS} characters of overrides, as many as fit into a record of helm`,
    )
  if (count > MAX_VALUES) throw refused(source, `expected at most ${MAX_VALUES} values and maps`)
}

function refused(source: string, problem: string): KkError {
  return new KkError('KK_VALUES', `${source}: ${problem}`, {hint: 'correct it there; nothing was changed'})
}

/**
 * Returns the approximate length of the YAML of values, and the number of values and maps; counting stops at
 * the first limit, because values that YAML aliases repeat could be endless.
 */
function measure(values: unknown): {readonly characters: number; readonly count: number} {
  let size = 0
  let count = 0
  const pending: (readonly [value: unknown, depth: number])[] = [[values, 0]]
  for (let next = pending.pop(); next && size <= MAX_CHARS && count <= MAX_VALUES; next = pending.pop()) {
    const [value, depth] = next
    count += 1
    if (typeof value !== 'object' || value === null) {
      size += typeof value === 'string' ? value.length : 5
      continue
    }
    for (const [key, inner] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
      size += 2 * Math.min(depth, MAX_DEPTH) + 3 + (typeof key === 'string' ? key.length : 0)
      pending.push([inner, depth + 1])
      if (size > MAX_CHARS) break
    }
  }
  return {characters: size, count}
}

/**
 * Returns the first value that kk cannot store: a key `__proto__`, which JavaScript would misinterpret, one
 * of more than 1024 characters, maps and lists nested more than 64 deep, a number that JSON or a string that
 * UTF-8 cannot represent.
 */
export function findUnstorable(value: unknown, path: Path = []): Unstorable | undefined {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    return {path, problem: 'expected a number that is finite'}
  }
  if (typeof value === 'string' && !value.isWellFormed()) {
    return {path, problem: 'expected a string without half a surrogate pair, which UTF-8 cannot represent'}
  }
  if (typeof value !== 'object' || value === null) return undefined
  if (path.length > MAX_DEPTH) {
    const problem = `expected at most ${MAX_DEPTH} nested maps and lists`
    return {path: path.slice(0, MAX_SHOWN_SEGMENTS), problem}
  }
  const entries = Array.isArray(value) ? value.entries() : Object.entries(value)
  for (const [key, inner] of entries) {
    const unstorable = unstorableKey(key, path) ?? findUnstorable(inner, [...path, key])
    if (unstorable) return unstorable
  }
  return undefined
}

function unstorableKey(key: string | number, path: Path): Unstorable | undefined {
  if (typeof key === 'number') return undefined
  if (!key.isWellFormed()) return {path, problem: 'expected keys without half a surrogate pair'}
  if (key === '__proto__') return {path: [...path, key], problem: 'the key __proto__ cannot be stored'}
  if (key.length <= MAX_KEY_CHARACTERS) return undefined
  return {
    path,
    problem: `expected keys of at most ${MAX_KEY_CHARACTERS} characters, got one of ${key.length}`,
  }
}
