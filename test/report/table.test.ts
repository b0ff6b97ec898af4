import {expect, it} from 'vitest'
import {palette} from '../../src/report/colour.ts'
import {table} from '../../src/report/table.ts'

it('aligns columns, numbers at the right, wide characters and colours by what they take on the screen', () => {
  const {good} = palette(1)
  const rows = [
    ['release', 'revision', 'note'],
    [good('glance'), '7', ''],
    ['数据', '12', 'x'],
  ]

  expect(table(rows, {right: [1], indent: '  '})).toEqual([
    '  release  revision  note',
    `  ${good('glance')}          7`,
    '  数据           12  x',
  ])
})
