import {readdir, readFile, rm, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {expect, it} from 'vitest'
import {type ContentStore, sha256} from '../../../src/images/registry/content.ts'
import {copyImage, imageContent, missingBlobs} from '../../../src/images/registry/copy-image.ts'
import {openDistribution} from '../../../src/images/registry/distribution.ts'
import {openLayout} from '../../../src/images/registry/layout.ts'
import {writeFiles} from '../../charts/support/write-files.ts'
import {LOGIN, startRegistry} from '../../support/registry.ts'
import {pushImage} from '../support/push-image.ts'

const BIG = 'a layer '.repeat(1_000_000)

/** Copies `ns/app`; returns the digest that it has there, and the blobs that were missing. */
async function copy(from: ContentStore, to: ContentStore, digest: string, name = '2') {
  const source = {store: from, repository: 'ns/app'}
  const target = {store: to, repository: 'ns/app'}
  const content = await imageContent(source, digest)
  const missing = await missingBlobs(target, content.blobs)
  await copyImage({from: source, to: target, content, missing, name, mountSource: () => undefined})
  return {missing, copied: await to.digestOf('ns/app', name)}
}

it('an image is copied from a registry into a directory and from there into another registry with the same digest', async () => {
  await using one = await startRegistry()
  await using other = await startRegistry()
  const source = openDistribution({host: one.host, env: {}})
  const target = openDistribution({host: other.host, env: {}})
  const layout = openLayout(writeFiles({}))
  const digest = await pushImage(source, ['ns/app', '1'], {layers: [BIG, 'small']})

  const carried = await copy(source, layout, digest)
  const again = await copy(source, layout, digest)
  const placed = await copy(layout, target, digest)

  expect(carried.copied).toBe(digest)
  expect(carried.missing).toHaveLength(4)
  expect(again.missing).toEqual([])
  expect(placed.copied).toBe(digest)
  const place = {store: target, repository: 'ns/app'}
  const whole = await imageContent(place, digest)
  expect(whole.manifests).toHaveLength(3)
  expect(await missingBlobs(place, whole.blobs)).toEqual([])
})

it('an image without a tag is found by its digest', async () => {
  await using registry = await startRegistry()
  const source = openDistribution({host: registry.host, env: {}})
  const layout = openLayout(writeFiles({}))
  const digest = await pushImage(source, ['ns/app', '1'])

  expect((await copy(source, layout, digest, digest)).copied).toBe(digest)
})

it('blobs in another repository of the registry are mounted instead of sent', async () => {
  await using registry = await startRegistry()
  const store = openDistribution({host: registry.host, env: {}})
  const digest = await pushImage(store, ['ns/app', '1'])
  const {blobs} = await imageContent({store, repository: 'ns/app'}, digest)
  const unread = async () => {
    throw new Error('it was read')
  }

  for (const blob of blobs) await store.writeBlob('ns/other', blob, unread, 'ns/app')

  expect(await missingBlobs({store, repository: 'ns/other'}, blobs)).toEqual([])
})

it('writes use the login of the registry', async () => {
  await using registry = await startRegistry(LOGIN)
  const auth = Buffer.from(`${LOGIN.username}:${LOGIN.password}`).toString('base64')
  const home = writeFiles({'config.json': JSON.stringify({auths: {[registry.host]: {auth}}})})
  const store = openDistribution({host: registry.host, env: {DOCKER_CONFIG: home}})

  const digest = await pushImage(store, ['ns/app', '1'])

  expect(await store.digestOf('ns/app', '1')).toBe(digest)
})

it('blobs that do not match their digest are rejected', async () => {
  await using registry = await startRegistry()
  const directory = writeFiles({})
  const layout = openLayout(directory)
  const target = openDistribution({host: registry.host, env: {}})
  const digest = await pushImage(layout, ['ns/app', '1'], {platforms: ['amd64']})
  const layer = join(directory, 'blobs/sha256', sha256('ns/app').slice('sha256:'.length))
  expect(await readFile(layer, 'utf8')).toBe('ns/app')
  await writeFile(layer, 'NS/APP')

  await expect(copy(layout, target, digest)).rejects.toMatchObject({
    code: 'KK_IMAGE',
    message: expect.stringContaining(`${directory} returned 6 bytes of sha256:`),
  })
  expect(await target.digestOf('ns/app', '2')).toBeUndefined()
  await rm(layer)
  await expect(copy(layout, target, digest)).rejects.toMatchObject({
    code: 'KK_IMAGE',
    message: `${layer} is missing or has changed`,
  })
})

it('a manifest with a path instead of a digest is rejected without writing outside the directory', async () => {
  await using registry = await startRegistry()
  const source = openDistribution({host: registry.host, env: {}})
  const home = writeFiles({'layout/.keep': ''})
  const layout = openLayout(join(home, 'layout'))
  const digest = 'sha256:../../../out'
  const content = {manifests: [], blobs: [{mediaType: 'application/octet-stream', digest, size: 3}]}
  const to = {store: layout, repository: 'ns/app'}
  const refused = {code: 'KK_IMAGE', message: expect.stringMatching(/"sha256:.*out" in .* is not a digest/)}

  await expect(missingBlobs(to, content.blobs)).rejects.toMatchObject(refused)
  const from = {store: {...source, readBlob: async () => [Buffer.from('out')] as never}, repository: 'ns/app'}
  const copied = copyImage({
    ...{from, to, content, missing: content.blobs, name: '1'},
    mountSource: () => undefined,
  })

  await expect(copied).rejects.toMatchObject(refused)
  expect(await readdir(home)).toEqual(['layout'])
})
