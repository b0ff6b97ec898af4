import {readFile} from 'node:fs/promises'
import {load} from 'js-yaml'
import {describe, expect, it} from 'vitest'
import {boardPicture} from '../../scripts/pictures/board-picture.ts'
import {drawings} from '../../scripts/pictures/drawings.ts'
import {graphPicture} from '../../scripts/pictures/graph-picture.ts'
import {servicesPicture} from '../../scripts/pictures/services-picture.ts'
import {animatedSvg} from '../../scripts/pictures/terminal-svg.ts'
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

it('a recording shows each frame from its time on, the last one at rest, and equal rows once', () => {
  const frames = [
    {at: 0, rows: ['<text>a</text>', '']},
    {at: 1, rows: ['<text>a</text>', '<text>b</text>']},
  ]

  const svg = animatedSvg(80, frames, 3)

  expect(svg).toContain('.f{visibility:hidden;animation:4.0s step-end infinite}')
  expect(svg).toContain(
    '@keyframes f0{0%{visibility:visible}0.00%{visibility:visible}25.00%,100%{visibility:hidden}}',
  )
  expect(svg).toContain('@keyframes f1{0%{visibility:hidden}25.00%{visibility:visible}}')
  expect(svg.match(/<text>a/g)).toHaveLength(1)
  expect(svg.match(/<use /g)).toHaveLength(3)
})
