import {readFile} from 'node:fs/promises'
import {load} from 'js-yaml'
import {describe, expect, it} from 'vitest'
import {boardPicture} from '../../scripts/pictures/board-picture.ts'
import {drawings} from '../../scripts/pictures/drawings.ts'
import {graphPicture} from '../../scripts/pictures/graph-picture.ts'
import {servicesPicture} from '../../scripts/pictures/services-picture.ts'
import {ALL_IN_ONE} from './support/all-in-one.ts'
import {SIX} from './support/graphs.ts'

const project = new URL('../../', import.meta.url)
const read = (path: string) => readFile(new URL(path, project), 'utf8')

const drawn = await drawings()

describe('the pictures of the pages are current (node scripts/pictures.ts draws them)', () => {
  it.each([
    ['docs/images/board.svg', boardPicture],
    ['docs/images/graph.svg', graphPicture],
    ['docs/images/services.svg', servicesPicture],
  ])('%s', async (path, picture) => {
    expect(await picture()).toBe(await read(path))
  })

  it.each([...drawn])('docs/images/%s', async (name, svg) => {
    expect(svg).toBe(await read(`docs/images/${name}`))
  })

  it.each(Object.entries(ALL_IN_ONE))('%s requires %j, as its chart says', async (name, requires) => {
    const chart = load(await read(`charts/${name}/Chart.yaml`)) as {annotations?: Record<string, string>}

    const stated = chart.annotations?.['kk.openstack.org/requires'] ?? ''
    // `ceph?` counts only where that release is there.
    expect(stated.split(/, */u).filter((each) => each !== '' && !each.endsWith('?'))).toEqual(requires)
    const isProtected = chart.annotations?.['kk.openstack.org/protected'] === 'true'
    expect(isProtected).toBe(SIX.protected.has(`openstack/${name}`))
  })
})
