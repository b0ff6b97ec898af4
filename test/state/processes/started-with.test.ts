import {setTimeout as delay} from 'node:timers/promises'
import {execa} from 'execa'
import {afterEach, describe, expect, it} from 'vitest'
import {isStartedWith, processesStartedWith} from '../../../src/state/processes/started-with.ts'

const running: {kill(signal: 'SIGKILL'): boolean}[] = []

afterEach(() => {
  for (const each of running.splice(0)) each.kill('SIGKILL')
})

function start(command: string, value: string) {
  const child = execa('sh', ['-c', command, command], {env: {KK_TEST_MARK: value}, reject: false})
  running.push(child)
  return child
}

describe('processesStartedWith', () => {
  it('returns processes at every moment, also during execve', async () => {
    const restless = start('exec sh -c "$0" "$0"', 'restless')
    await delay(50)

    for (let reading = 0; reading < 500; reading++) {
      expect(await isStartedWith(restless.pid!, 'KK_TEST_MARK', 'restless'), `reading ${reading}`).toBe(true)
    }
  })

  it('ignores processes with another value', async () => {
    const mine = start('exec sleep 60', 'mine')
    start('exec sleep 60', 'mine-not')

    expect(await processesStartedWith('KK_TEST_MARK', 'mine')).toEqual([mine.pid])
  })

  it('returns no ended processes', async () => {
    const short = start('exit 0', 'short')
    await short

    expect(await isStartedWith(short.pid!, 'KK_TEST_MARK', 'short')).toBe(false)
  })
})
