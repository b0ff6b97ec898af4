import {describe, expect, it, vi} from 'vitest'
import {openWorkQueue} from '../../src/operator/work-queue.ts'

const NEVER = 2 ** 30

/** A queue whose work ends when the test says so. */
function heldQueue() {
  const began: string[] = []
  const ends: (() => void)[] = []
  const queue = openWorkQueue({
    async work(key) {
      began.push(key)
      await new Promise<void>((resolve) => ends.push(resolve))
      return NEVER
    },
    onError: () => undefined,
  })
  return {queue, began, end: () => ends.shift()!()}
}

describe('a queue', () => {
  it('processes a key at most once at a time, and once more for all additions in the meantime', async () => {
    const {queue, began, end} = heldQueue()

    queue.add('a')
    queue.add('a')
    queue.add('a')
    const meanwhile = [...began]
    end()
    await vi.waitFor(() => expect(began).toEqual(['a', 'a']))
    end()
    await queue.close()

    expect(meanwhile).toEqual(['a'])
    expect(began).toEqual(['a', 'a'])
  })

  it('processes different keys concurrently', async () => {
    const {queue, began, end} = heldQueue()

    queue.add('a')
    queue.add('b')
    const depth = queue.depth()
    end()
    end()
    await queue.close()

    expect(began).toEqual(['a', 'b'])
    expect(depth).toBe(2)
  })

  it('requeues failed keys with backoff, and reports the error', async () => {
    vi.useFakeTimers()
    const errors: unknown[] = []
    const began: number[] = []
    const queue = openWorkQueue({
      async work() {
        began.push(Date.now())
        if (began.length < 4) throw new Error(`attempt ${began.length}`)
        return undefined
      },
      onError: (_, error) => errors.push((error as Error).message),
    })

    queue.add('a')
    await vi.advanceTimersByTimeAsync(60_000)
    vi.useRealTimers()

    const pauses = began.slice(1).map((at, index) => at - began[index]!)
    expect(errors).toEqual(['attempt 1', 'attempt 2', 'attempt 3'])
    expect(pauses[0]).toBeLessThanOrEqual(1_000)
    expect(pauses[2]).toBeGreaterThanOrEqual(2_000)
  })

  it('reports a stuck key, whose heartbeat is overdue', async () => {
    vi.useFakeTimers()
    const held = Promise.withResolvers<undefined>()
    const queue = openWorkQueue({
      work(key, heartbeat) {
        if (key === 'a') heartbeat(3_600_000)
        return held.promise
      },
      onError: () => undefined,
    })

    queue.add('a')
    queue.add('b')
    const early = queue.stuck()
    await vi.advanceTimersByTimeAsync(1_200_000)
    const late = queue.stuck()
    held.resolve(undefined)
    await queue.close()
    vi.useRealTimers()

    expect(early).toBeUndefined()
    expect(late).toBe('b')
    expect(queue.stuck()).toBeUndefined()
  })

  it('starts no work after it is closed, and waits for running work', async () => {
    const {queue, began, end} = heldQueue()
    queue.add('a')
    queue.add('a')
    let isClosed = false

    const closed = queue.close().then(() => {
      isClosed = true
    })
    const early = isClosed
    end()
    await closed

    expect(early).toBe(false)
    expect(began).toEqual(['a'])
  })
})
