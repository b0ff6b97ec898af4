import {chmod, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {expect, it} from 'vitest'
import {expectTools} from '../../../src/images/building/buildah.ts'
import {testDirectory} from '../../support/test-directory.ts'

async function path(...programs: readonly string[]): Promise<string> {
  const directory = testDirectory()
  for (const program of programs) {
    await writeFile(join(directory, program), '')
    await chmod(join(directory, program), 0o755)
  }
  return directory
}

it('missing tools are reported with the command that installs them', async () => {
  const PATH = await path('buildah')

  expect(() => expectTools({PATH}, 0)).toThrow(
    expect.objectContaining({
      code: 'KK_IMAGE_TOOLS',
      message: 'programs that build images are not on the PATH: mmdebstrap, crun',
      hint: 'on Debian: apt-get install --no-install-recommends mmdebstrap crun',
    }),
  )
})

it('users other than root are rejected', async () => {
  const PATH = await path('buildah', 'crun', 'mmdebstrap')

  expect(() => expectTools({PATH}, 1000)).toThrow(expect.objectContaining({code: 'KK_IMAGE_TOOLS'}))
  expect(() => expectTools({PATH}, 0)).not.toThrow()
})
