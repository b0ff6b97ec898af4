import {mkdir, symlink, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {beforeEach, describe, expect, it} from 'vitest'
import {findTools, SANDBOX_TOOLS, toolPath} from '../../src/state/tools.ts'
import {testDirectory} from '../support/test-directory.ts'

let directory: string
beforeEach(async () => {
  directory = testDirectory()
})

async function binaries(path: string, names: readonly string[], mode = 0o755): Promise<string> {
  const place = join(directory, path)
  await mkdir(place, {recursive: true})
  for (const name of names) await writeFile(join(place, name), '', {mode})
  return place
}

describe('a tool', () => {
  it('is found in KK_TOOLBOX, then in the newest toolbox, then on PATH', async () => {
    const given = await binaries('given', ['etcd'])
    const built = await binaries('cache/kk/toolbox/abc/bin', ['etcd', 'kwok-kubelet'])
    await symlink('abc', join(directory, 'cache/kk/toolbox/current'))
    const path = await binaries('path', ['etcd', 'kwok-kubelet', 'kubectl'])
    const env = {KK_TOOLBOX: given, XDG_CACHE_HOME: join(directory, 'cache'), PATH: path}

    expect(toolPath('etcd', env)).toBe(join(given, 'etcd'))
    expect(toolPath('kwok-kubelet', env)).toBe(join(built, 'kwok-kubelet'))
    expect(toolPath('kubectl', env)).toBe(join(path, 'kubectl'))
  })

  it('is ignored if it is not executable', async () => {
    const given = await binaries('given', ['etcd'], 0o644)
    const path = await binaries('path', ['etcd'])

    expect(toolPath('etcd', {KK_TOOLBOX: given, HOME: directory, PATH: path})).toBe(join(path, 'etcd'))
  })

  it('is reported with all missing ones, the searched places, and how to get them', async () => {
    const given = await binaries('given', ['etcd', 'kubectl', 'kwok-kubelet', 'kwokctl'])
    const env = {KK_TOOLBOX: given, HOME: directory, PATH: '/nowhere'}

    expect(() => findTools(env)).toThrow(
      expect.objectContaining({
        code: 'KK_TOOLBOX',
        message: `kube-apiserver, kube-controller-manager, kube-scheduler not found in KK_TOOLBOX (${given}), ${directory}/.cache/kk/toolbox/current/bin, PATH`,
        hint: expect.stringContaining('npm run toolbox'),
      }),
    )
  })

  it('is found together with tools of other kinds', async () => {
    const given = await binaries('given', SANDBOX_TOOLS)

    expect(Object.keys(findTools({KK_TOOLBOX: given, HOME: directory}))).toEqual([...SANDBOX_TOOLS])
  })
})
