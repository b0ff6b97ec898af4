/**
 * Writes `src/commands/table.ts`: what help and the parser need to know of each command, and a lazy import of it; and
 * the table of the plugins.
 */
import {readdirSync, readFileSync, writeFileSync} from 'node:fs'
import {createRequire} from 'node:module'
import {join} from 'node:path'
import {pathToFileURL} from 'node:url'
import {format} from './format.ts'
import {writePluginsTable} from './plugins-table.ts'

const ROOT = join(import.meta.dirname, '..')
const COMMANDS = join(ROOT, 'src/commands')
const TABLE = join(COMMANDS, 'table.ts')

type CacheCommand = (
  command: unknown,
  plugin: {alias: string; name: string; type: string},
) => Promise<Record<string, unknown>>
const {cacheCommand} = createRequire(import.meta.url)(
  join(ROOT, 'node_modules/@oclif/core/lib/util/cache-command.js'),
) as {
  cacheCommand: CacheCommand
}

/** The text that `src/commands/table.ts` should have, formatted. */
export async function commandTable(): Promise<string> {
  const files = readdirSync(COMMANDS, {recursive: true, encoding: 'utf8'})
    .filter((file) => file.endsWith('.ts') && file !== 'table.ts')
    .sort()
  const entries: string[] = []
  const loaders: string[] = []
  for (const file of files) {
    const id = file
      .replace(/\.ts$/, '')
      .replace(/\/index$/, '')
      .replaceAll('/', ':')
    const {default: command} = (await import(pathToFileURL(join(COMMANDS, file)).href)) as {
      default: {id: string}
    }
    command.id = id
    const cached = await cacheCommand(command, {alias: 'kk', name: 'kk', type: 'core'})
    entries.push(`${JSON.stringify(id)}: ${JSON.stringify(cached)},`)
    loaders.push(`${JSON.stringify(id)}: () => import('./${file}'),`)
  }
  return format(
    TABLE,
    `// Made by \`npm run table\` from the files beside it.
export const commands: Readonly<Record<string, unknown>> = {
${entries.join('\n')}
}

export const loaders: Readonly<Record<string, () => Promise<{default: unknown}>>> = {
${loaders.join('\n')}
}
`,
  )
}

if (import.meta.main) {
  const text = await commandTable()
  if (readFileSync(TABLE, {encoding: 'utf8', flag: 'a+'}) !== text) writeFileSync(TABLE, text)
  await writePluginsTable()
}
