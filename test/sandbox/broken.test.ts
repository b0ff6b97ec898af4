import {mkdir, readFile, rm, writeFile} from 'node:fs/promises'
import {dirname, join} from 'node:path'
import {describe, expect, it} from 'vitest'
import {up as nodeUp} from '../../src/sandbox/node/up.ts'
import {type SandboxPaths, sandboxPaths} from '../../src/sandbox/paths.ts'
import {markUnfinished} from '../../src/sandbox/record.ts'
import {requireSandbox} from '../../src/sandbox/running.ts'
import {status} from '../../src/sandbox/status.ts'
import {ensureSandbox, up} from '../../src/sandbox/up.ts'
import {testDirectory} from '../support/test-directory.ts'

/** Without a toolbox, nothing could be started. */
async function stateHome(): Promise<NodeJS.ProcessEnv> {
  const home = testDirectory()
  return {XDG_STATE_HOME: home, XDG_CACHE_HOME: home}
}

const SANDBOX = {kubeconfig: 'kubeconfig', context: 'sandbox', server: 'https://127.0.0.1:1', nodes: 3}

/** What a reboot leaves of a sandbox: its record, the numbers of processes that are gone, and its data. */
async function ended(paths: SandboxPaths): Promise<string> {
  const data = join(paths.cluster, 'etcd/member')
  for (const file of [paths.record, data, ...Object.values(paths.components)])
    await mkdir(dirname(file), {recursive: true})
  await writeFile(data, 'ten releases')
  await writeFile(paths.record, JSON.stringify({...SANDBOX, name: paths.name}))
  for (const file of Object.values(paths.components)) await writeFile(file, '4194304')
  return data
}

describe('a sandbox that was up and has stopped', () => {
  it('is not replaced by a command that starts sandboxes, and keeps its deployments', async () => {
    const env = await stateHome()
    const data = await ended(sandboxPaths('mine', env))

    const start = ensureSandbox({name: 'mine', nodes: 3, env})

    await expect(start).rejects.toMatchObject({
      code: 'KK_SANDBOX_BROKEN',
      exit: 3,
      message: expect.stringContaining('kube-scheduler'),
      hint: expect.stringContaining(
        '"kk sandbox down --sandbox-name mine" removes it with everything deployed',
      ),
    })
    expect(await readFile(data, 'utf8')).toBe('ten releases')
  })

  it('is distinguished from a sandbox that never existed by read-only commands', async () => {
    const env = await stateHome()
    await ended(sandboxPaths('mine', env))

    await expect(requireSandbox('mine', env)).rejects.toMatchObject({
      code: 'KK_SANDBOX',
      hint: expect.stringContaining('keeps everything deployed'),
    })
    await expect(requireSandbox('other', env)).rejects.toMatchObject({
      code: 'KK_SANDBOX',
      message: 'the sandbox other does not run',
    })
  })

  it('is also refused if it is the all-in-one node, whose volumes hold data', async () => {
    const env = await stateHome()
    const data = await ended(sandboxPaths('aio', env))

    const start = nodeUp({env, onProgress: () => {}})

    await expect(start).rejects.toMatchObject({
      code: 'KK_SANDBOX_BROKEN',
      hint: '"kk aio down" removes it with everything deployed in it',
    })
    expect(await readFile(data, 'utf8')).toBe('ten releases')
  })
})

describe('a sandbox that was up, and whose record is', () => {
  it.each([
    ['missing', undefined],
    ['empty', ''],
    ['damaged', '{"name": "mi'],
    ['damaged', '{"name": "mine"}'],
    ['damaged', 'null'],
  ])('%s (%j) keeps its data, and every command advises down', async (why, text) => {
    const env = await stateHome()
    const paths = sandboxPaths('mine', env)
    const data = await ended(paths)
    await rm(paths.record)
    if (text !== undefined) await writeFile(paths.record, text)
    const expected = {
      message: `the sandbox mine was up, but can no longer be reached: ${paths.record} is ${why}`,
      hint: expect.stringContaining('"kk sandbox down --sandbox-name mine"'),
    }

    for (const restart of [false, true])
      await expect(up({name: 'mine', nodes: 3, env, restart})).rejects.toMatchObject({
        code: 'KK_SANDBOX_BROKEN',
        ...expected,
      })
    for (const look of [requireSandbox, status])
      await expect(look('mine', env)).rejects.toMatchObject({code: 'KK_SANDBOX', ...expected})
    expect(await readFile(data, 'utf8')).toBe('ten releases')
  })

  it('not yet written, because the start was killed, is started again', async () => {
    const env = await stateHome()
    const paths = sandboxPaths('mine', env)
    await ended(paths)
    await markUnfinished(paths)

    await expect(requireSandbox('mine', env)).rejects.toMatchObject({
      message: 'the sandbox mine does not run',
    })
    // As far as it comes without a toolbox.
    await expect(up({name: 'mine', nodes: 3, env})).rejects.toMatchObject({code: 'KK_TOOLBOX'})
  })
})
