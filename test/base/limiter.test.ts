import {describe, expect, it} from 'vitest'
import {limiter} from '../../src/base/limiter.ts'

/** Work that says when it begins, and ends when it is told. */
function pieces(...names: readonly string[]) {
  const begun: string[] = []
  const ends = new Map(names.map((name) => [name, Promise.withResolvers<string>()]))
  const work = (name: string) => () => {
    begun.push(name)
    return ends.get(name)!.promise
  }
  const end = (name: string) => ends.get(name)!.resolve(name)
  return {begun, work, end, ends}
}

describe('a limiter', () => {
  it('runs at most the limit at once, in the order of the calls', async () => {
    const inTurn = limiter(2)
    const {begun, work, end} = pieces('a', 'b', 'c', 'd')

    const all = ['a', 'b', 'c', 'd'].map((name) => inTurn(work(name)))
    expect(begun).toEqual(['a', 'b'])
    end('b')
    await all[1]
    expect(begun).toEqual(['a', 'b', 'c'])
    for (const name of ['a', 'c', 'd']) end(name)

    expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd'])
  })

  it('continues after work that fails', async () => {
    const inTurn = limiter(1)
    const {begun, work, end, ends} = pieces('a', 'b')

    const all = ['a', 'b'].map((name) => inTurn(work(name)))
    ends.get('a')!.reject(new Error('no'))
    await expect(all[0]).rejects.toThrow('no')
    end('b')

    expect(await all[1]).toBe('b')
    expect(begun).toEqual(['a', 'b'])
  })

  it('does not run work that is aborted while waiting', async () => {
    const inTurn = limiter(1)
    const {begun, work, end} = pieces('a', 'b', 'c')
    const aborted = new AbortController()

    const first = inTurn(work('a'))
    const second = inTurn(work('b'), aborted.signal)
    const third = inTurn(work('c'))
    aborted.abort(new Error('ended'))
    await expect(second).rejects.toThrow('ended')
    await expect(inTurn(work('b'), aborted.signal)).rejects.toThrow('ended')
    end('a')
    end('c')

    expect(await Promise.all([first, third])).toEqual(['a', 'c'])
    expect(begun).toEqual(['a', 'c'])
  })
})
