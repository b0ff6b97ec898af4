import {KkError} from '../base/errors.ts'
import {isMap, type Values} from '../base/values.ts'
import {MAX_CHARS, MAX_DEPTH} from './storable.ts'

/** Helm: strvals/parser.go MaxIndex and MaxNestedNameLevel. */
const MAX_INDEX = 65_536
const MAX_NESTING = 30
/**
 * The maximum number of list items before an index that expressions may add; each is a line with `- null`.
 */
const MAX_FILLED_ITEMS = MAX_CHARS / 7

type MutableMap = Record<string, unknown>
type List = unknown[]
type ReadValue = (text: string) => unknown

export interface SetOptions {
  /** `typed` as `--set` (true, null and 12 are parsed), `string` as `--set-string`. */
  readonly mode: 'typed' | 'string'
  /** The origin of the expression, for messages: `--set keystone:…`. */
  readonly source: string
}

/**
 * Returns the values with an expression in Helm's `--set` grammar applied (strvals/parser.go, the same in
 * Helm 3 and 4): `a.b=1,list[0].x=y,l={1,2}`, with `\` before a literal special character. An index refers to
 * the list in the values below; as in Helm, they must have a map, or a list, if the expression requires one.
 *
 * Two things differ from Helm. Values are passed to helm as a document, so a number is the same as in a
 * values file: a float64, which a template without `int` prints as 1e+06; an integer that it would round is
 * an error. And an index without `]`, which only Helm 4 ignores, is an error. Throws `KK_VALUES`, which names
 * the position and never quotes the expression, because it can contain a secret.
 */
export function applySet(expression: string, below: Values, options: SetOptions): Values {
  return applySets([{text: expression, ...options}], below)
}

export interface SetExpression extends SetOptions {
  readonly text: string
}

/**
 * Returns the values with several expressions applied in order. Throws before the values exceed `MAX_CHARS`.
 */
export function applySets(expressions: readonly SetExpression[], below: Values): Values {
  // Not structuredClone, because one object under two aliases must become two.
  const result: MutableMap = JSON.parse(JSON.stringify(below))
  const room = {items: MAX_FILLED_ITEMS}
  for (const {text, mode, source} of expressions) {
    const cursor = cursorOver(text, source, room)
    const value = mode === 'string' ? (read: string) => read : (read: string) => typedValue(read, source)
    do cursor.lists = 0
    while (readKey(cursor, result, 0, value))
  }
  return result
}

/** Reads `key…=value` into `data`; false if the expression has ended. Helm: parser.key */
function readKey(cursor: Cursor, data: MutableMap, depth: number, value: ReadValue): boolean {
  const {text: key, stop} = cursor.until('=[,.')
  switch (stop) {
    case '[':
      return readListKey(cursor, data, key, depth, value)
    case '=':
      return readValue(cursor, value, (read) => set(data, key, read))
    case '.':
      return readMapKey(cursor, data, key, depth + 1, value)
    default:
      if (stop === undefined && key === '') return false
      throw cursor.error('expected "=" and a value after the key')
  }
}

function readListKey(
  cursor: Cursor,
  data: MutableMap,
  key: string,
  depth: number,
  value: ReadValue,
): boolean {
  const index = readIndex(cursor)
  const list = Object.hasOwn(data, key) ? data[key] : []
  if (!Array.isArray(list))
    throw cursor.error('expected a list under the key before "[", but the values have none')
  const more = readItem(cursor, list, index, depth, value)
  set(data, key, list)
  return more
}

function readMapKey(cursor: Cursor, data: MutableMap, key: string, depth: number, value: ReadValue): boolean {
  if (depth > MAX_NESTING) throw cursor.error(`expected at most ${MAX_NESTING} dots in a key`)
  const inner = Object.hasOwn(data, key) ? data[key] : {}
  if (!isMap(inner)) throw cursor.error('expected a map under the key before ".", but the values have none')
  const more = readKey(cursor, inner, depth, value)
  const filled = Object.keys(inner).length > 0
  if (more && !filled) throw cursor.error('expected a key after "."')
  if (filled) set(data, key, inner)
  return more
}

/**
 * Reads the rest after `[index]`. Helm: parser.listItem, which leaves the list unchanged without a value at
 * the end.
 */
function readItem(cursor: Cursor, list: List, index: number, depth: number, value: ReadValue): boolean {
  if (index < 0) throw cursor.error('expected an index of 0 or more')
  const {text, stop} = cursor.until('[.=')
  if (text !== '') throw cursor.error('expected "=", "." or "[" after "]"')
  switch (stop) {
    case '=':
      readValue(cursor, value, (read) => setItem(cursor, list, index, read))
      return true
    case '[': {
      const next = readIndex(cursor)
      const inner = list[index] ?? []
      if (!Array.isArray(inner)) throw cursor.error('expected a list before "[", but the values have none')
      const more = readItem(cursor, inner, next, depth, value)
      if (more) setItem(cursor, list, index, inner)
      return more
    }
    case '.': {
      if (index < list.length && !isMap(list[index])) list[index] = {}
      const inner = (list[index] ?? {}) as MutableMap
      const more = readKey(cursor, inner, depth, value)
      if (more) setItem(cursor, list, index, inner)
      return more
    }
    default:
      return false
  }
}

/** Reads the rest after `=`; false if there is none. Helm: parser.valList and parser.val */
function readValue(cursor: Cursor, value: ReadValue, assign: (read: unknown) => void): boolean {
  const first = cursor.next()
  if (first === undefined) {
    assign('')
    return false
  }
  if (first === '{') {
    assign(readList(cursor, value))
    return true
  }
  cursor.back()
  assign(value(cursor.until(',').text))
  return true
}

function readList(cursor: Cursor, value: ReadValue): List {
  const list: List = []
  while (true) {
    const {text, stop} = cursor.until(',}')
    if (stop === undefined) throw cursor.error('expected "}" at the end of the list')
    list.push(value(text))
    if (stop === '}') break
  }
  const after = cursor.next()
  if (after !== undefined && after !== ',') cursor.back()
  return list
}

/** Reads an index. Helm uses strconv.Atoi, with 64 bits; lists may be nested as deep as overrides may be. */
function readIndex(cursor: Cursor): number {
  cursor.lists += 1
  if (cursor.lists > MAX_DEPTH) throw cursor.error(`expected at most ${MAX_DEPTH} nested lists`)
  const {text, stop} = cursor.until(']')
  if (stop === undefined || !/^[+-]?\d+$/.test(text))
    throw cursor.error('expected a number and "]" after "["')
  const index = BigInt(text.replace(/^\+/, ''))
  if (BigInt.asIntN(64, index) !== index) throw cursor.error(`expected an index of at most ${MAX_INDEX}`)
  return Number(index)
}

/** Sets a key; like Helm, it ignores an empty key. */
function set(data: MutableMap, key: string, value: unknown): void {
  if (key === '') return
  Object.defineProperty(data, key, {value, writable: true, enumerable: true, configurable: true})
}

function setItem(cursor: Cursor, list: List, index: number, value: unknown): void {
  if (index > MAX_INDEX) throw cursor.error(`expected an index of at most ${MAX_INDEX}`)
  cursor.room.items -= Math.max(0, index - list.length)
  if (cursor.room.items < 0) throw cursor.error(`expected at most ${MAX_CHARS} characters of values in all`)
  while (list.length < index) list.push(null)
  list[index] = value
}

/**
 * Parses a value. Helm: typedVal. `01` and `1.5` stay strings; case folding is Unicode's, as in Go's
 * EqualFold.
 */
function typedValue(text: string, source: string): unknown {
  if (/^true$/iu.test(text)) return true
  if (/^false$/iu.test(text)) return false
  if (/^null$/iu.test(text)) return null
  if (text === '0') return 0
  if (!/^(?:[1-9]|[+-]\d)\d*$/.test(text)) return text
  const integer = BigInt(text.replace(/^\+/, ''))
  if (BigInt.asIntN(64, integer) !== integer) return text
  if (BigInt(Number(integer)) !== integer) throw rounded(source)
  return Number(integer)
}

/** Returns an error without the number, which can be a secret. */
function rounded(source: string): KkError {
  return new KkError(
    'KK_VALUES',
    `${source}: expected an integer that is not rounded in a values file, got one above 2^53`,
    {hint: 'set it as a string: with --set-string, or in quotes in a file for --values'},
  )
}

/** The number of empty list items that the expressions may still add. */
interface Room {
  items: number
}

interface Cursor {
  readonly room: Room
  /** The number of indices that this key has had. */
  lists: number
  /** Consumes and returns the next character; undefined at the end. */
  next(): string | undefined
  back(): void
  /**
   * Consumes and returns the characters up to one of the stops, which is consumed; `\` escapes the next
   * character. Helm: runesUntil
   */
  until(stops: string): {text: string; stop: string | undefined}
  error(expected: string): KkError
}

function cursorOver(expression: string, source: string, room: Room): Cursor {
  const characters = [...expression]
  let position = 0
  const next = () => characters[position++]
  return {
    room,
    lists: 0,
    next,
    back: () => {
      position--
    },
    until(stops) {
      let text = ''
      while (true) {
        const character = next()
        if (character === undefined || stops.includes(character)) return {text, stop: character}
        const literal = character === '\\' ? next() : character
        if (literal === undefined) return {text, stop: undefined}
        text += literal
      }
    },
    error: (expected) =>
      new KkError(
        'KK_VALUES',
        `${source}: ${expected}, at character ${Math.min(position, characters.length)}`,
        {
          hint: 'the form is KEY=VALUE[,KEY=VALUE]; write "\\," for a comma inside a value, "\\." for a dot inside a key',
        },
      ),
  }
}
