import fc from 'fast-check'
import {expect, it} from 'vitest'
import {dumpYaml} from '../../src/yaml/dump.ts'
import {readYamlDocuments} from '../../src/yaml/yaml.ts'

it.each(['0X1F', '0B1', '0O7', '-0X1', '+0X1F', '0X_1', '-0B_1'])(
  'the string %s keeps its quotes, because Helm would parse it as a number',
  (text) => {
    expect(dumpYaml({version: text})).toBe(`version: '${text}'\n`)
  },
)

it('dumpYaml writes strings without unnecessary quotes, and does not break lines', () => {
  const text = 'a '.repeat(100).trim()

  expect(dumpYaml({b: text, a: '1.2.3'}, {sortKeys: true})).toBe(`a: 1.2.3\nb: ${text}\n`)
})

it('dumpYaml writes every string so that Helm reads it back', () => {
  const text = fc.string({unit: 'grapheme-ascii', maxLength: 12})

  fc.assert(
    fc.property(text, (value) => {
      expect(readYamlDocuments(dumpYaml({value}))).toEqual([{value}])
    }),
  )
})
