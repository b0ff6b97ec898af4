import {setImmediate as turn} from 'node:timers/promises'
import {describe, expect, it} from 'vitest'
import {newWriter} from '../../src/run/writer.ts'

/** Longer than any test. */
const PAUSE = 3_600_000

function counted(pause?: number) {
  let writes = 0
  const writer = newWriter(async () => {
    writes++
    await turn()
  }, pause)
  return {writer, writes: () => writes}
}

describe('a writer', () => {
  it('writes once more for all requests during a write', async () => {
    const {writer, writes} = counted()

    for (let asked = 0; asked < 5; asked++) writer.request()
    await writer.last()

    expect(writes()).toBe(2)
  })

  it('pauses after a write, but not before the last', async () => {
    const {writer, writes} = counted(PAUSE)
    writer.request()
    await turn()
    await turn()

    writer.request()
    await turn()
    await turn()
    expect(writes()).toBe(1)

    await writer.last()
    expect(writes()).toBe(2)
  })

  it('pauses again after a last write', async () => {
    const {writer, writes} = counted(PAUSE)
    await writer.last()

    writer.request()
    await turn()
    await turn()
    writer.request()
    await turn()
    expect(writes()).toBe(2)

    await writer.last()
    expect(writes()).toBe(3)
  })
})
