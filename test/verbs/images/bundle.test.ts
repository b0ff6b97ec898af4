import {rm, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {expect, it} from 'vitest'
import {directoryDestination} from '../../../src/charts/publishing/destination-directory.ts'
import {packChart} from '../../../src/charts/publishing/pack-chart.ts'
import {readChart} from '../../../src/charts/read-chart.ts'
import {bundleContents, chartsOf, expectBundle, writeBundle} from '../../../src/verbs/images/mirror/bundle.ts'
import {manifest, writeFiles} from '../../charts/support/write-files.ts'

async function packed(values: string) {
  const directory = writeFiles({'app/Chart.yaml': manifest('app'), 'app/values.yaml': values})
  return packChart(readChart(join(directory, 'app')))
}

/** A directory with the package of one chart, and that package. */
async function carried(charts?: readonly string[]) {
  const directory = writeFiles({})
  const chart = await packed('a: 1\n')
  await directoryDestination({path: chartsOf(directory), url: undefined, now: new Date()}).add([chart])
  await writeBundle(directory, 'cloud', {
    ...{images: {}, settings: {}, unplaced: []},
    charts: charts ?? [chart.file],
  })
  return {directory, chart}
}

it('a copied bundle has the packages of its index', async () => {
  const {directory, chart} = await carried()

  expect(await bundleContents(directory)).toEqual({images: [], charts: [chart]})
})

it('a bundle with a changed or missing package is refused', async () => {
  const {directory, chart} = await carried()
  const path = join(chartsOf(directory), chart.file)
  const refused = {code: 'KK_FILE', message: `${path} is missing or has changed`}

  await writeFile(path, (await packed('a: 2\n')).bytes)
  await expect(bundleContents(directory)).rejects.toMatchObject(refused)
  await rm(path)
  await expect(bundleContents(directory)).rejects.toMatchObject(refused)
})

it('a file outside of the directory is not accepted as a package of the bundle', async () => {
  const outside = writeFiles({})
  const {chart} = await carried()
  await writeFile(join(outside, chart.file), chart.bytes)
  const {directory} = await carried([`../../${outside.split('/').at(-1)}/${chart.file}`])

  await expect(bundleContents(directory)).rejects.toMatchObject({code: 'KK_FILE'})
})

it('a bundle is written to a new or empty directory or one of an earlier run, not to one with other files', async () => {
  const {directory} = await carried()
  const own = writeFiles({'charts/app/Chart.yaml': '', 'kk.yaml': ''})

  await expectBundle(directory)
  await expectBundle(join(directory, 'new'))
  await expectBundle(writeFiles({}))
  await expectBundle(writeFiles({'.mirror.lock': '', 'blobs/sha256/0.part': ''}))
  await expect(expectBundle(own)).rejects.toMatchObject({
    code: 'KK_DIRECTORY_IN_USE',
    message: `${own} holds files that kk did not write: charts, kk.yaml`,
  })
})
