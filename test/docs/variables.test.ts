import {globSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect, it} from 'vitest'
import {VARIABLES, variablesOf} from '../../scripts/docs/variables.ts'
import {commandsOf} from '../../src/cli/reference.ts'
import {table} from '../../src/table.js'

const SOURCE = join(import.meta.dirname, '../../src')
const listed = VARIABLES.flatMap(({names}) => names).filter((name) => name.startsWith('KK_'))

it('every variable of kk that the sources read is in the table of variables', () => {
  const read = globSync('**/*.ts', {cwd: SOURCE}).flatMap((file) => {
    const text = readFileSync(join(SOURCE, file), 'utf8')
    return [...text.matchAll(/\benv(?:\.|\[')(KK_[A-Z_]+)/g)].map(([, name = '']) => name)
  })

  expect(read.length).toBeGreaterThan(10)
  expect([...new Set(read)].filter((name) => !listed.includes(name))).toEqual([])
})

it('each variable of kk belongs to some commands', () => {
  const read = new Set(
    commandsOf(table).flatMap((command) => variablesOf(command).flatMap(({names}) => names)),
  )

  expect(listed.filter((name) => !read.has(name))).toEqual([])
})
