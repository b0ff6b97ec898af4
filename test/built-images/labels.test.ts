import {readFile} from 'node:fs/promises'
import {describe, expect, it} from 'vitest'
import {localReference} from '../../src/images/image.ts'
import {packageListPath, readRecord} from '../../src/images/inventory/record.ts'
import {imagesCache} from '../../src/verbs/images/images.ts'
import {buildah} from './support/container.ts'
import {IMAGES, imageOf} from './support/images.ts'

const CACHE = imagesCache(process.env)

interface List {
  readonly packages: readonly {readonly name: string; readonly versionInfo: string}[]
}

async function packagesOf(name: string): Promise<List['packages']> {
  return (JSON.parse(await readFile(packageListPath(CACHE, name), 'utf8')) as List).packages
}

describe.each(IMAGES)('the image $name', (image) => {
  it('has labels for source and version, and a package list', async () => {
    const {stdout} = await buildah(['inspect', '--type', 'image', localReference(image)])

    const inspected = JSON.parse(stdout) as {OCIv1: {config: {Labels: Record<string, string>}}}
    const labels = inspected.OCIv1.config.Labels
    const record = await readRecord(CACHE, image.name)
    expect(labels).toMatchObject({
      'org.opencontainers.image.title': image.title,
      'org.opencontainers.image.version': record?.version,
      'kk.openstack.org/inputs': record?.inputs,
    })
    expect(labels['org.opencontainers.image.version']).toMatch(/^\d/)
    expect(labels['org.opencontainers.image.source']).toBe(image.source ?? '')
    expect((await packagesOf(image.name)).length).toBeGreaterThan(100)
  })
})

it('the Keystone images are two releases, as in their package lists', async () => {
  const versions = await Promise.all(
    ['keystone', 'keystone-2026.1'].map(async (name) => {
      const list = await packagesOf(name)
      const wanted = imageOf(name).version.split('/')[1]
      return list
        .findLast((each) => each.name === wanted)
        ?.versionInfo.replace(/^\d:/, '')
        .split('.', 1)[0]
    }),
  )

  expect(versions).toEqual(['27', '29'])
})
