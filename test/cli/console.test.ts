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
] as const)('the flags and variables %j and %j determine the colour level %i', (words, env, level) => {
  vi.stubEnv('FORCE_COLOR', undefined)
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)

  const console = openConsole(words)

  expect([console.level('stdout'), console.level('stderr')]).toEqual([level, level])
})

it('the colour level does not change with later changes of the environment', () => {
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
] as const)('a document is printed as %s', (format, expected) => {
  expect(printed(() => openConsole([]).document(format, {a: 2}, () => 'two'))).toBe(expected)
})

it('a document without a text form prints nothing as text', () => {
  expect(printed(() => openConsole([]).document('text', {a: 2}))).toBe('')
})

it.each([
  [['plan', '--output', 'json'], false, /^\{\n {2}"error"/],
  [['plan', '--output=json'], true, /^$/],
  [['plan', '-o', 'json'], false, /^\{\n {2}"error"/],
  [['plan', '-oyaml'], false, /^error:/],
  [['values', 'split', '-o', 'json'], false, /^$/],
  [['charts', 'package', '--output-dir', 'json'], false, /^$/],
  [['sandbox', 'shell', '--', 'kubectl', 'get', 'pods', '-o', 'json'], false, /^$/],
  [['deploy', '--output', 'ndjson'], true, /^\{"type":"error"/],
  [['plan'], false, /^$/],
] as const)(
  'the error of %j, if a document was already printed (%s), is printed as expected',
  (words, hasDocument, expected) => {
    const error = new KkError('KK_HELD', 'somebody holds it')

    expect(printed(() => expect(openConsole(words).fail(error, {hasDocument})).toBe(3))).toMatch(expected)
  },
)
