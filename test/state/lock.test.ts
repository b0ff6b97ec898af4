import {once} from 'node:events'
import {readdir, readFile, writeFile} from 'node:fs/promises'
import {hostname} from 'node:os'
import {join} from 'node:path'
import {execaNode} from 'execa'
import {beforeEach, describe, expect, it} from 'vitest'
import {acquireLock, type LockHolder, tryLock, withLock} from '../../src/state/lock.ts'
import {testDirectory} from '../support/test-directory.ts'

const COUNT = join(import.meta.dirname, 'support/count-under-lock.ts')
const HOLD = join(import.meta.dirname, 'support/hold-lock.ts')

let directory: string
let lock: string
beforeEach(async () => {
  directory = testDirectory()
  lock = join(directory, 'lock')
})

async function count(processes: number, times: number): Promise<number> {
  const counter = join(directory, 'counter')
  await writeFile(counter, '0')
  await Promise.all(Array.from({length: processes}, () => execaNode(COUNT, [lock, counter, String(times)])))
  return Number(await readFile(counter, 'utf8'))
}

async function killedHolder(): Promise<void> {
  const holder = execaNode(HOLD, [lock], {reject: false})
  await once(holder.stdout, 'data')
  holder.kill('SIGKILL')
  await holder
}

describe('a lock', () => {
  it('admits one process at a time', async () => {
    expect(await count(3, 5)).toBe(15)
  })

  it('is taken over from a killed process by one of the waiting ones', async () => {
    await killedHolder()

    expect(await count(3, 5)).toBe(15)
  })

  it('admits one task of a process at a time', async () => {
    let inside = 0
    const task = () =>
      withLock(lock, async () => {
        expect(++inside).toBe(1)
        await Promise.resolve()
        inside--
      })

    await Promise.all([task(), task(), task()])
  })

  it('leaves no file behind', async () => {
    await killedHolder()

    await withLock(lock, async () => {})

    expect(await readdir(directory)).toEqual([])
  })

  it('is released if the work fails', async () => {
    const failing = withLock(lock, () => Promise.reject(new Error('failed')))

    await expect(failing).rejects.toThrow('failed')
    expect(await tryLock(lock)).toHaveProperty('release')
  })

  it('reports its holder once to a waiting process', async () => {
    const held = await acquireLock(lock)
    const holders: LockHolder[] = []
    const waiting = acquireLock(lock, {onWait: (holder) => holders.push(holder)})

    await expect.poll(() => holders.length).toBe(1)
    await held.release()
    await (await waiting).release()

    expect(holders).toMatchObject([{pid: process.pid, host: hostname()}])
  })

  it('stops waiting with the reason of the signal', async () => {
    const held = await acquireLock(lock)
    const controller = new AbortController()
    const waiting = acquireLock(lock, {
      signal: controller.signal,
      onWait: () => controller.abort(new Error('interrupted')),
    })

    await expect(waiting).rejects.toThrow('interrupted')
    await held.release()
  })

  it.each([
    ['that was given to another process', {pid: process.pid, started: '1', host: hostname()}],
    ['that no process has', {pid: 2 ** 30, started: '1', host: hostname()}],
  ])('is taken over from process id %s', async (_, holder) => {
    await writeFile(lock, JSON.stringify({...holder, token: 'old'}))

    expect(await tryLock(lock)).toHaveProperty('release')
  })

  it('is not taken over from another host', async () => {
    const holder = {pid: 2 ** 30, started: '1', host: 'elsewhere', token: 'theirs'}
    await writeFile(lock, JSON.stringify(holder))

    expect(await tryLock(lock)).toEqual({holder})
  })
})
