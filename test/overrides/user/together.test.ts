import {describe, expect, it} from 'vitest'
import {KkError} from '../../../src/errors.ts'
import {together} from '../../../src/overrides/user/sql/together.ts'

/** A database that keeps what a transaction wrote only when its body succeeds; each transaction is told. */
function database() {
  const written: string[] = []
  const transactions: string[][] = []
  const write = together<string[]>(async (body) => {
    const own: string[] = []
    transactions.push(own)
    const result = await body(own)
    written.push(...own)
    return result
  })
  /** Writes its name, and ends as told. */
  const put = (name: string, end?: Error) =>
    write(name, async (db) => {
      await Promise.resolve()
      if (end instanceof KkError) throw end
      db.push(name)
      if (end) throw end
      return name
    })
  return {written, transactions, put}
}

const conflict = new KkError('KK_STORE_CONFLICT', 'somebody else was faster')

describe('changes of a store that come at once', () => {
  it('go together while another is under way, in their order', async () => {
    const {put, transactions} = database()

    expect(await Promise.all([put('d'), put('c'), put('a'), put('b')])).toEqual(['d', 'c', 'a', 'b'])
    expect(transactions).toEqual([['d'], ['a', 'b', 'c']])
  })

  it('each tell a conflict of their own, and the others are written', async () => {
    const {put, written} = database()

    const outcomes = await Promise.allSettled([put('a'), put('b', conflict), put('c')])

    expect(outcomes.map(({status}) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(outcomes[1]).toMatchObject({reason: conflict})
    expect(written).toEqual(['a', 'c'])
  })

  it('are done alone where one of them fails after it wrote', async () => {
    const {put, written, transactions} = database()
    const broken = new Error('the disk is full')

    const outcomes = await Promise.allSettled([put('a'), put('b', broken), put('c')])

    expect(outcomes.map(({status}) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(outcomes[1]).toMatchObject({reason: broken})
    expect(written).toEqual(['a', 'c'])
    expect(transactions).toEqual([['a'], ['b'], ['b'], ['c']])
  })

  it('go on after all were done', async () => {
    const {put, written} = database()

    await put('a')
    await put('b')

    expect(written).toEqual(['a', 'b'])
  })
})
