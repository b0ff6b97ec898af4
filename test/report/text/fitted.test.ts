import fc from 'fast-check'
import {expect, it} from 'vitest'
import {palette} from '../../../src/report/colour.ts'
import {fitted} from '../../../src/report/text/fitted.ts'
import {textWidth} from '../../../src/report/text/width.ts'

it.each([
  ['hint: give it more time', 14, ['hint: give it', '  more time']],
  ['  ~ api  a changed thing', 18, ['  ~ api  a changed', '         thing']],
  ['short', 14, ['short']],
  ['a supercalifragilistic word', 10, ['a', 'supercalifragilistic', '  word']],
  ['| a cell of a frame | another |', 14, ['| a cell of a frame | another |']],
  ['one line\nand one that is longer', 12, ['one line', 'and one that', '  is longer']],
  ['所有 服务 都 正常', 9, ['所有 服务', '  都 正常']],
])('%j in %i columns', (text, columns, lines) => {
  expect(fitted(text, columns).split('\n')).toEqual(lines)
})

it('colours take no room', () => {
  const {bad, strong} = palette(1)
  const text = `${bad('error')} ${strong('KK_X')}: no such thing`

  const lines = fitted(text, 14).split('\n')

  expect(lines.map(textWidth)).toEqual([14, 12])
})

it('no word is broken or lost, and only one that is too long alone leaves the columns', () => {
  const words = fc.array(fc.string({unit: fc.constantFrom(...'abc-/é界'), minLength: 1, maxLength: 30}), {
    minLength: 1,
    maxLength: 30,
  })
  const gaps = fc.array(fc.integer({min: 1, max: 4}), {minLength: 30, maxLength: 30})
  fc.assert(
    fc.property(words, gaps, fc.integer({min: 10, max: 60}), (words, gaps, columns) => {
      const text = words
        .map((word, index) => word + ' '.repeat(gaps[index]!))
        .join('')
        .trimEnd()

      const lines = fitted(text, columns).split('\n')

      expect(lines.flatMap((line) => line.trim().split(/ +/))).toEqual(words)
      for (const line of lines.filter((each) => textWidth(each) > columns))
        expect(line.trim()).not.toContain(' ')
    }),
  )
})
