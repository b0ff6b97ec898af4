import {once} from 'node:events'
import {execa} from 'execa'
import {describe, expect, it} from 'vitest'
import {isOurs, killProcesses, processMark} from '../../../src/sandbox/control-plane/processes.ts'

function marked(home: string) {
  return execa('sleep', ['60'], {env: processMark(home), reject: false})
}

describe('the processes of a sandbox', () => {
  it('are killed, and those of another sandbox are not', async () => {
    const mine = [marked('/sandboxes/a'), marked('/sandboxes/a')]
    const other = marked('/sandboxes/ab')

    const killed = await killProcesses('/sandboxes/a')

    expect(killed).toBe(2)
    for (const {signal} of await Promise.all(mine)) expect(signal).toBe('SIGKILL')
    expect(await isOurs(other.pid!, '/sandboxes/ab')).toBe(true)
    other.kill('SIGKILL')
    await other
  })

  it('include children of a killed process', async () => {
    const parent = execa('sh', ['-c', 'sleep 60 >/dev/null & echo $!; wait'], {
      env: processMark('/sandboxes/c'),
      reject: false,
    })
    const [line] = await once(parent.stdout, 'data')
    const child = Number(line)
    const before = await isOurs(child, '/sandboxes/c')

    await killProcesses('/sandboxes/c')

    expect(before).toBe(true)
    expect(await isOurs(child, '/sandboxes/c')).toBe(false)
  })

  it('may be none', async () => {
    expect(await killProcesses('/sandboxes/none')).toBe(0)
  })
})
