import fc from 'fast-check'
import {expect, it} from 'vitest'
import {palette} from '../../src/report/colour.ts'
import {type Columns, pairs, table} from '../../src/report/table.ts'
import {type Part, viewText} from '../../src/report/text/view.ts'
import {textWidth} from '../../src/report/text/width.ts'

type Row = readonly string[]

/** Returns a table whose columns show the cells of its rows, in their order. */
function tableOf(heads: readonly string[], rows: readonly Row[]): Part {
  return table(rows, Object.fromEntries(heads.map((head, at) => [head, (row: Row) => row[at]!])))
}

/** Returns the lines of a table on a terminal of so many columns. */
function linesIn(columns: number, list: Part): readonly string[] {
  return viewText(list, columns).slice(0, -1).split('\n')
}

it('aligns columns by their width on the screen, with numbers at the right, wide characters and colours', () => {
  const {good} = palette(1)
  const rows = [
    [good('glance'), '7', ''],
    ['数据', '12', 'x'],
  ]
  const columns: Columns<Row> = {
    release: ([release = '']) => release,
    revision: {cell: ([, revision = '']) => revision, align: 'right'},
    note: ([, , note = '']) => note,
  }

  expect(linesIn(Infinity, table(rows, columns, {indent: '  '}))).toEqual([
    '  release  revision  note',
    `  ${good('glance')}          7`,
    '  数据           12  x',
  ])
})

it('shows the lines of a cell below one another, and additional lines of a row across all columns', () => {
  const below = ([name]: readonly [string, string]) => (name === 'b' ? ['→ across the table'] : [])

  expect(
    linesIn(
      Infinity,
      pairs(
        [
          ['a', 'one\ntwo'],
          ['b', 'three'],
        ],
        {below},
      ),
    ),
  ).toEqual(['a  one', '   two', 'b  three', '→ across the table'])
})

it('never breaks the cells of a whole column', () => {
  const columns: Columns<Row> = {
    took: {cell: ([took = '']) => took, whole: true},
    why: ([, why = '']) => why,
  }

  expect(linesIn(16, table([['2 m 05 s', 'a long wait']], columns))).toEqual([
    'took      why',
    '2 m 05 s  a long',
    '          wait',
  ])
})

it('wraps the rows of a table without heads as lines if its words do not fit in columns', () => {
  expect(linesIn(12, pairs([['kubeconfig', '/etc/kk/config now']], {indent: '  '}))).toEqual([
    '  kubeconfig',
    '/etc/kk/config',
    '    now',
  ])
})

it('breaks the widest cells of a table within their columns', () => {
  const rows = [
    ['a1', '2', 'somebody', 'more servers of the identity service'],
    ['b2', '12', 'the operator', '–'],
  ]

  const columns: Columns<Row> = {
    run: ([run = '']) => run,
    number: {cell: ([, number = '']) => number, align: 'right'},
    who: ([, , who = '']) => who,
    why: ([, , , why = '']) => why,
  }

  expect(viewText(table(rows, columns), 38).trimEnd()).toBe(
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

it('omits the last columns of a table if whole words do not fit, and names them', () => {
  const list = tableOf(
    ['release', 'chart', 'requires', 'dependents'],
    [['a-long-name', 'keystone 0.1.0', '1', '2']],
  )

  expect(linesIn(30, list)).toEqual([
    'release     chart     requires',
    'a-long-name keystone  1',
    '            0.1.0',
    '(too narrow for: dependents)',
  ])
})

it('a colour in a broken cell does not continue in the next column', () => {
  const {bad} = palette(1)
  const list = tableOf(['state', 'why', 'id'], [[bad('failed and gone'), 'no', '1']])

  expect(linesIn(19, list).slice(1)).toEqual([
    '\u001b[31mfailed and\u001b[0m  no   1',
    '\u001b[31mgone\u001b[39m\u001b[0m',
  ])
})

it('each cell of a table is completely below its heading', () => {
  const headings = ['alpha', 'beta', 'gamma', 'delta', 'epsilon']
  const word = fc.string({unit: fc.constantFrom(...'ab1é界'), minLength: 1, maxLength: 8})
  const cell = fc.array(word, {minLength: 0, maxLength: 6}).map((words) => words.join(' '))
  const row = fc.array(cell, {minLength: headings.length, maxLength: headings.length})
  fc.assert(
    fc.property(
      fc.array(row, {minLength: 1, maxLength: 5}),
      fc.integer({min: 36, max: 90}),
      (rows, columns) => {
        const [first = '', ...lines] = linesIn(columns, tableOf(headings, rows))

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
