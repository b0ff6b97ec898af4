import {cpSync, mkdirSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {beforeAll, describe, expect, it} from 'vitest'
import {type Carried, carriedChart, readCarried, sameChart} from '../../src/charts/carried.ts'
import {readDialectChart} from '../../src/charts/dialect.ts'
import {digestChart} from '../../src/charts/digest-chart.ts'
import {findInDirectory} from '../../src/charts/directory.ts'
import {writeFiles} from './support/write-files.ts'

const CHARTS = join(import.meta.dirname, '../../charts')

let charts: Carried['charts']
beforeAll(async () => {
  // As in the executable.
  charts = JSON.parse(JSON.stringify(await readCarried(CHARTS)))
})

const carried = (): Carried => ({charts, digests: new Map()})

/** A directory with copies of some charts. */
function copied(...names: readonly string[]): string {
  const directory = writeFiles({})
  for (const name of names) cpSync(join(CHARTS, name), join(directory, name), {recursive: true})
  return directory
}

describe('a chart that kk carries', () => {
  it('equals the chart as read from its files', async () => {
    for (const name of Object.keys(charts)) {
      const {known, ...chart} = carriedChart(carried(), {name}, CHARTS)!
      const read = (await findInDirectory(CHARTS, {name}, {cache: CHARTS}))!

      expect(chart).toEqual(read)
      expect(readDialectChart({...chart, known: known!})).toEqual({
        ...readDialectChart(read),
        at: expect.any(Function),
      })
      expect(known!.digest).toBe(await digestChart(read))
    }
  })

  it('contains no path of the build machine', () => {
    expect(JSON.stringify(charts)).not.toContain(CHARTS)
  })

  it('is not used for another version, or for the name of an object property', () => {
    expect(carriedChart(carried(), {name: 'keystone', version: '^99'}, CHARTS)).toBeUndefined()
    expect(carriedChart(carried(), {name: 'constructor'}, CHARTS)).toBeUndefined()
  })
})

describe('a chart of a directory', () => {
  const wanted = {name: 'keystone'}

  it('uses the known facts if it equals the carried one', async () => {
    const directory = copied('keystone', 'common')

    const chart = await sameChart(carried(), wanted, directory)

    expect(chart?.known).toBeDefined()
    expect(chart).toMatchObject({
      directory: join(directory, 'keystone'),
      libraries: [{name: 'common', directory: join(directory, 'common')}],
    })
  })

  it.each([
    ['a file of it is another', (at: string) => writeFileSync(join(at, 'keystone/values.yaml'), 'a: 1\n')],
    ['it has one more', (at: string) => writeFileSync(join(at, 'keystone/templates/more.yaml'), '')],
    ['its library is another', (at: string) => writeFileSync(join(at, 'common/values.yaml'), 'a: 1\n')],
    ['it has a library of its own', (at: string) => mkdirSync(join(at, 'keystone/charts'))],
  ])('is read if %s', async (_, change) => {
    const directory = copied('keystone', 'common')
    change(directory)

    expect(await sameChart(carried(), wanted, directory)).toBeUndefined()
  })

  it('is read if its library, or the whole chart, is missing', async () => {
    expect(await sameChart(carried(), wanted, copied('keystone'))).toBeUndefined()
    expect(await sameChart(carried(), wanted, copied())).toBeUndefined()
  })
})
