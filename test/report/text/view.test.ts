import fc from 'fast-check'
import {expect, it} from 'vitest'
import {palette} from '../../../src/report/colour.ts'
import {blocks, viewText, wrap} from '../../../src/report/text/view.ts'
import {textWidth} from '../../../src/report/text/width.ts'

it.each([
  ['hint: give it more time', 14, ['hint: give it', '  more time']],
  ['  ~ api  a changed thing', 18, ['  ~ api  a changed', '    thing']],
  ['short', 14, ['short']],
  ['a supercalifragilistic word', 10, ['a', 'supercalifragilistic', '  word']],
  ['one line\nand one that is longer', 12, ['one line', 'and one that', '  is longer']],
  ['所有 服务 都 正常', 9, ['所有 服务', '  都 正常']],
])('%j is wrapped at %i columns', (text, columns, lines) => {
  expect(viewText(text, columns).trimEnd().split('\n')).toEqual(lines)
})

it('colours have no width in wrapped text', () => {
  const {bad, strong} = palette(1)
  const text = `${bad('error')} ${strong('KK_X')}: no such thing`

  const lines = wrap(text, 14)

  expect(lines.map(textWidth)).toEqual([14, 12])
})

it('no word of wrapped text is broken or lost, and only a word that is too long exceeds the columns', () => {
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

      const lines = viewText(text, columns).trimEnd().split('\n')

      expect(lines.flatMap((line) => line.trim().split(/ +/))).toEqual(words)
      for (const line of lines.filter((each) => textWidth(each) > columns))
        expect(line.trim()).not.toContain(' ')
    }),
  )
})

it('the parts of a view are laid out in columns, with a final line break', () => {
  const frame = () => ['| a cell of a frame | another |']
  const view = ['one line that is long', frame, (columns: number) => [`${columns} columns`]]

  expect(viewText(view, 14)).toBe('one line that\n  is long\n| a cell of a frame | another |\n14 columns\n')
  expect(viewText([])).toBe('')
})

it('blocks of a view are separated by empty lines, without empty blocks', () => {
  expect(blocks([['a', 'b'], [], ['c']])).toEqual(['a', 'b', '', 'c'])
})
