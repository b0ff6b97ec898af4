import {expect, it} from 'vitest'
import {redactLines} from '../../src/redact/lines.ts'
import {SECRET_TEXTS} from './support/secret-texts.ts'

it.each(SECRET_TEXTS)('%j is shown as %j', (text, shown) => {
  expect(redactLines(text)).toBe(shown)
})

it.each([
  ['long words', `x = ${'a'.repeat(200_000)}`],
  ['many values', 'value: a, '.repeat(20_000)],
  ['many flags', '-ab "'.repeat(40_000)],
  ['many elements', '<a>b'.repeat(50_000)],
  ['many references', 'secretKeyRef: {key: a} '.repeat(10_000)],
  ['many assignments', 'x='.repeat(100_000)],
  ['many users of URLs', '://a:'.repeat(100_000)],
  ['many quotes', `a: b\npassword=${'"'.repeat(100_000)}x`],
  ['many templates', 'a: b, password={{'.repeat(10_000) + '}}'.repeat(10_000)],
  ['long digits of a key', `a: b\n${'1'.repeat(200_000)}x=1`],
  ['a long word of a command', 'mysql-'.repeat(50_000)],
])('redactLines is fast with %s', (_, text) => {
  expect(redactLines(text)).toContain(text.slice(0, 5))
})
