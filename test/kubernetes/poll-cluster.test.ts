import {describe, expect, it} from 'vitest'
import {KkError} from '../../src/base/errors.ts'
import {pollCluster} from '../../src/kubernetes/poll-cluster.ts'

/** A check that fails with each of these codes first. */
function failing(...codes: readonly ('KK_UNREACHABLE' | 'KK_API_SERVER' | 'KK_FORBIDDEN')[]) {
  const left = [...codes]
  return async () => {
    const code = left.shift()
    if (code !== undefined) throw new KkError(code, 'no')
    return 'result'
  }
}

describe('pollCluster', () => {
  it('repeats a request that the API server does not serve', async () => {
    const check = failing('KK_UNREACHABLE', 'KK_API_SERVER')

    expect(await pollCluster(check, {interval: 1, deadline: Date.now() + 60_000})).toBe('result')
  })

  it('rejects after the deadline, with what the API server did last', async () => {
    const check = failing('KK_UNREACHABLE')

    await expect(pollCluster(check, {interval: 1, deadline: Date.now()})).rejects.toMatchObject({
      code: 'KK_UNREACHABLE',
    })
  })

  it('rejects what a repetition does not change', async () => {
    const check = failing('KK_FORBIDDEN')

    await expect(pollCluster(check, {interval: 1, deadline: Date.now() + 60_000})).rejects.toMatchObject({
      code: 'KK_FORBIDDEN',
    })
  })
})
