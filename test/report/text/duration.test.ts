import {describe, expect, it} from 'vitest'
import {clockText, durationText} from '../../../src/report/text/duration.ts'

describe('durationText', () => {
  it.each([
    [0.4, '< 1 s'],
    [1, '1 s'],
    [59.9, '59 s'],
    [65, '1 m 05 s'],
    [3725, '1 h 02 m'],
  ])('%d seconds are %j', (seconds, text) => {
    expect(durationText(seconds)).toBe(text)
  })
})

describe('clockText', () => {
  it.each([
    [-1, '00:00'],
    [7, '00:07'],
    [750, '12:30'],
    [3723, '1:02:03'],
  ])('%d seconds are %j', (seconds, text) => {
    expect(clockText(seconds)).toBe(text)
  })
})
