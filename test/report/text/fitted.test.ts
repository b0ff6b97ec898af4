import fc from 'fast-check'
import {expect, it} from 'vitest'
import {palette} from '../../../src/report/colour.ts'
import {table} from '../../../src/report/table.ts'
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

it('breaks the widest cells of a table within their columns', () => {
  const rows = [
    ['run', 'number', 'who', 'why'],
    ['a1', '2', 'somebody', 'more servers of the identity service'],
    ['b2', '12', 'the operator', '–'],
  ]

  expect(fitted(table(rows, {right: [1]}).join('\n'), 38)).toBe(
    [
      'run  number  who          why',
      'a1        2  somebody     more servers',
      '                          of the',
      '                          identity',
      '                          service',
      'b2       12  the          –',
      '             operator',
    ].join('\n'),
  )
})

it('leaves out the last columns of a table where whole words do not fit, and names them', () => {
  const lines = table([
    ['release', 'chart', 'requires', 'dependents'],
    ['a-long-name', 'keystone 0.1.0', '1', '2'],
  ])

  expect(fitted(lines.join('\n'), 30).split('\n')).toEqual([
    'release     chart     requires',
    'a-long-name keystone  1',
    '            0.1.0',
    '(too narrow for: dependents)',
  ])
})

it('a colour of a broken cell does not reach the next column', () => {
  const {bad} = palette(1)
  const lines = table([
    ['state', 'why', 'id'],
    [bad('failed and gone'), 'no', '1'],
  ])

  expect(fitted(lines.join('\n'), 19).split('\n').slice(1)).toEqual([
    '\u001b[31mfailed and\u001b[0m  no   1',
    '\u001b[31mgone\u001b[39m\u001b[0m',
  ])
})

it('each text of a table stays below its heading, whole', () => {
  const headings = ['alpha', 'beta', 'gamma', 'delta', 'epsilon']
  const word = fc.string({unit: fc.constantFrom(...'ab1é界'), minLength: 1, maxLength: 8})
  const cell = fc.array(word, {minLength: 0, maxLength: 6}).map((words) => words.join(' '))
  // A line without a word ends a table.
  const row = fc
    .array(cell, {minLength: headings.length, maxLength: headings.length})
    .filter((cells) => cells.some((each) => each !== ''))
  fc.assert(
    fc.property(
      fc.array(row, {minLength: 1, maxLength: 5}),
      fc.integer({min: 36, max: 90}),
      (rows, columns) => {
        const text = table([headings, ...rows]).join('\n')

        const [first = '', ...lines] = fitted(text, columns).split('\n')

        const shown = headings.filter((heading) => first.includes(heading))
        const left = headings.slice(shown.length)
        if (left.length > 0) expect(lines.pop()).toBe(`(too narrow for: ${left.join(', ')})`)
        const starts = shown.map((heading) => first.indexOf(heading))
        for (const [index] of shown.entries()) {
          const below = lines.map((line) => columnsOf(line, starts[index]!, starts[index + 1]))
          expect(wordsOf(below.join(' '))).toEqual(rows.flatMap((cells) => wordsOf(cells[index]!)))
        }
        for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(columns)
      },
    ),
    {examples: [[[['', '', '', '', 'a界界a界aa']], 36]]},
  )
})

const wordsOf = (text: string) => text.split(/ +/).filter((word) => word !== '')

/** What stands in these columns of a terminal. */
function columnsOf(line: string, from: number, to = Infinity): string {
  let at = 0
  return [...line]
    .filter((character) => {
      const isIn = at >= from && at < to
      at += textWidth(character)
      return isIn
    })
    .join('')
}
