import {afterEach, expect, it, vi} from 'vitest'
import {KkError} from '../../src/base/errors.ts'
import {openConsole} from '../../src/cli/console.ts'

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

/** What `write` leaves on standard output. */
function printed(write: () => void): string {
  const texts: unknown[] = []
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => texts.push(text) > 0)
  vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  write()
  vi.restoreAllMocks()
  return texts.join('')
}

it.each([
  [['deploy', '--no-color'], {FORCE_COLOR: '1'}, 0],
  [['deploy', '--color'], {NO_COLOR: '1'}, 1],
  [['deploy'], {NO_COLOR: '1', FORCE_COLOR: '1'}, 0],
] as const)('colour is decided by %j and %j: level %i', (words, env, level) => {
  vi.stubEnv('FORCE_COLOR', undefined)
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)

  const console = openConsole(words)

  expect([console.level('stdout'), console.level('stderr')]).toEqual([level, level])
})

it('colour that was decided stays, whatever becomes of the environment', () => {
  vi.stubEnv('NO_COLOR', '1')
  const console = openConsole([])

  vi.stubEnv('NO_COLOR', undefined)
  vi.stubEnv('FORCE_COLOR', '1')

  expect(console.level('stderr')).toBe(0)
})

it.each([
  ['text', 'two\n'],
  ['json', '{\n  "a": 2\n}\n'],
  ['yaml', 'a: 2\n'],
  ['ndjson', '{"a":2}\n'],
] as const)('a document as %s', (format, expected) => {
  expect(printed(() => openConsole([]).document(format, {a: 2}, () => 'two'))).toBe(expected)
})

it('a document that has no text says nothing to people', () => {
  expect(printed(() => openConsole([]).document('text', {a: 2}))).toBe('')
})

it.each([
  [['plan', '--output', 'json'], false, /^\{\n {2}"error"/],
  [['plan', '--output=json'], true, /^$/],
  [['deploy', '--output', 'ndjson'], true, /^\{"type":"error"/],
  [['plan'], false, /^$/],
] as const)('an error of %j, with a document there already %s', (words, hasDocument, expected) => {
  const error = new KkError('KK_HELD', 'somebody holds it')

  expect(printed(() => expect(openConsole(words).fail(error, {hasDocument})).toBe(3))).toMatch(expected)
})
