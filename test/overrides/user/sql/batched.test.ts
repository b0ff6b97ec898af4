import {describe, expect, it} from 'vitest'
import {batched, refused} from '../../../../src/overrides/user/sql/batched.ts'

const broken = new Error('the disk is full')
const late = new Error('somebody else was faster')

/** A database that stores the writes of a transaction only if it succeeds; each transaction is recorded. */
function database(most = 100) {
  const written: string[] = []
  const transactions: string[][] = []
  const put = batched<string, string>(async (group) => {
    transactions.push([...group])
    await Promise.resolve()
    if (group.includes('broken')) throw broken
    written.push(...group.filter((name) => name !== 'late'))
    return group.map((name) => (name === 'late' ? refused(late) : () => `${name} is written`))
  }, most)
  return {written, transactions, put}
}

describe('concurrent changes of a store', () => {
  it('form a batch, and those that arrive in the meantime the next one', async () => {
    const {put, transactions} = database()
    const later = put('a').then(() => put('d'))

    expect(await Promise.all([put('b'), put('c'), later])).toEqual(
      ['b', 'c', 'd'].map((name) => `${name} is written`),
    )
    expect(transactions).toEqual([['a', 'b', 'c'], ['d']])
  })

  it('do not exceed the maximum of a batch', async () => {
    const {put, transactions} = database(2)

    await Promise.all(['a', 'b', 'c', 'd'].map(put))

    expect(transactions).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ])
  })

  it('are refused one by one', async () => {
    const {put, written} = database()

    const outcomes = await Promise.allSettled(['a', 'b', 'late', 'c'].map(put))

    expect(outcomes.map(({status}) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
    expect(outcomes[2]).toMatchObject({reason: late})
    expect(written).toEqual(['a', 'b', 'c'])
  })

  it('are retried one by one if one of them fails', async () => {
    const {put, written, transactions} = database()

    const outcomes = await Promise.allSettled(['a', 'b', 'broken', 'c'].map(put))

    expect(outcomes.map(({status}) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
    expect(outcomes[2]).toMatchObject({reason: broken})
    expect(written).toEqual(['a', 'b', 'c'])
    expect(transactions).toEqual([['a', 'b', 'broken', 'c'], ['a'], ['b'], ['broken'], ['c']])
  })

  it('continue after a batch has ended', async () => {
    const {put, written} = database()

    await put('a')
    await put('b')

    expect(written).toEqual(['a', 'b'])
  })
})
