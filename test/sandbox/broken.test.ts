import {mkdir, mkdtemp, readFile, rm, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {dirname, join} from 'node:path'
import {describe, expect, it, onTestFinished} from 'vitest'
import {up as nodeUp} from '../../src/sandbox/node/up.ts'
import {type SandboxPaths, sandboxPaths} from '../../src/sandbox/paths.ts'
import {requireSandbox} from '../../src/sandbox/running.ts'
import {ensureSandbox} from '../../src/sandbox/up.ts'

/** Without a toolbox, nothing could be started. */
async function stateHome(): Promise<NodeJS.ProcessEnv> {
  const home = await mkdtemp(join(tmpdir(), 'kk-state-'))
  onTestFinished(() => rm(home, {recursive: true}))
  return {XDG_STATE_HOME: home, XDG_CACHE_HOME: home}
}

/** What a reboot leaves of a sandbox: its record, the numbers of processes that are gone, and its data. */
async function ended(paths: SandboxPaths): Promise<string> {
  const data = join(paths.cluster, 'etcd/member')
  for (const file of [paths.record, data, ...Object.values(paths.components)])
    await mkdir(dirname(file), {recursive: true})
  await writeFile(data, 'ten releases')
  await writeFile(paths.record, JSON.stringify({name: paths.name, nodes: 3}))
  for (const file of Object.values(paths.components)) await writeFile(file, '4194304')
  return data
}

describe('a sandbox that was up and has ended', () => {
  it('is not begun anew by a command that starts one; what was deployed stays', async () => {
    const env = await stateHome()
    const data = await ended(sandboxPaths('mine', env))

    const start = ensureSandbox({name: 'mine', nodes: 3, env})

    await expect(start).rejects.toMatchObject({
      code: 'KK_SANDBOX_BROKEN',
      exit: 3,
      message: expect.stringContaining('kube-scheduler'),
      hint: expect.stringContaining(
        '"kk sandbox down --sandbox-name mine" removes it, with all that was deployed',
      ),
    })
    expect(await readFile(data, 'utf8')).toBe('ten releases')
  })

  it('is told from one that there never was by commands that only look', async () => {
    const env = await stateHome()
    await ended(sandboxPaths('mine', env))

    await expect(requireSandbox('mine', env)).rejects.toMatchObject({
      code: 'KK_SANDBOX',
      hint: expect.stringContaining('keeps what was deployed'),
    })
    await expect(requireSandbox('other', env)).rejects.toMatchObject({
      code: 'KK_SANDBOX',
      message: 'the sandbox other does not run',
    })
  })

  it('is refused as the all-in-one node, too, whose volumes hold data', async () => {
    const env = await stateHome()
    const data = await ended(sandboxPaths('aio', env))

    const start = nodeUp({env, onProgress: () => {}})

    await expect(start).rejects.toMatchObject({
      code: 'KK_SANDBOX_BROKEN',
      hint: '"kk aio down" removes it, with all that was deployed in it',
    })
    expect(await readFile(data, 'utf8')).toBe('ten releases')
  })
})
