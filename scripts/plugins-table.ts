/**
 * Writes `src/overrides/system/table.ts`: a lazy import of each plugin in its folder `charts`, and what kk's
 * own charts look up.
 */
import {readdirSync, readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {pathToFileURL} from 'node:url'
import {readDialectChart} from '../src/charts/dialect.ts'
import {readChart} from '../src/charts/read-chart.ts'
import {accountSecrets} from '../src/overrides/system/accounts.ts'
import type {Plugin} from '../src/overrides/system/plugin.ts'
import {readOwnCharts} from './charts/read-charts.ts'
import {format} from './format.ts'

const SYSTEM = join(import.meta.dirname, '../src/overrides/system')

/**
 * The expected source of `table.ts`, formatted: one row per file. Rejects unless each is named after its
 * chart.
 */
export async function pluginsTable(directory = SYSTEM): Promise<string> {
  const charts = readdirSync(join(directory, 'charts'))
    .filter((file) => file.endsWith('.ts'))
    .map((file) => file.replace(/\.ts$/, ''))
    .sort()
  for (const chart of charts) await expectNamedAfter(chart, join(directory, 'charts', `${chart}.ts`))
  const rows = charts.map((chart) => `${JSON.stringify(chart)}: () => import('./charts/${chart}.ts'),`)
  return format(
    join(SYSTEM, 'table.ts'),
    `// Made by \`npm run charts\` from the plugins in charts/ beside it, and from kk's own charts.
import type {Plugin} from './plugin.ts'

export const plugins: Readonly<Record<string, () => Promise<{readonly plugin: Plugin}>>> = {
${rows.join('\n')}
}

/** The passwords and keys that kk's own charts look up, for cases in which only a name is known. */
export const credentials: Readonly<Record<string, readonly string[]>> = {
${credentials().join('\n')}
}
`,
  )
}

/** Returns a row for each of kk's own charts that looks up passwords or keys. */
function credentials(): readonly string[] {
  return readOwnCharts().flatMap(({name, directory}) => {
    const names = accountSecrets(readDialectChart(readChart(directory))).map((secret) => secret.name)
    return names.length === 0 ? [] : [`${JSON.stringify(name)}: ${JSON.stringify(names.sort(byServer))},`]
  })
}

/** The servers behind most services, which come first. */
const SERVERS = ['oslo_db', 'oslo_messaging', 'identity', 'oslo_cache']

function byServer(one: string, other: string): number {
  const place = (name: string) => SERVERS.indexOf(name.split('.', 1)[0]!) + 1 || SERVERS.length + 1
  return place(one) - place(other) || (one < other ? -1 : 1)
}

/** A plugin is loaded by the name of its file, so kk would never find one for another chart. */
async function expectNamedAfter(chart: string, file: string): Promise<void> {
  const {plugin} = (await import(pathToFileURL(file).href)) as {readonly plugin?: Plugin}
  if (plugin?.chart === chart) return
  const found = plugin ? `is for the chart ${plugin.chart}` : 'exports no plugin'
  throw new Error(
    `${file} ${found}: expected \`export const plugin\` for the chart ${chart}, as the file is named`,
  )
}

/** Writes the table if it has changed. */
export async function writePluginsTable(directory = SYSTEM): Promise<void> {
  const file = join(directory, 'table.ts')
  const text = await pluginsTable(directory)
  if (readFileSync(file, {encoding: 'utf8', flag: 'a+'}) !== text) writeFileSync(file, text)
}
