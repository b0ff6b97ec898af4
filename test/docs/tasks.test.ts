import {readFileSync} from 'node:fs'
import {expect, it} from 'vitest'
import {commandName, commandsOf} from '../../src/cli/reference.ts'
import {table} from '../../src/table.js'

const PAGE = 'docs/decisions/2026-11-29-a-task-for-each-command.md'

it('each command has a task in the decision on commands, and only one', () => {
  const [, rows = ''] = /^\| task \| commands \|\n((?:\|.*\n)+)/m.exec(readFileSync(PAGE, 'utf8')) ?? []
  const listed = [...rows.matchAll(/`([a-z -]+)`/g)].map(([, name]) => name)

  expect(listed.toSorted()).toEqual(commandsOf(table).map(commandName).toSorted())
})
