/** Writes `src/overrides/system/table.ts`: a lazy import of each plugin in the folder `charts` beside it. */
import {readdirSync, readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {pathToFileURL} from 'node:url'
import type {Plugin} from '../src/overrides/system/plugin.ts'
import {format} from './format.ts'

const SYSTEM = join(import.meta.dirname, '../src/overrides/system')

/** The text that `table.ts` should have, formatted: one row per file. Rejects unless each is named after its chart. */
export async function pluginsTable(directory = SYSTEM): Promise<string> {
  const charts = readdirSync(join(directory, 'charts'))
    .filter((file) => file.endsWith('.ts'))
    .map((file) => file.replace(/\.ts$/, ''))
    .sort()
  for (const chart of charts) await expectNamedAfter(chart, join(directory, 'charts', `${chart}.ts`))
  const rows = charts.map((chart) => `${JSON.stringify(chart)}: () => import('./charts/${chart}.ts'),`)
  return format(
    join(SYSTEM, 'table.ts'),
    `// Made by \`npm run table\` from the files in charts/.
import type {Plugin} from './plugin.ts'

export const plugins: Readonly<Record<string, () => Promise<{readonly plugin: Plugin}>>> = {
${rows.join('\n')}
}
`,
  )
}

/** A plugin is found by the name of its file, so one for another chart would never be. */
async function expectNamedAfter(chart: string, file: string): Promise<void> {
  const {plugin} = (await import(pathToFileURL(file).href)) as {readonly plugin?: Plugin}
  if (plugin?.chart === chart) return
  const found = plugin ? `is for the chart ${plugin.chart}` : 'exports no plugin'
  throw new Error(
    `${file} ${found}: expected \`export const plugin\` for the chart ${chart}, as the file is named`,
  )
}

/** Writes the table unless it is as it should be. */
export async function writePluginsTable(directory = SYSTEM): Promise<void> {
  const file = join(directory, 'table.ts')
  const text = await pluginsTable(directory)
  if (readFileSync(file, {encoding: 'utf8', flag: 'a+'}) !== text) writeFileSync(file, text)
}
