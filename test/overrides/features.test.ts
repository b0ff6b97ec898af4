import {mkdir, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {beforeAll, describe, expect, it} from 'vitest'
import {featureFiles, featureLayers, idleFeatureNotes} from '../../src/overrides/features.ts'
import {testDirectory} from '../support/test-directory.ts'

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
    directory = testDirectory()
    await mkdir(join(directory, 'values_overrides/glance'), {recursive: true})
    await writeFile(
      join(directory, 'values_overrides/glance', '2025.1-noble.yaml'),
      'images: {tags: {api: both}}\n',
    )
    await writeFile(
      join(directory, 'values_overrides/glance', 'noble.yaml'),
      'images: {tags: {api: noble}}\n',
    )
    await writeFile(
      join(directory, 'values_overrides/glance', 'other.yaml'),
      'images: {tags: {api: other}}\n',
    )
    await writeFile(join(directory, 'values_overrides/glance', 'empty.yaml'), '# nothing yet\n')
    await writeFile(join(directory, 'values_overrides/glance', 'list.yaml'), '- 1\n')
  })

  const glance = () => ({directory: join(directory, 'glance'), name: 'glance'})

  it('reads the existing files, in their order', async () => {
    const layers = await featureLayers(glance(), ['2025.1', 'noble'])

    expect(layers.map(({name, source, values}) => ({name, source, values}))).toEqual([
      {
        name: 'features',
        source: join(directory, 'values_overrides/glance/noble.yaml'),
        values: {images: {tags: {api: 'noble'}}},
      },
      {
        name: 'features',
        source: join(directory, 'values_overrides/glance/2025.1-noble.yaml'),
        values: {images: {tags: {api: 'both'}}},
      },
    ])
  })

  it.each([
    ['no feature', 'glance', []],
    ['no file for the chart', 'nova', ['noble']],
    ['a feature that is a path', 'glance', ['../glance/noble']],
  ])('is empty with %s', async (_, name, features) => {
    expect(await featureLayers({directory: join(directory, name), name}, features)).toEqual([])
  })

  it('reads a file of comments as no values', async () => {
    expect(await featureLayers(glance(), ['empty'])).toMatchObject([{values: {}}])
  })

  it('refuses a file without a map, and names it', async () => {
    await expect(featureLayers(glance(), ['list'])).rejects.toMatchObject({
      code: 'KK_YAML',
      message: `${join(directory, 'values_overrides/glance/list.yaml')}: expected a map of values`,
    })
  })
})

it('a feature of which no chart has a file, alone or combined, is noted', () => {
  const layers = ['charts/values_overrides/glance/2025.1-noble.yaml', 'sections of 2026.yaml'].map(
    (source, index) => ({
      name: index === 0 ? ('features' as const) : ('section' as const),
      source,
      values: {},
    }),
  )

  const notes = idleFeatureNotes(['2025.1', 'noble', '2026'], layers)

  expect(notes).toEqual([
    'kk.features: no chart of this environment has a file of the feature 2026 (values_overrides)',
  ])
})
