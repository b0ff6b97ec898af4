import {KkError} from '../base/errors.ts'

/** The longest key, in characters; longer ones are no keys that a chart has. */
const LONGEST_KEY = 1024
export const DEEPEST = 64
/** The most overrides, in characters of YAML: what a record of helm has room for. */
export const LARGEST = 1_000_000
/**
 * The most values and maps of the overrides of one chart: ten times those of a large one. Each costs time to mask, to
 * compare and to write, and a service answers nobody else meanwhile.
 */
const MOST_VALUES = 5_000
/** The steps of a path that a message shows of what lies too deep: they tell where it begins. */
const SHOWN_STEPS = 8

type Path = readonly (string | number)[]

/** A value that kk does not keep, and its path. */
export interface Unstorable {
  readonly path: Path
  readonly problem: string
}

/** Throws `KK_VALUES` for values that kk does not keep. */
export function expectStorable(values: unknown, source: string): void {
  expectRoom(values, source)
  const found = findUnstorable(values)
  if (found) throw refused(source, found.problem)
}

/** Throws `KK_VALUES` for values of which there are too many. */
export function expectRoom(values: unknown, source: string): void {
  const {characters, count} = sizeOf(values)
  if (characters > LARGEST)
    throw refused(
      source,
      `expected at most ${LARGEST} characters of overrides, as a record of helm has room for`,
    )
  if (count > MOST_VALUES) throw refused(source, `expected at most ${MOST_VALUES} values and maps`)
}

function refused(source: string, problem: string): KkError {
  return new KkError('KK_VALUES', `${source}: ${problem}`, {hint: 'correct it there; nothing was changed'})
}

/**
 * Returns about how long the YAML of values is, and how many values and maps it has; counting stops as soon as one of both is
 * too much: what aliases stand for again and again is never counted to its end.
 */
function sizeOf(values: unknown): {readonly characters: number; readonly count: number} {
  let size = 0
  let count = 0
  const left: (readonly [value: unknown, depth: number])[] = [[values, 0]]
  for (let next = left.pop(); next && size <= LARGEST && count <= MOST_VALUES; next = left.pop()) {
    const [value, depth] = next
    count += 1
    if (typeof value !== 'object' || value === null) {
      size += typeof value === 'string' ? value.length : 5
      continue
    }
    for (const [key, inner] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
      size += 2 * Math.min(depth, DEEPEST) + 3 + (typeof key === 'string' ? key.length : 0)
      left.push([inner, depth + 1])
      if (size > LARGEST) break
    }
  }
  return {characters: size, count}
}

/**
 * Returns the first value that kk does not keep: a key `__proto__`, which readers of JavaScript would take for something else, one of
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
