import {join} from 'node:path'
import {describe, expect, it} from 'vitest'
import {chooseImages, withParents} from '../../../src/images/inventory/choose-images.ts'
import {readImages} from '../../../src/images/inventory/read-images.ts'

const IMAGES = await readImages(join(import.meta.dirname, '../../../images'))
const NAMES = IMAGES.map(({name}) => name)

describe('the images of kk', () => {
  it.each(IMAGES)('$name follows its parents', ({name, parents}) => {
    const before = NAMES.slice(0, NAMES.indexOf(name))

    expect(before).toEqual(expect.arrayContaining([...parents]))
    expect(parents.length === 0, 'only base stands on nothing').toBe(name === 'base')
  })

  it('have unique references, none of them latest', () => {
    const references = IMAGES.map(({repository, tag}) => `${repository}:${tag}`)

    expect(new Set(references).size).toBe(references.length)
    expect(references.filter((each) => each.endsWith(':latest'))).toEqual([])
  })

  it('are built with all of their parents, and nothing else', () => {
    const chosen = withParents(IMAGES, chooseImages(IMAGES, ['keystone']))

    expect(chosen.map(({name}) => name)).toEqual(['base', 'openstack-base', 'keystone'])
  })

  it('of another release are based on images of that release, otherwise on shared ones', () => {
    const find = (wanted: string) => IMAGES.find(({name}) => name === wanted)

    expect(find('keystone-2026.1')).toMatchObject({
      repository: 'kk/keystone',
      tag: '2026.1-debian-trixie',
      folder: find('keystone')?.folder,
      parents: ['openstack-base-2026.1'],
      arguments: {TAG: '2026.1-debian-trixie', RELEASE: '2026.1'},
    })
    expect(find('openstack-base-2026.1')).toMatchObject({
      parents: ['base'],
      arguments: {TAG: '2025.1-debian-trixie', RELEASE: '2026.1'},
    })
  })

  it.each(IMAGES)('$name is built on parents with the requested tag', ({parents, arguments: {TAG}}) => {
    const tags = IMAGES.filter(({name}) => parents.includes(name)).map(({tag}) => tag)

    expect(tags.filter((each) => each !== TAG)).toEqual([])
  })

  it('are suggested for a mistyped name', () => {
    expect(() => chooseImages(IMAGES, ['keystnoe'])).toThrow(
      expect.objectContaining({code: 'KK_USAGE', hint: 'did you mean keystone?'}),
    )
  })
})
