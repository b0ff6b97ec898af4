import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {shorten, textWidth} from '../../../src/report/text/width.ts'

describe('textWidth', () => {
  it.each([
    ['', 0],
    ['keystone', 8],
    ['…', 1],
    ['é', 1],
    ['e\u0301', 1],
    ['数据库', 6],
    ['한글', 4],
    ['🚀', 2],
    ['❤️', 2],
    ['⠋ ✔ ✖', 5],
    ['\u001b[31mred\u001b[39m', 3],
  ])('%j takes %i columns', (text, columns) => {
    expect(textWidth(text)).toBe(columns)
  })
})

describe('shorten', () => {
  it.each([
    ['keystone', 8, 'keystone'],
    ['keystone', 5, 'keys…'],
    ['数据库', 5, '数据…'],
    ['数据库', 4, '数…'],
    ['keystone', 1, '…'],
    ['keystone', 0, ''],
  ])('%j in %i columns is %j', (text, columns, expected) => {
    expect(shorten(text, columns)).toBe(expected)
  })

  it('never exceeds the specified columns', () => {
    fc.assert(
      fc.property(fc.string({unit: 'grapheme'}), fc.nat(40), (text, columns) => {
        expect(textWidth(shorten(text, columns))).toBeLessThanOrEqual(columns)
      }),
    )
  })
})
