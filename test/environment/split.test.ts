import fc from 'fast-check'
import {beforeAll, describe, expect, it} from 'vitest'
import {readDocument} from '../../src/environment/read.ts'
import {splitEnvironment} from '../../src/environment/split.ts'
import {pythonWord} from '../../src/yaml/pyyaml/word.ts'
import {resolveWord} from '../../src/yaml/word.ts'
import {readYaml} from '../../src/yaml/yaml.ts'
import {NASTY_STRINGS, NASTY_WORDS} from './support/nasty-strings.ts'
import {valuesPy} from './support/values-py.ts'

function split(text: string): Record<string, string> {
  return Object.fromEntries(
    splitEnvironment(readDocument({file: 'e.yaml', text, directory: '/', onDuplicate: () => {}})),
  )
}

/** The files, or undefined where the environment is refused. */
function attempt(text: string): Record<string, string> | undefined {
  try {
    return split(text)
  } catch {
    return undefined
  }
}

const GOLDEN = [
  'mariadb: {b: 1, a: [1, [2, {c: d}], []], Z: {}, é: é}\n',
  'global: {region: RegionOne, x: [1]}\nmariadb: {a: 1}\nglance: {b: 2}\n',
  'mariadb: {}\n',
  'mariadb:\n',
  'global: {}\nmariadb: {a: 1}\n',
  'global:\nmariadb: {a: 1}\n',
  'global: {a: 1}\n',
  'mariadb: {global: {a: 1}, b: 2, A: 3}\n',
  'endpoints: &e {a: {b: 1}, c: [1]}\nnova: {endpoints: *e}\nglance: {endpoints: *e, again: *e, third: *e}\n',
  'base: &b {x: {deep: 1}, when: 2001-01-01}\nnova: {one: {<<: *b}, two: {<<: *b, z: 1}}\n',
  'nova: {a: &a [], b: *a, c: &c {}, d: *c, e: &e 2001-01-01, f: *e, g: &g text, h: *g}\n',
  'nova: {1: a, 10: b, 9: c, 1.5: d}\n',
  'nova: {1: a, b: c, 0: d}\n',
  'nova: {on: 1, off: 2}\n',
  'ceph: {ceph: {foo: bar, foo: {hoo: woo}}}\nkeystone: {a: 1}\nkeystone: {b: 2}\n',
  'nova: {i: 0x1F, o: 012, b: -0b11, u: 1_000, big: 123456789012345678901, f: 1e16, g: 1.0e+16, h: .5, t: Yes, n: ~}\n',
  'nova: {y: n, e: 1e3, o: 0o17, z: 08, p: +.5}\n',
  'nova: {d: 2001-01-01, t: 2001-12-14 21:59:43, u: 2001-12-14 21:59:43.100000-05:00}\n',
  `nova: {k: !!binary ${'aGVsbG8h'.repeat(30)}, l: [!!binary aGVsbG8=], m: !!binary "", s: !!str 12, f: !!float 3}\n`,
  `nova: {"${'k'.repeat(130)}": 1, "${'k'.repeat(123)}": [1], "${'k'.repeat(122)}": [1], "é${'k'.repeat(121)}": [1]}\n`,
  'nova: {"a\\nb": [1, {c: d}], "c\\nd": {e: 1}, "": [], "z\\n": v}\n',
  `nova:\n  plain: ${'word '.repeat(40)}\n  single: "${"it's: ".repeat(40)}"\n  double: "${'é word '.repeat(40)}"\n`,
  'nova:\n  text: |\n    line\n\n      indented\n    end\n  folded: >-\n    a\n    b\n  list:\n  - - 1\n    - - 2\n',
  'nova: {😀: 1, \uffee: 2, z: 3, Z: 4, _: 5, "\\U0001F600\\uE000": 6}\n',
  'nova: {a: \'it\'\'s\', b: "tab\\there", c: "  lead", d: "trail  ", e: "a\\n b", f: "a \\nb", g: "# x", h: "a # b", i: "a: b"}\n',
]

describe('a values file', () => {
  let wrote: Awaited<ReturnType<typeof valuesPy>>
  beforeAll(async () => {
    wrote = await valuesPy(GOLDEN)
  }, 60_000)

  it.each(GOLDEN.map((text, index) => [text, index] as const))(
    'of %j equals the output of values.py',
    (text, index) => {
      expect(split(text)).toEqual(wrote[index])
    },
  )

  it.each(['nova: [1]\n', 'nova: text\n'])('of %j is not written: values.py made no values of it', (text) => {
    expect(() => split(text)).toThrow('expected a map of values')
  })

  it('contains every difficult string as values.py wrote it, as a value, a key and an item', async () => {
    const texts = [
      ...NASTY_STRINGS.filter(isSame).map(
        (each) => `m: {v: ${escaped(each)}, k: {${escaped(each)}: [${escaped(each)}]}}\n`,
      ),
      ...NASTY_WORDS.flatMap((word) => [`m:\n  k: ${word}\n`, `m:\n  ${word}: v\n`]),
    ]

    const [compared, expected] = await comparable(texts)

    expect(compared.length).toBeGreaterThan(300)
    expect(compared.map(split)).toEqual(expected)
  })

  it('of any environment equals the output of values.py', async () => {
    const texts = fc.sample(environments(), {seed: 8, numRuns: 300})

    const [compared, expected] = await comparable(texts)

    expect(compared.length).toBe(300)
    expect(compared.map(split)).toEqual(expected)
  }, 60_000)

  it('of any environment is read by Helm like the environment', () => {
    fc.assert(
      fc.property(environments(NASTY_STRINGS), (text) => {
        const {global, ...sections} = readYaml(text) as Record<string, object>
        const read = Object.entries(split(text)).map(([name, file]) => [name, readYaml(file)])

        expect(Object.fromEntries(read)).toEqual(
          Object.fromEntries(
            Object.entries(sections).map(([name, section]) => [name, {...(global && {global}), ...section}]),
          ),
        )
      }),
      {numRuns: 200},
    )
  })

  it.each(['y', 'N', '1e3', '08', '0o17', '+.5', '1_', '.e3'].filter((word) => !isSame(word)))(
    'has the string %j in quotes, which values.py omitted, so that Helm reads a string',
    (word) => {
      expect(split(`m: {k: "${word}", "${word}": v}`)).toEqual({m: expect.stringContaining(`k: '${word}'\n`)})
      expect(readYaml(split(`m: {k: "${word}"}`).m!)).toEqual({k: word})
    },
  )

  it('of a section with its own global contains the merged global once', () => {
    expect(
      split(
        'global: {a: {x: 1, z: 1}, l: [1]}\nm: {global: {a: {x: 2}, l: [2], n: ~}, b: 1}\nother: {global: {}}\n',
      ),
    ).toEqual({
      m: 'global:\n  a:\n    x: 2\n    z: 1\n  l:\n  - 2\n  n: null\nb: 1\n',
      other: 'global:\n  a:\n    x: 1\n    z: 1\n  l:\n  - 1\n',
    })
  })

  it('of an empty section contains only the common global', () => {
    expect(split('global: {a: 1}\nm:\nother: {}\n')).toEqual({
      m: 'global:\n  a: 1\n',
      other: 'global:\n  a: 1\n',
    })
  })

  it('contains no settings of kk', () => {
    expect(split('kk: {name: x}\nm: {a: 1}\n')).toEqual({m: 'a: 1\n'})
  })

  it('needs no name of the environment', () => {
    const files = splitEnvironment(readDocument({file: 'my cloud.yaml', text: 'm: {a: 1}\n', directory: '/'}))

    expect([...files.keys()]).toEqual(['m'])
  })
})

/**
 * PyYAML leaves these bare, and Helm would read a number or a boolean: the one place where kk writes
 * something else.
 */
function isSame(text: string): boolean {
  return resolveWord(text) === undefined || pythonWord(text) !== undefined
}

/** The texts that neither side refuses, with what values.py wrote for them. */
async function comparable(texts: readonly string[]): Promise<[string[], Record<string, string>[]]> {
  const expected = await valuesPy(texts)
  const both = texts
    .map((text, index) => [text, expected[index]] as const)
    .filter(([text, files]) => files && attempt(text))
  return [both.map(([text]) => text), both.map(([, files]) => files!)]
}

/** A double-quoted scalar that every reader understands. */
function escaped(text: string): string {
  return JSON.stringify(text).replace(/[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

function environments(strings: readonly string[] = NASTY_STRINGS.filter(isSame)): fc.Arbitrary<string> {
  const words = fc.constantFrom(
    'lorem',
    'dolor sit',
    'x: y',
    "it's",
    '"q"',
    '  ',
    'é',
    '😀',
    '\\',
    '\n',
    '\t',
    '# c',
    'w'.repeat(90),
    ' ',
    '\u0085',
  )
  const long = fc
    .array(words, {maxLength: 40})
    .map((parts) => parts.join(' '))
    .filter((text) => strings.length > 200 || isSame(text))
  const text = fc.oneof(fc.constantFrom(...strings), long).map(escaped)
  const word = fc.constantFrom(
    '1',
    '-5',
    '0x1F',
    '012',
    '1.5',
    '1e16',
    '1.0e-5',
    'yes',
    'No',
    '~',
    '2001-01-01',
    'y',
    '08',
    '1_000',
    '-0.0',
  )
  const key = fc.oneof(fc.constantFrom('a', 'b', 'c', '"é"', '"😀"', '"\uffee"', 'B'), text)
  const {node} = fc.letrec<{node: string}>((tie) => ({
    node: fc.oneof(
      {maxDepth: 4},
      text,
      word,
      fc.array(tie('node'), {maxLength: 4}).map((items) => `[${items.join(', ')}]`),
      fc.uniqueArray(fc.tuple(key, tie('node')), {maxLength: 4, selector: ([each]) => each}).map(flowMap),
      fc.tuple(tie('node'), fc.constantFrom('anchor1', 'anchor2')).map(([inner]) => `[${inner}]`),
    ),
  }))
  const shared = node.map((inner) => `&s {in: [${inner}]}`)
  return fc
    .tuple(fc.option(node), shared, node, node)
    .map(([global, anchor, left, right]) =>
      [
        global === null ? '' : `global: {g: ${global}}\n`,
        `m: {k: ${left}, s: ${anchor}, t: *s}\n`,
        `n-1: {q: ${right}, s: {<<: *s}, t: [*s, *s]}\n`,
      ].join(''),
    )
}

function flowMap(pairs: readonly (readonly [string, string])[]): string {
  return `{${pairs.map(([key, value]) => `${key}: ${value}`).join(', ')}}`
}
