import {mkdir, mkdtemp, rm, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {featureFiles, featureLayers} from '../../src/overrides/features.ts'

describe('featureFiles', () => {
  it.each([
    [[], []],
    [['2025.1'], ['2025.1.yaml']],
    [
      ['2025.1', 'ubuntu_noble'],
      ['ubuntu_noble.yaml', '2025.1.yaml', '2025.1-ubuntu_noble.yaml'],
    ],
    [
      ['a', 'b', 'c'],
      ['c.yaml', 'b.yaml', 'b-c.yaml', 'a.yaml', 'a-c.yaml', 'a-b.yaml', 'a-b-c.yaml'],
    ],
    [
      ['a', 'b', 'a'],
      ['b.yaml', 'a.yaml', 'a-b.yaml'],
    ],
  ])('of %j are, from the weakest to the strongest, %j', (features, files) => {
    expect(featureFiles(features)).toEqual(files)
  })

  it('refuses more features than can be combined', () => {
    const many = Array.from({length: 13}, (_, index) => `f${index}`)

    expect(() => featureFiles(many)).toThrow(expect.objectContaining({code: 'KK_ENVIRONMENT'}))
  })
})

describe('featureLayers', () => {
  let directory: string
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'kk-features-'))
    await mkdir(join(directory, 'glance'))
    await writeFile(join(directory, 'glance', '2025.1-noble.yaml'), 'images: {tags: {api: both}}\n')
    await writeFile(join(directory, 'glance', 'noble.yaml'), 'images: {tags: {api: noble}}\n')
    await writeFile(join(directory, 'glance', 'other.yaml'), 'images: {tags: {api: other}}\n')
    await writeFile(join(directory, 'glance', 'empty.yaml'), '# nothing yet\n')
    await writeFile(join(directory, 'glance', 'list.yaml'), '- 1\n')
  })
  afterAll(() => rm(directory, {recursive: true, force: true}))

  it('reads the files that exist, in their order', async () => {
    const layers = await featureLayers({directory, chart: 'glance', features: ['2025.1', 'noble']})

    expect(layers.map(({name, source, values}) => ({name, source, values}))).toEqual([
      {
        name: 'features',
        source: join(directory, 'glance/noble.yaml'),
        values: {images: {tags: {api: 'noble'}}},
      },
      {
        name: 'features',
        source: join(directory, 'glance/2025.1-noble.yaml'),
        values: {images: {tags: {api: 'both'}}},
      },
    ])
  })

  it.each([
    ['no feature', 'glance', []],
    ['no file for the chart', 'nova', ['noble']],
    ['a feature that is a path', 'glance', ['../glance/noble']],
  ])('is empty with %s', async (_, chart, features) => {
    expect(await featureLayers({directory, chart, features})).toEqual([])
  })

  it('takes a file of comments for no values', async () => {
    expect(await featureLayers({directory, chart: 'glance', features: ['empty']})).toMatchObject([
      {values: {}},
    ])
  })

  it('refuses a file that holds no map, and names it', async () => {
    await expect(featureLayers({directory, chart: 'glance', features: ['list']})).rejects.toMatchObject({
      code: 'KK_YAML',
      message: `${join(directory, 'glance/list.yaml')}: expected a map of values`,
    })
  })
})
