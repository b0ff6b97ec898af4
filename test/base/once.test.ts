import {describe, expect, it} from 'vitest'
import {sharedFor} from '../../src/base/once.ts'

describe('sharedFor', () => {
  it('shares one result among the calls while it is computed, and computes it again afterwards', async () => {
    let calls = 0
    const read = sharedFor(0, async () => ++calls)

    expect(await Promise.all([read(), read()])).toEqual([1, 1])
    expect(await read()).toBe(2)
  })

  it('keeps a result for its time', async () => {
    let calls = 0
    const read = sharedFor(60_000, async () => ++calls)

    expect([await read(), await read()]).toEqual([1, 1])
  })

  it('does not keep an error', async () => {
    let calls = 0
    const read = sharedFor(60_000, async () => {
      calls++
      if (calls === 1) throw new Error('not yet')
      return calls
    })

    await expect(read()).rejects.toThrow('not yet')
    expect(await read()).toBe(2)
  })
})
