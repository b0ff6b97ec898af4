import {expect, test} from 'vitest'
import {newChannel} from '../../src/run/run.ts'

async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const result: T[] = []
  for await (const item of items) result.push(item)
  return result
}

test('a channel delivers items pushed before and during reading in order', async () => {
  const channel = newChannel<number>()
  channel.push(1)
  const reading = collected(channel.items())
  channel.push(2)
  await Promise.resolve()
  channel.push(3)
  channel.close()

  expect(await reading).toEqual([1, 2, 3])
})

test('a channel does not lose items that are pushed while the last ones are read', async () => {
  const channel = newChannel<number>()
  channel.push(1)
  const result: number[] = []

  for await (const item of channel.items()) {
    result.push(item)
    if (item < 3) channel.push(item + 1)
    if (item === 2) channel.close()
  }

  expect(result).toEqual([1, 2, 3])
})

test('a channel throws its error after the items pushed before', async () => {
  const channel = newChannel<number>()
  const result: number[] = []
  channel.push(1)
  channel.close(new Error('broken'))

  const reading = (async () => {
    for await (const item of channel.items()) result.push(item)
  })()

  await expect(reading).rejects.toThrow('broken')
  expect(result).toEqual([1])
})
