import {chmod, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {beforeEach, describe, expect, it} from 'vitest'
import {helmfileText} from '../../../src/exchange/helmfile/helmfile-text.ts'
import {testDirectory} from '../../support/test-directory.ts'

let directory: string
let file: string

beforeEach(async () => {
  directory = testDirectory()
  file = join(directory, 'helmfile.yaml')
})

/** A helmfile on the PATH: a shell script. */
async function withHelmfile(script: string) {
  await writeFile(join(directory, 'helmfile'), `#!/bin/sh\n${script}\n`)
  await chmod(join(directory, 'helmfile'), 0o755)
  return {PATH: directory}
}

describe('reading a helmfile', () => {
  it('uses the output of helmfile build if helmfile is installed', async () => {
    await writeFile(file, 'releases: {{ templated }}')
    const env = await withHelmfile('echo "built: $3 of $2"')

    expect(await helmfileText(file, env)).toEqual({text: `built: build of ${file}`, isBuilt: true})
  })

  it('uses the file itself without helmfile', async () => {
    await writeFile(file, 'releases: []\n')

    expect(await helmfileText(file, {PATH: directory})).toEqual({text: 'releases: []\n', isBuilt: false})
  })

  it('with templates fails without helmfile', async () => {
    await writeFile(file, 'releases: {{ templated }}\n')

    await expect(helmfileText(file, {PATH: directory})).rejects.toMatchObject({
      code: 'KK_FILE',
      hint: expect.stringContaining('helmfile build > built.yaml'),
    })
  })

  it('shows the last lines of helmfile on failure', async () => {
    await writeFile(file, '')
    const env = await withHelmfile('echo "cannot clone https://u:S3cret@git.example.org/x" >&2; exit 1')

    await expect(helmfileText(file, env)).rejects.toMatchObject({
      code: 'KK_FILE',
      log: ['cannot clone https://git.example.org/x'],
    })
  })

  it('fails if helmfile does not complete', async () => {
    await writeFile(file, 'releases: []\n')
    const env = await withHelmfile('kill -KILL $$')

    await expect(helmfileText(file, env)).rejects.toMatchObject({
      message: `helmfile build failed for ${file} (SIGKILL)`,
    })
  })

  it('fails with the path of a missing file', async () => {
    await expect(helmfileText(file, {PATH: directory})).rejects.toMatchObject({
      message: expect.stringContaining(file),
    })
  })
})
