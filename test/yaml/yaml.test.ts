import {writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import fc from 'fast-check'
import {beforeAll, describe, expect, it} from 'vitest'
import type {KkError} from '../../src/base/errors.ts'
import {readOnlyYaml, readYaml, readYamlDocuments} from '../../src/yaml/yaml.ts'
import {NASTY_WORDS} from '../environment/support/nasty-strings.ts'
import {askHelm, valuesOfHelm, writeProbeChart} from '../overrides/support/probe.ts'
import {HELMS} from '../support/helms.ts'
import {testDirectory} from '../support/test-directory.ts'
import {toolPath} from '../support/tools.ts'

const read = (word: string) => (readYaml(`key: ${word}\n`) as {key: unknown}).key

describe('a plain word', () => {
  it.each<[word: string, value: unknown]>([
    ['yes', true],
    ['Off', false],
    ['y', true],
    ['~', null],
    ['0123', 83],
    ['0o17', 15],
    ['0x1F', 31],
    ['-0b11', -3],
    ['08', 8],
    ['1_000', 1000],
    ['1e3', 1000],
    ['.5', 0.5],
    ['1:30', '1:30'],
    ['2001-01-01', '2001-01-01'],
    ['12345678901234567890', 12345678901234567000],
    ['0xFFFFFFFFFFFFFFFFFFFF', '0xFFFFFFFFFFFFFFFFFFFF'],
    ['1e400', '1e400'],
    ['1.0.0', '1.0.0'],
    ['"yes"', 'yes'],
    ['!!str 12', '12'],
    ['! 12', '12'],
    ['!mine 12', '12'],
    ['!!int "12"', 12],
    ['!!float 1', 1],
    ['!!binary aGVsbG8=', 'hello'],
  ])('readYaml reads %s as %j', (word, value) => {
    expect(read(word)).toEqual(value)
  })
})

describe('keys', () => {
  it.each([
    ['y: 1', {true: 1}],
    ['0x10: 1', {16: 1}],
    ['1e6: 1', {'1e+06': 1}],
    ['1.10: 1', {1.1: 1}],
    ['"y": 1', {y: 1}],
    ['__proto__: {a: 1}', JSON.parse('{"__proto__": {"a": 1}}')],
  ])('have the names that Helm gives them: %s', (text, value) => {
    expect(readYaml(text)).toEqual(value)
  })

  it('can be duplicate: the last wins, or it is an error with both positions', () => {
    const text = 'a: 1\nb: 2\na: 3\n'

    expect(readYaml(text)).toEqual({a: 3, b: 2})
    expect(() => readYaml(text, {file: 'x.yaml', duplicates: 'error'})).toThrow(
      'x.yaml:3:1: the key "a" is duplicate, first in line 1',
    )
  })
})

describe('a tag without a value', () => {
  it.each(['a: [!!str, x]', 'a: [x, !!str]', 'a: {k: !!str}', 'a: [!!str]'])(
    'directly before a sign of a list or a map, as in %s, is refused',
    (text) => {
      expect(() => readYaml(text)).toThrow('the tag !!str is directly before')
    },
  )

  it('is an empty string', () => {
    expect(readYaml('a: [!!str , x]\nb: !!str\nc: [!!str "", x]')).toEqual({
      a: ['', 'x'],
      b: '',
      c: ['', 'x'],
    })
  })
})

describe('the merge key <<', () => {
  it.each([
    ['b: &b {123: own}\na: {<<: *b, "123": over}', 'int and string'],
    ['b: &b {"true": own}\na: {<<: *b, yes: over}', 'string and bool'],
    ['b: &b {1: own}\nc: &c {"1": x}\na: {<<: [*b, *c]}', 'string and int'],
  ])('is an error for keys with equal strings if duplicates are an error: %j', (text, types) => {
    expect(() => readYaml(text, {duplicates: 'error'})).toThrow(
      `is of two types here, ${types}, and << merges`,
    )
  })

  it('merges keys of one type, however they are written', () => {
    const text = 'b: &b {0x7b: own, yes: own}\na: {<<: *b, 123: over, true: over}'

    expect(readYaml(text, {duplicates: 'error'})).toMatchObject({a: {123: 'over', true: 'over'}})
  })

  it('merges maps under the keys that follow it, the first of a list on top', () => {
    expect(readYaml('a: {<<: [{x: 1, z: 1}, {x: 2, w: 2}], z: 3}')).toEqual({a: {x: 1, w: 2, z: 3}})
  })

  it('overrides keys before it, as in Helm only: an error if duplicates are an error', () => {
    expect(readYaml('a: {x: 1, <<: {x: 2}}')).toEqual({a: {x: 2}})
    expect(() => readYaml('a: {x: 1, <<: {x: 2}}', {duplicates: 'error'})).toThrow(
      'YAML:1:15: the key "x" is before << and in the merged map',
    )
  })
})

it('readYaml returns the same object for an alias and its anchor', () => {
  const {a, b} = readYaml('a: &x {k: 1}\nb: *x\n') as Record<string, unknown>

  expect(a).toBe(b)
})

it('readYamlDocuments returns all documents of a stream, readYaml the first one', () => {
  expect(readYamlDocuments('a: 1\n---\n# nothing\n---\n- b\n')).toEqual([{a: 1}, null, ['b']])
  expect(readYaml('a: 1\n---\nb: 2\n')).toEqual({a: 1})
  expect(readYaml('')).toBeNull()
})

describe('readOnlyYaml', () => {
  it.each([
    ['', null],
    ['# nothing\n', null],
    ['---\na: 1\n...\n', {a: 1}],
    ['a: 1\n---\n# nothing\n---\n~\n', {a: 1}],
  ])('reads the document in %j', (text, value) => {
    expect(readOnlyYaml(text)).toEqual(value)
  })

  it.each([
    ['a: 1\n---\nb: 2\n', 'x.yaml:3:1'],
    ['a: 1\n---\n---\n- b\n', 'x.yaml:4:1'],
    ['---\n---\na: 1\n', 'x.yaml:3:1'],
  ])('refuses a second document in %j, which helm 3 and 4 read differently', (text, place) => {
    expect(() => readOnlyYaml(text, {file: 'x.yaml'})).toThrow(
      `${place}: expected one document, got a second one`,
    )
  })
})

const BOMB = `r0: &a0 [x,x,x,x,x,x,x,x,x,x]\n${[...Array(9).keys()]
  .map((n) => `r${n + 1}: &a${n + 1} [${Array(10).fill(`*a${n}`)}]\n`)
  .join('')}`

const REFUSED: [text: string, message: string][] = [
  ['a: .inf', 'x.yaml:1:4: Helm does not accept .inf'],
  ['a: {~: 1}', 'x.yaml:1:5: expected a string as a key, got null'],
  ['a: {[b]: 1}', 'x.yaml:1:5: expected a string as a key, got a sequence'],
  ['a: &a [*a]', 'x.yaml:1:8: this alias refers to a node that contains it'],
  ['a: *b', 'x.yaml:1:4: this alias has no anchor before it'],
  ['a: &b: c', 'x.yaml:1:5: expected letters, digits, - and _ as the name of an anchor'],
  ['a: {<<: 5}', 'x.yaml:1:9: expected a map behind <<, got a scalar'],
  ['a: !!int x', 'x.yaml:1:10: expected !!int, got another word'],
  ['a:\n\t- b', 'x.yaml:2:1: tab characters must not be used in indentation'],
  ['a: [b', 'x.yaml:1:6: unexpected end of the stream within a flow collection'],
  ['a: "x\u0085y"', 'x.yaml:1:6: the character U+0085 ends a line for Helm'],
  ['a: "\\ud800"', 'x.yaml:1:4: half of a surrogate pair is not a character'],
  [BOMB, 'x.yaml:1:1: the aliases of this file expand to 1.4e+10 values'],
]

it.each(REFUSED)('%j is refused', (text, message) => {
  expect(() => readYaml(text, {file: 'x.yaml'})).toThrow(message)
})

it.each([
  '*S3cret',
  '&S3cret:x',
  '&S3cret *S3cret',
  '&S3cret [*S3cret]',
  '!S3cret!x y',
  '!S3cret!x!y z',
  '!S3cret{} z',
  '!<S3cret^> z',
  '!!int S3cret',
  '!!binary S3cret',
  '@S3cret',
  '`S3cret',
  '%S3cret',
  '"S3cret',
  "'S3cret",
  '"\\S3cret"',
  '[S3cret',
  '{S3cret',
  '{S3cret] ',
  '|S3cret',
  '>9S3cret',
  'S3cret: x',
  '? S3cret',
  '- S3cret',
  '\tS3cret:\n\t- b',
  '\n%TAG !S3cret! a\n%TAG !S3cret! b\n--- a',
])('yamlError does not repeat a password written as %j', (password) => {
  const error = thrownBy(() => readYaml(`password: ${password}`, {file: 'x.yaml'}))

  if (error)
    expect(error).toMatchObject({code: 'KK_YAML', message: expect.stringMatching(/^x\.yaml:\d+:\d+: /)})
  expect(`${error?.message} ${error?.hint}`).not.toContain('S3cret')
})

function thrownBy(read: () => unknown): KkError | undefined {
  try {
    read()
  } catch (error) {
    return error as KkError
  }
  return undefined
}

it('readYaml adds no line break to a block cut off by the end of the file, like helm 3 and PyYAML and unlike helm 4', () => {
  expect(readYaml('a: |\n  text')).toEqual({a: 'text'})
})

describe.each(HELMS)('%s', (name) => {
  let directory: string
  let helm: string
  let chart: string
  beforeAll(async () => {
    directory = testDirectory()
    helm = await toolPath(name)
    chart = await writeProbeChart(directory)
  }, 600_000)

  async function helmReads(text: string): Promise<unknown> {
    const file = join(directory, 'values.yaml')
    await writeFile(file, text)
    return valuesOfHelm({helm, chart, flags: ['--values', file]})
  }

  it('reads plain words as kk does, as values and as keys', async () => {
    const random = fc.string({
      unit: fc.constantFrom(...'0123456789._+-eExXobyYnN~ :'),
      minLength: 1,
      maxLength: 8,
    })
    const words = [...NASTY_WORDS, ...fc.sample(random, {seed: 11, numRuns: 5000})]
    const lines = words.flatMap((word) => [`- a: ${word}\n`, `- ${word}: a\n`]).filter(isReadable)
    const text = `words:\n${lines.join('')}`

    expect(lines.length).toBeGreaterThan(9000)
    expect(await helmReads(text)).toEqual(readYaml(text))
  })

  it('reads flow collections and quoted strings as kk does, however their lines are indented', async () => {
    const documents = fc.sample(shallowDocument, {seed: 16, numRuns: 3000})
    const file = join(directory, 'documents.json')
    await writeFile(file, JSON.stringify({documents}))
    await writeFile(join(chart, 'templates', 'values.yaml'), FROM_YAML)

    const {stdout} = await askHelm({helm, chart, flags: ['--values', file]})
    await writeProbeChart(directory)
    const lines = stdout.split('\n').filter((line) => line.startsWith('#{'))
    const read = lines.map((line) => JSON.parse(line.slice(1)) as object)

    expect(read.map((each) => ('Error' in each ? 'refused' : each))).toEqual(documents.map(readOrRefused))
    expect(read.filter((each) => !('Error' in each)).length).toBeGreaterThan(1000)
  })

  it.each([
    'a: {x: 1, <<: {x: 2}}\nb: {<<: [{x: 1, z: 1}, {x: 2, w: 2}], z: 3}\n',
    'a: |+\n  kept\n\nb: >-\n  folded\n  text\n',
    'a: &x {b: [1, 2]}\nc: *x\n',
    "\"a\\x41\\u00e9\\U0001F600\": 'it''s'\n",
    'a: 1\na: 2\n',
  ])('reads %j as kk does', async (text) => {
    expect(await helmReads(text)).toEqual(readYaml(text))
  })

  it.each(REFUSED.map(([text]) => text).filter((text) => !text.includes('\u0085')))(
    'refuses %j too',
    async (text) => {
      const file = join(directory, 'values.yaml')
      await writeFile(file, text)

      expect(await askHelm({helm, chart, flags: ['--values', file]})).not.toMatchObject({exitCode: 0})
    },
  )
})

/** One line for each of its documents, so that one helm reads them all. */
const FROM_YAML = '{{ range .Values.documents }}\n#{{ fromYaml . | toJson }}\n{{ end }}\n'

/** Breaks between the parts of flow collections, with any indentation, empty lines and comments. */
const gap = fc.oneof(
  {weight: 3, arbitrary: fc.constant(' ')},
  {weight: 3, arbitrary: fc.nat({max: 5}).map((depth) => `\n${' '.repeat(depth)}`)},
  fc.constantFrom('\n\n', ' # c }\n', '\n# c\n   '),
)
const {flow} = fc.letrec<{flow: string; leaf: string}>((tie) => ({
  leaf: fc.oneof(
    fc.constantFrom('1', 'x', 'x z', '"q"', "'q'", '~', 'x#z', '{}', '[]'),
    gap.filter((each) => !each.includes('#')).map((each) => `"q${each}r"`),
    gap.filter((each) => !each.includes('#')).map((each) => `'q${each}r'`),
    gap.filter((each) => !each.includes('#')).map((each) => `q${each}r`),
  ),
  flow: fc.oneof(
    {maxDepth: 2},
    tie('leaf'),
    fc
      .tuple(fc.array(fc.tuple(gap, tie('flow')), {minLength: 1, maxLength: 3}), gap)
      .map(([items, end]) => `[${items.map(([each, item]) => `${each}${item}`).join(',')}${end}]`),
    fc
      .tuple(fc.array(fc.tuple(gap, gap, tie('flow')), {minLength: 1, maxLength: 3}), gap)
      .map(
        ([pairs, end]) =>
          `{${pairs.map(([one, two, item], key) => `${one}k${key}:${two}${item}`).join(',')}${end}}`,
      ),
  ),
}))
const shallowDocument = fc
  .tuple(fc.constantFrom('a: ', 'a:\n  b: ', 'a:\n  - ', 'a:\n- - '), flow, fc.constantFrom('', '\nc: 2'))
  .map((parts) => `${parts.join('')}\n`)

function readOrRefused(text: string): unknown {
  try {
    return readYaml(text)
  } catch {
    return 'refused'
  }
}

it('yamlError gives the position of an error after unindented lines', () => {
  expect(() => readYaml('a: {\nx: 1,\ny: *z\n}\n', {file: 'x.yaml'})).toThrow('x.yaml:3:4: ')
  expect(() => readYaml('a: {\nx: 1,\n  ]\n', {file: 'x.yaml'})).toThrow('x.yaml:3:3: ')
})

it('readYaml reads many unindented lines', () => {
  const text = `a: [\n${'1,\n'.repeat(20_000)}]\nb: {\n"x": 1,\n"y": 2\n}\n`

  expect(readYaml(text)).toEqual({a: Array(20_000).fill(1), b: {x: 1, y: 2}})
})

it('readYaml stops with an error after too many unindented lines', () => {
  const text = `a: [\n${'"1",\n'.repeat(200_000)}]\n`

  expect(() => readYaml(text, {file: 'x.yaml'})).toThrow(/x\.yaml:\d+:1: deficient indentation/)
})

function isReadable(line: string): boolean {
  try {
    const items = readYaml(line)
    return Array.isArray(items) && items.length === 1 && Object.keys(items[0]).length === 1
  } catch {
    return false
  }
}

describe('an integer that is rounded on its way to a chart', () => {
  it.each([
    '9007199254740993',
    '-9007199254740993',
    '0x20000000000001',
    '99999999999999999999',
    '9_007_199_254_740_993',
  ])('is rounded like in Helm, or refused if requested, and not shown: %s', (text) => {
    const yaml = `a:\n  - ${text}`

    expect(readYaml(yaml)).toEqual({a: [expect.any(Number)]})
    expect(() => readOnlyYaml(yaml, {file: 'x.yaml', integers: 'error'})).toThrow(
      expect.objectContaining({
        code: 'KK_YAML',
        message: expect.stringMatching(/^x\.yaml:2:5: expected an integer that is not rounded(?!.*993)/),
      }),
    )
  })

  it.each(['9007199254740992', '100000000000000000000', '1.1', '1e300', '"9007199254740993"', '0644'])(
    'does not include the value %s',
    (text) => {
      expect(readOnlyYaml(text, {integers: 'error'})).toEqual(readOnlyYaml(text))
    },
  )
})
