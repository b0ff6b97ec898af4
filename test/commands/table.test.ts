import {existsSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {pathToFileURL} from 'node:url'
import {execa} from 'execa'
import {describe, expect, it} from 'vitest'
import {commandTable, makeTable, makeTableWhenOld} from '../../scripts/table.ts'
import type {CommandTable} from '../../src/cli/reference.ts'
import {testDirectory} from '../support/test-directory.ts'

it('src/table.js is what npm run table makes, and not in git', async () => {
  const made = readFileSync('src/table.js', 'utf8')
  const {stdout: kept} = await execa('git', ['ls-files', 'src/table.js', 'src/commands/table.ts'])

  const fresh = await commandTable()

  expect(made).toBe(fresh)
  expect(kept).toBe('')
  // It loads every command there is.
}, 60_000)

/** Two commands in a directory of the test, as old as that day. */
function places(day: string) {
  const directory = testDirectory()
  const found = {
    commands: join(directory, 'commands'),
    shared: join(directory, 'cli'),
    table: join(directory, 'table.js'),
  }
  mkdirSync(join(found.commands, 'graph'), {recursive: true})
  mkdirSync(found.shared)
  writeFileSync(join(found.shared, 'flags.ts'), '')
  for (const name of ['deploy', 'graph/index', 'graph/why'])
    writeFileSync(join(found.commands, `${name}.ts`), `export default {summary: 'The summary of ${name}.'}\n`)
  const all = ['commands/graph/index.ts', 'commands/graph/why.ts', 'commands/deploy.ts', 'cli/flags.ts']
  for (const name of [...all, 'commands/graph', 'commands', 'cli']) age(join(directory, name), day)
  return found
}

function age(path: string, day: string): void {
  utimesSync(path, new Date(day), new Date(day))
}

async function read(table: string): Promise<CommandTable> {
  const module = (await import(pathToFileURL(table).href)) as {readonly table: CommandTable}
  return module.table
}

describe('the table', () => {
  it('has each command by its name, and loads its module', async () => {
    const here = places('2026-01-01')

    await makeTable(here)

    const {commands, loaders} = await read(here.table)
    expect(Object.keys(commands)).toEqual(['deploy', 'graph', 'graph:why'])
    expect(commands['graph:why']).toMatchObject({summary: 'The summary of graph/why.'})
    expect(await loaders['graph']!()).toMatchObject({default: {summary: 'The summary of graph/index.'}})
  })

  it.each([
    ['a command is younger', 'commands/graph/why.ts'],
    ['a command has gone', 'commands/graph'],
    ['flags that commands share are younger', 'cli/flags.ts'],
  ])('is generated again if %s', async (_, changed) => {
    const here = places('2026-01-01')
    await makeTable(here)
    writeFileSync(here.table, '// old')
    age(here.table, '2026-01-02')
    age(join(here.table, '..', changed), '2026-01-03')

    await makeTableWhenOld(here)

    expect(readFileSync(here.table, 'utf8')).toBe(await commandTable(here))
    expect(statSync(here.table).mtimeMs).toBeGreaterThan(Date.parse('2026-01-03'))
  })

  it('is not generated again if no source is newer, and is generated if it is missing', async () => {
    const here = places('2026-01-01')
    await makeTableWhenOld(here)
    expect(existsSync(here.table)).toBe(true)
    writeFileSync(here.table, '// young')

    await makeTableWhenOld(here)

    expect(readFileSync(here.table, 'utf8')).toBe('// young')
  })

  it('keeps its file if the content is the same', async () => {
    const here = places('2026-01-01')
    await makeTable(here)
    const {ino} = statSync(here.table)
    age(here.table, '2025-12-31')

    await makeTableWhenOld(here)

    expect(statSync(here.table)).toMatchObject({ino})
    expect(statSync(here.table).mtimeMs).toBeGreaterThan(Date.parse('2026-01-01'))
  })
})
