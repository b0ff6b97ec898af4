import {describe, expect, it, vi} from 'vitest'
import {pollUntil} from '../../src/base/poll.ts'

describe('pollUntil', () => {
  it('polls until there is a result, and resolves with it', async () => {
    const look = vi.fn(async () => look.mock.calls.length === 3 && 'here')

    await expect(pollUntil(look, {interval: 1})).resolves.toBe('here')
    expect(look).toHaveBeenCalledTimes(3)
  })

  it('accepts 0 and an empty string as results', async () => {
    await expect(pollUntil(async () => 0, {interval: 1})).resolves.toBe(0)
    await expect(pollUntil(async () => '', {interval: 1})).resolves.toBe('')
  })

  it('polls once after the deadline, and resolves with undefined', async () => {
    const look = vi.fn(async () => undefined)

    await expect(pollUntil(look, {interval: 1, deadline: 0})).resolves.toBeUndefined()
    expect(look).toHaveBeenCalledTimes(1)
  })

  it('resolves with a result after an abort, otherwise rejects with its reason', async () => {
    const signal = AbortSignal.abort(new Error('interrupted'))

    await expect(pollUntil(async () => true, {interval: 1, signal})).resolves.toBe(true)
    await expect(pollUntil(async () => false, {interval: 1, signal})).rejects.toThrow('interrupted')
  })

  it('stops at its deadline, or when the signal is aborted', async () => {
    const look = vi.fn(async () => false)
    const stop = new AbortController()
    const interval = 3_600_000

    await expect(pollUntil(look, {interval, deadline: Date.now() + 5})).resolves.toBeUndefined()
    const polled = pollUntil(look, {interval, signal: stop.signal})
    stop.abort(new Error('interrupted'))

    await expect(polled).rejects.toThrow('interrupted')
  })

  it('rejects with the error of a poll', async () => {
    const look = async () => Promise.reject(new Error('forbidden'))

    await expect(pollUntil(look, {interval: 1})).rejects.toThrow('forbidden')
  })
})
