import {chmod, mkdtemp, rm, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterEach, beforeEach, describe, expect, it} from 'vitest'
import {removeImage} from '../../../src/images/pruning/stored-images.ts'

let directory: string
const path = process.env['PATH']
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kk-buildah-'))
  process.env['PATH'] = `${directory}:${path}`
})
afterEach(async () => {
  process.env['PATH'] = path
  await rm(directory, {recursive: true})
})

/** A buildah that fails with these words. */
async function failWith(words: string): Promise<void> {
  await writeFile(join(directory, 'buildah'), `#!/bin/bash\necho "${words}" >&2; exit 1\n`)
  await chmod(join(directory, 'buildah'), 0o755)
}

describe('an image that is removed', () => {
  it('may have gone with the one that stood on it', async () => {
    await failWith('Error: 1 error occurred:\n\t* 01e2733b: image not known')

    await removeImage('01e2733b', new AbortController().signal)
  })

  it('is not taken for gone where a container uses it', async () => {
    await failWith('Error: image used by 5c1: image is in use by a container')

    await expect(removeImage('01e2733b', new AbortController().signal)).rejects.toMatchObject({
      code: 'KK_IMAGE',
    })
  })
})
