import {execa} from 'execa'
import {describe, expect, it} from 'vitest'
import {identifyProcess, isRunning, parseProcessStat} from '../../../src/state/processes/process-identity.ts'

describe('a process', () => {
  it('is running while it has the same start time', async () => {
    const own = await identifyProcess(process.pid)

    expect(own && (await isRunning(own))).toBe(true)
    expect(await isRunning({pid: process.pid, started: '1'})).toBe(false)
  })

  it('is not running after it has ended', async () => {
    const child = execa('sleep', ['60'], {reject: false})
    const identity = await identifyProcess(child.pid!)

    child.kill('SIGKILL')
    await child

    expect(identity).toBeDefined()
    expect(await isRunning(identity!)).toBe(false)
  })

  it('is parsed from its stat line even if its name contains brackets and blanks', () => {
    const line = '42 (a) b (c) Z 1 42 42 0 -1 4194560 0 0 0 0 0 0 0 0 20 0 1 0 987654 0 0'

    expect(parseProcessStat(line)).toEqual({state: 'Z', started: '987654'})
  })
})
