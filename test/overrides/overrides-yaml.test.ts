import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import type {Values} from '../../src/base/values.ts'
import {blockYaml, editableYaml, systemYaml} from '../../src/overrides/overrides-yaml.ts'
import {readYaml} from '../../src/yaml/yaml.ts'
import {NASTY_STRINGS} from '../environment/support/nasty-strings.ts'
import {safeDump} from './support/safe-dump.ts'

const text = fc.oneof(
  fc.constantFrom(...NASTY_STRINGS.filter((each) => each.isWellFormed())),
  fc.string({unit: 'grapheme', maxLength: 12}),
  fc.string({maxLength: 120}),
)
const scalar = fc.oneof(
  text,
  fc.boolean(),
  fc.constant(null),
  fc.integer(),
  fc.double({noNaN: true, noDefaultInfinity: true}),
)
const name = text.filter((key) => key !== '__proto__')
const {value} = fc.letrec((tie) => ({
  value: fc.oneof(
    {maxDepth: 4},
    scalar,
    fc.array(tie('value'), {maxLength: 4}),
    fc.dictionary(name, tie('value'), {maxKeys: 4, noNullPrototype: true}),
  ),
}))
const values = fc.dictionary(name, value, {
  minKeys: 1,
  maxKeys: 5,
  noNullPrototype: true,
}) as fc.Arbitrary<Values>

const EXAMPLES: readonly Values[] = [
  {pod: {replicas: {server: 1}}},
  {enabled: true},
  {b: [1, 2], a: [], m: {}, l: [[1], [[2]], {x: 1}, {w: {z: 1}}]},
  {
    text: {
      one: 'a, b',
      two: 'a: b',
      three: 'http://host:80',
      four: '{x}',
      five: '',
      six: null,
      '': 1,
      'a:b': 2,
    },
  },
  {
    long: {a: 'word '.repeat(40), b: 'x'.repeat(90), c: 1},
    list: Array.from({length: 40}, (_, index) => index),
  },
  {
    multi: {a: 'one\ntwo\n', b: 1},
    block: 'one\ntwo\n',
    [`k${'k'.repeat(130)}`]: {[`m${'m'.repeat(130)}`]: 1},
  },
  {numbers: {a: 1.5, b: 0, c: 1e21, d: 2 ** 53, e: -3, f: 1e-7}, words: ['yes', 'no', '1', '0x17', '~']},
]

describe('overrides as YAML', () => {
  it.each([blockYaml, systemYaml])('%o: helm reads back the written values', (write) => {
    fc.assert(
      fc.property(values, (each) => {
        expect(readYaml(write(each))).toEqual(each)
      }),
      {numRuns: 500},
    )
  })

  it("equal PyYAML's output, in blocks and with the innermost collections in one line", async () => {
    const expected = await safeDump(EXAMPLES)

    expect(EXAMPLES.map((each) => ({block: blockYaml(each), innermost: systemYaml(each)}))).toEqual(expected)
  })

  it('are empty for no values', () => {
    expect([blockYaml({}), systemYaml({})]).toEqual(['', ''])
  })

  it('quote a word that only Helm parses as a number, in every style', () => {
    const written = systemYaml({a: {version: '1e3', mode: '08', answer: 'y'}})

    expect(written).toBe("a: {answer: 'y', mode: '08', version: '1e3'}\n")
  })
})

describe('overrides in an editable form', () => {
  it('have multi-line strings as blocks, and letters unescaped', () => {
    expect(editableYaml(blockYaml({a: 'l1\n  l2\n', b: 'é 😀', c: [1, {d: true}]}))).toBe(
      'a: |\n  l1\n    l2\nb: é 😀\nc:\n  - 1\n  - d: true\n',
    )
    expect(editableYaml('')).toBe('')
  })

  it('are parsed to the original values, whatever they are', () => {
    fc.assert(
      fc.property(values, (given) => {
        const yaml = blockYaml(given)
        expect(readYaml(editableYaml(yaml))).toEqual(readYaml(yaml))
      }),
    )
  })
})
