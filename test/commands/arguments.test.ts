import type {Command} from '@oclif/core'
import {expect, it} from 'vitest'
import {table} from '../../src/table.js'

/** The arguments and flags of a command that oclif may fill from standard input. */
async function filledFromInput(id: string): Promise<readonly string[]> {
  const {args, baseFlags, flags} = (await table.loaders[id]!()).default as Command.Class
  const filled = [
    ...Object.entries(args).filter(([, {ignoreStdin}]) => ignoreStdin !== true),
    ...Object.entries({...baseFlags, ...flags}).filter(
      ([, flag]) => flag.type === 'option' && flag.allowStdin,
    ),
  ]
  return filled.map(([name]) => `${id}: ${name}`)
}

it('no command takes an argument from standard input', async () => {
  const ids = Object.keys(table.loaders)

  const filled = await Promise.all(ids.map(filledFromInput))

  expect(ids.length).toBeGreaterThan(90)
  expect(filled.flat()).toEqual([])
  // It loads every command there is.
}, 300_000)
