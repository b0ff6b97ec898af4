import {describe, expect, it} from 'vitest'
import {removeImage} from '../../../src/images/pruning/stored-images.ts'
import {fakeBuildah} from '../support/fake-buildah.ts'

/** A buildah that fails with these words. */
function failWith(words: string): Promise<string> {
  return fakeBuildah(() => `echo "${words}" >&2; exit 1`)
}

describe('removing an image', () => {
  it('succeeds if it was removed along with its child', async () => {
    await failWith('Error: 1 error occurred:\n\t* 01e2733b: image not known')

    await removeImage('01e2733b', new AbortController().signal)
  })

  it('fails if a container uses it', async () => {
    await failWith('Error: image used by 5c1: image is in use by a container')

    await expect(removeImage('01e2733b', new AbortController().signal)).rejects.toMatchObject({
      code: 'KK_IMAGE',
    })
  })
})
