import {chmod, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {beforeEach, describe, expect, it} from 'vitest'
import {goVersion} from '../../../scripts/toolbox/go.ts'
import {testDirectory} from '../../support/test-directory.ts'

let path: string
beforeEach(async () => {
  path = testDirectory()
})

async function fakeGo(version: string): Promise<void> {
  await writeFile(join(path, 'go'), `#!/bin/sh\necho '${version}'\n`)
  await chmod(join(path, 'go'), 0o755)
}

describe('Go', () => {
  it('is named in the error if it is missing', async () => {
    await expect(goVersion({PATH: path})).rejects.toMatchObject({
      code: 'KK_TOOLBOX',
      message: 'Go was not found on PATH: it builds the binaries of the throwaway cluster',
      hint: expect.stringContaining('https://go.dev/dl/'),
    })
  })

  it.each(['go1.25.9', 'go1.9', 'nonsense'])('is refused in the old version %s', async (version) => {
    await fakeGo(version)

    await expect(goVersion({PATH: path})).rejects.toMatchObject({
      code: 'KK_TOOLBOX',
      message: `Go 1.26 or newer is needed, but PATH has ${version}`,
    })
  })

  it.each(['go1.26.0', 'go1.26.8', 'go1.30', 'go2.0', 'devel go1.27-abcdef'])(
    'is accepted in the version %s',
    async (version) => {
      await fakeGo(version)

      expect(await goVersion({PATH: path})).toBe(version)
    },
  )
})
