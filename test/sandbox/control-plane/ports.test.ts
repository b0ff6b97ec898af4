import {mkdir} from 'node:fs/promises'
import {createServer} from 'node:net'
import {beforeEach, describe, expect, it} from 'vitest'
import {candidates, choosePorts} from '../../../src/sandbox/control-plane/ports.ts'
import {type SandboxPaths, sandboxPaths} from '../../../src/sandbox/paths.ts'
import {testDirectory} from '../../support/test-directory.ts'

let state: string
beforeEach(async () => {
  state = testDirectory()
})

async function sandbox(name: string): Promise<SandboxPaths> {
  const paths = sandboxPaths(name, {XDG_STATE_HOME: state})
  await mkdir(paths.home, {recursive: true})
  return paths
}

describe('ports', () => {
  it('differ between sandboxes that start concurrently', async () => {
    const sandboxes = await Promise.all(Array.from({length: 20}, (_, index) => sandbox(`s${index}`)))

    const chosen = await Promise.all(sandboxes.map(choosePorts))

    const ports = chosen.flatMap((each) => Object.values(each))
    expect(new Set(ports).size).toBe(20 * 6)
  })

  it('have no other listener', async () => {
    const paths = await sandbox('a')
    const [first] = candidates(paths.home)
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(first! + 5, '127.0.0.1', resolve))

    const ports = await choosePorts(paths)
    server.close()

    expect(Object.values(ports)).not.toContain(first! + 5)
  })

  it('are tried once per block, below the ephemeral ports', () => {
    const all = [...candidates('/some/home')]

    expect(new Set(all).size).toBe(1000)
    expect(Math.max(...all)).toBeLessThan(32_768 - 10)
  })
})
