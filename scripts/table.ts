/**
 * `npm run table`: makes `src/table.js`, which is not in git: the data of help and the parser for each
 * command, and how each is loaded. JavaScript, because Node takes 100 ms at each start to strip the types of
 * so long a file.
 */
import {existsSync, readdirSync, readFileSync, renameSync, statSync, utimesSync, writeFileSync} from 'node:fs'
import {createRequire} from 'node:module'
import {join, relative} from 'node:path'
import {pathToFileURL} from 'node:url'

const SOURCE = join(import.meta.dirname, '../src')

/** The directory of the commands, and the path of their table. */
export interface Places {
  readonly commands: string
  /** The shared code of commands: their flags and arguments. */
  readonly shared: string
  readonly table: string
}

const PLACES: Places = {
  commands: join(SOURCE, 'commands'),
  shared: join(SOURCE, 'cli'),
  table: join(SOURCE, 'table.js'),
}

/** Makes the table if it is missing, or if a command or the shared code is newer. */
export async function makeTableWhenOld(places = PLACES): Promise<void> {
  const {commands, shared, table} = places
  if (!existsSync(table) || lastChange(commands, shared) > statSync(table).mtimeMs) await makeTable(places)
}

/** Makes the table; an unchanged file stays the same file, with the current time. */
export async function makeTable(places = PLACES): Promise<void> {
  const {table} = places
  const text = await commandTable(places)
  if (!existsSync(table) || readFileSync(table, 'utf8') !== text) {
    // Several processes may start at once.
    const temporary = `${table}.${process.pid}`
    writeFileSync(temporary, text)
    renameSync(temporary, table)
  }
  const now = new Date()
  utimesSync(table, now, now)
}

/**
 * The newest file or directory, in milliseconds since the epoch: a directory changes when a file is deleted.
 */
function lastChange(...directories: readonly string[]): number {
  const entries = directories.flatMap((directory) =>
    readdirSync(directory, {recursive: true, encoding: 'utf8'}).map((name) => join(directory, name)),
  )
  return Math.max(...[...directories, ...entries].map((path) => statSync(path).mtimeMs))
}

type CacheCommand = (
  command: unknown,
  plugin: {alias: string; name: string; type: string},
) => Promise<Record<string, unknown>>

/** Returns the source of the table. */
export async function commandTable({commands, table} = PLACES): Promise<string> {
  const {cacheCommand} = createRequire(import.meta.url)(
    join(SOURCE, '../node_modules/@oclif/core/lib/util/cache-command.js'),
  ) as {cacheCommand: CacheCommand}
  const files = readdirSync(commands, {recursive: true, encoding: 'utf8'})
    .filter((file) => file.endsWith('.ts'))
    .sort()
  const known: string[] = []
  const loaders: string[] = []
  for (const file of files) {
    const id = file
      .replace(/\.ts$/, '')
      .replace(/\/index$/, '')
      .replaceAll('/', ':')
    const path = join(commands, file)
    const {default: command} = (await import(pathToFileURL(path).href)) as {default: {id: string}}
    command.id = id
    const cached = await cacheCommand(command, {alias: 'kk', name: 'kk', type: 'core'})
    known.push(`${JSON.stringify(id)}: ${JSON.stringify(cached)},`)
    loaders.push(`${JSON.stringify(id)}: () => import('./${relative(join(table, '..'), path)}'),`)
  }
  return `// Made by \`npm run table\` from the files in commands/.
export const table = {
commands: {
${known.join('\n')}
},
loaders: {
${loaders.join('\n')}
},
}
`
}

if (import.meta.main) await (process.argv.includes('--when-old') ? makeTableWhenOld() : makeTable())
