import {describe, expect, it} from 'vitest'
import {refused, together} from '../../../../src/overrides/user/sql/together.ts'

const broken = new Error('the disk is full')
const late = new Error('somebody else was faster')

/** A database that keeps what a transaction wrote only when it ends well; each transaction is told. */
function database(most = 100) {
  const written: string[] = []
  const transactions: string[][] = []
  const put = together<string, string>(async (group) => {
    transactions.push([...group])
    await Promise.resolve()
    if (group.includes('broken')) throw broken
    written.push(...group.filter((name) => name !== 'late'))
    return group.map((name) => (name === 'late' ? refused(late) : () => `${name} is written`))
  }, most)
  return {written, transactions, put}
}

describe('changes of a store that come at once', () => {
  it('go together, and those that come meanwhile after them', async () => {
    const {put, transactions} = database()
    const later = put('a').then(() => put('d'))

    expect(await Promise.all([put('b'), put('c'), later])).toEqual(
      ['b', 'c', 'd'].map((name) => `${name} is written`),
    )
    expect(transactions).toEqual([['a', 'b', 'c'], ['d']])
  })

  it('are not more than may go together', async () => {
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

  it('are done alone where one of them fails', async () => {
    const {put, written, transactions} = database()

    const outcomes = await Promise.allSettled(['a', 'b', 'broken', 'c'].map(put))

    expect(outcomes.map(({status}) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
    expect(outcomes[2]).toMatchObject({reason: broken})
    expect(written).toEqual(['a', 'b', 'c'])
    expect(transactions).toEqual([['a', 'b', 'broken', 'c'], ['a'], ['b'], ['broken'], ['c']])
  })

  it('go on after all were done', async () => {
    const {put, written} = database()

    await put('a')
    await put('b')

    expect(written).toEqual(['a', 'b'])
  })
})
