import {describe, expect, it} from 'vitest'
import {changedBy} from '../../../src/overrides/user/stored-values.ts'

/** The history, newest first: ada set `a`, bob added `b`, ada removed `c` and set `list`. */
const HISTORY = [
  {who: 'ada', at: '3', before: 'a: 1\nb: {x: 2}\nc: 3\n', after: 'a: 1\nb: {x: 2}\nlist: [1]\n'},
  {who: 'bob', at: '2', before: 'a: 1\nc: 3\n', after: 'a: 1\nb: {x: 2}\nc: 3\n'},
  {who: 'ada', at: '1', before: null, after: 'a: 1\nc: 3\n'},
]

describe("the author of a key in the deployer's overrides", () => {
  it.each([
    {path: ['a'], at: '1'},
    {path: ['b', 'x'], at: '2'},
    {path: ['list'], at: '3'},
    {path: ['c'], at: '3'},
  ])('is the user who last changed the value at $path, not other paths since', ({path, at}) => {
    expect(changedBy(HISTORY)(path)?.at).toBe(at)
  })

  it('is unknown for values that the history does not have', () => {
    expect(changedBy(HISTORY)(['d'])).toBeUndefined()
    expect(changedBy([])(['a'])).toBeUndefined()
  })
})
