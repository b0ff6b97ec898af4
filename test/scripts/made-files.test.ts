import {globSync} from 'node:fs'
import {join, relative} from 'node:path'
import {execa} from 'execa'
import {expect, it} from 'vitest'
import {madeOfCharts} from '../../scripts/charts.ts'

const ROOT = join(import.meta.dirname, '../..')

/** The catalogue is written by hand but for one part of it. */
const IN_PART = 'charts/common/templates/context/_catalogue.tpl'

it('.gitattributes marks each completely generated file, and no other below charts/', async () => {
  const ofCharts = (await madeOfCharts()).map(({path}) => relative(ROOT, path))
  const made = [
    ...ofCharts.filter((path) => path !== IN_PART),
    ...globSync(['options/*/*.json', 'images/pypi-base/pins/*.txt', 'docs/images/*.svg'], {cwd: ROOT}),
    ...['package-lock.json', 'src/overrides/system/table.ts'],
  ]
  const {stdout: kept} = await execa('git', ['ls-files', 'charts', ...made], {cwd: ROOT, lines: true})

  const {stdout} = await execa('git', ['check-attr', '--stdin', 'linguist-generated'], {
    cwd: ROOT,
    input: kept.join('\n'),
    lines: true,
  })

  const marked = stdout.filter((line) => line.endsWith(': set')).map((line) => line.split(': ')[0])
  expect(marked.toSorted()).toEqual(made.toSorted())
})
