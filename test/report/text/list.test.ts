import {describe, expect, it} from 'vitest'
import {listWithin} from '../../../src/report/text/list.ts'

describe('listWithin', () => {
  it.each([
    [[], 10, ''],
    [['glance'], 3, 'glance'],
    [['a', 'b', 'c'], 7, 'a, b, c'],
    [['alpha', 'beta', 'gamma', 'delta'], 22, 'alpha, beta and 2 more'],
    [['alpha', 'beta', 'gamma', 'delta'], 21, 'alpha and 3 more'],
    [['alpha', 'beta', 'gamma', 'delta'], 25, 'alpha, beta, gamma, delta'],
  ])('%j in %i columns is %j', (items, columns, text) => {
    expect(listWithin(items, columns)).toBe(text)
  })
})
