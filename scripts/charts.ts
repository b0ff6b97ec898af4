/**
 * `npm run charts`: writes what is derived from the facts of the charts: the schema of each chart's values,
 * the catalogue of endpoints, the feature files of other releases of OpenStack, the names of secret options,
 * the table of plugins, the golden files of plugins that have none, and the tables in `docs/`.
 */
import {existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs'
import {dirname, join, relative} from 'node:path'
import {execa} from 'execa'
import {readImages} from '../src/images/inventory/read-images.ts'
import {catalogueText, endpointsIn} from './charts/catalogue.ts'
import {wrongNames} from './charts/names.ts'
import {readOwnCharts} from './charts/read-charts.ts'
import {releaseFeatures} from './charts/release-features.ts'
import {chartSchema} from './charts/schema.ts'
import {settingNames, unusualNames} from './charts/secret-options.ts'
import {secretOptionsModule, secretOptionsTemplate} from './charts/secret-template.ts'
import {madePages} from './docs.ts'
import {pluginsTable} from './plugins-table.ts'

const ROOT = join(import.meta.dirname, '..')
const CATALOGUE = join(ROOT, 'charts/common/templates/context/_catalogue.tpl')

export interface MadeFile {
  readonly path: string
  readonly text: string
}

/**
 * Returns the expected contents of the files in `charts/` that are generated. Throws if a name refers to
 * nothing.
 */
export async function madeOfCharts(): Promise<readonly MadeFile[]> {
  const charts = readOwnCharts()
  const catalogue = catalogueText(readFileSync(CATALOGUE, 'utf8'), charts)
  const wrong = charts.flatMap((chart) => wrongNames(chart, endpointsIn(catalogue)))
  if (wrong.length > 0) throw new WrongNames(wrong.join('\n'))
  const names = {secret: unusualNames(), settings: settingNames()}
  return [
    {path: CATALOGUE, text: catalogue},
    {path: join(ROOT, 'charts/common/templates/config/_secret.tpl'), text: secretOptionsTemplate(names)},
    {path: join(ROOT, 'src/redact/secret-options.ts'), text: secretOptionsModule(names)},
    ...charts.map(({name, directory, values}) => ({
      path: join(directory, 'values.schema.json'),
      text: `${JSON.stringify(chartSchema(name, values), null, 1)}\n`,
    })),
    ...releaseFeatures(charts, await readImages(join(ROOT, 'images'))),
  ]
}

/** A line for each name in the facts of the charts that refers to nothing. */
class WrongNames extends Error {}

async function writeMade(): Promise<void> {
  for (const {path, text} of await madeOfCharts()) writeChanged(path, text)
  writeChanged(join(ROOT, 'src/overrides/system/table.ts'), await pluginsTable())
  // In a separate process, which reads the table as it is now.
  await execa(process.execPath, [join(ROOT, 'scripts/charts/golden.ts')], {stdio: 'inherit'})
  for (const {path, text} of await madePages()) writeChanged(path, text)
}

function writeChanged(path: string, text: string): void {
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return
  mkdirSync(dirname(path), {recursive: true})
  writeFileSync(path, text)
  console.log(`wrote ${relative(ROOT, path)}`)
}

if (import.meta.main) {
  try {
    await writeMade()
  } catch (error) {
    if (!(error instanceof WrongNames)) throw error
    console.error(error.message)
    process.exitCode = 1
  }
}
