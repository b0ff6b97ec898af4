import {readFileSync} from 'node:fs'
import {expect, it} from 'vitest'
import {commandTable} from '../../scripts/table.ts'

it('src/commands/table.ts is what npm run table writes', async () => {
  const committed = readFileSync('src/commands/table.ts', 'utf8')

  const fresh = await commandTable()

  expect(committed).toBe(fresh)
  // It loads every command there is.
}, 60_000)
