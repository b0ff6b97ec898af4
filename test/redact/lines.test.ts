import {execa} from 'execa'
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

it('masks also where V8 does not optimize regular expressions, because there are many', async () => {
  const lines = new URL('../../src/redact/lines.ts', import.meta.url).href
  const text = ['Authorization: Bearer abcdefgh', 'SQL: identified BY "hunter2"'].join('\n')
  const script = `import {redactLines} from ${JSON.stringify(lines)}; console.log(redactLines(${JSON.stringify(text)}))`
  const flags = ['--no-regexp-optimization', '--input-type=module', '--eval']

  const {stdout} = await execa(process.execPath, [...flags, script])

  expect(stdout).toBe('Authorization: ***\nSQL: identified BY ***')
})
