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

it('what is missing is named with the line that installs it', async () => {
  const PATH = await path('buildah')

  expect(() => expectTools({PATH}, 0)).toThrow(
    expect.objectContaining({
      code: 'KK_IMAGE_TOOLS',
      message: 'images are built by programs that PATH does not have: mmdebstrap, crun',
      hint: 'on Debian: apt-get install --no-install-recommends mmdebstrap crun',
    }),
  )
})

it('who is not root is told to be', async () => {
  const PATH = await path('buildah', 'crun', 'mmdebstrap')

  expect(() => expectTools({PATH}, 1000)).toThrow(expect.objectContaining({code: 'KK_IMAGE_TOOLS'}))
  expect(() => expectTools({PATH}, 0)).not.toThrow()
})
