import {describe, expect, it} from 'vitest'
import {plainLine, plainLines} from '../../../src/report/text/plain.ts'

describe('plainLines', () => {
  it.each([
    ['one\ntwo\r\nthree\rfour', ['one', 'two', 'three', 'four']],
    ['\u001b[31mred\u001b[0m', ['red']],
    ['\u001b]0;title\u0007text', ['text']],
    ['a\tb', ['a  b']],
    ['bell\u0007 and \u009bback', ['bell and back']],
    ['right\u202eto left', ['rightto left']],
    ['\n\n', []],
  ])('%j is %j', (text, lines) => {
    expect(plainLines(text)).toEqual(lines)
  })

  it('joins to one line', () => {
    expect(plainLine('one\n  two')).toBe('one   two')
  })
})
