import {mkdir, readFile, symlink, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {expect, it} from 'vitest'
import {layImages} from '../../../src/images/inventory/overlay.ts'
import {testDirectory} from '../../support/test-directory.ts'

const IMAGES = join(import.meta.dirname, '../../../images')

async function folders(): Promise<{overlay: string; out: string}> {
  const directory = testDirectory()
  const overlay = join(directory, 'overlay')
  await mkdir(overlay)
  return {overlay, out: join(directory, 'out')}
}

it("overlay files replace kk's own, also from a ConfigMap mount", async () => {
  const {overlay, out} = await folders()
  await mkdir(join(overlay, '..2026/memcached'), {recursive: true})
  await writeFile(join(overlay, '..2026/memcached/Containerfile'), 'FROM scratch\n')
  await symlink('..2026', join(overlay, '..data'))
  await symlink('..data/memcached', join(overlay, 'memcached'))

  await layImages(IMAGES, overlay, out)

  expect(await readFile(join(out, 'memcached/Containerfile'), 'utf8')).toBe('FROM scratch\n')
  expect(await readFile(join(out, 'keystone/Containerfile'), 'utf8')).toBe(
    await readFile(join(IMAGES, 'keystone/Containerfile'), 'utf8'),
  )
})

it('an overlay folder that belongs to no image is rejected, and so is a missing overlay', async () => {
  const {overlay, out} = await folders()
  await mkdir(join(overlay, 'memcache'))

  await expect(layImages(IMAGES, overlay, out)).rejects.toMatchObject({
    code: 'KK_USAGE',
    hint: 'did you mean memcached?',
  })
  await expect(layImages(IMAGES, join(overlay, 'none'), out)).rejects.toMatchObject({code: 'KK_FILE'})
})
