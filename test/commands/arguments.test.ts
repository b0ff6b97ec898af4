import type {Command} from '@oclif/core'
import {expect, it} from 'vitest'
import {loaders} from '../../src/commands/table.ts'

it.each(Object.keys(loaders))('kk %s takes no argument from standard input', async (id) => {
  const command = (await loaders[id]!()).default as Command.Class

  const filled = [
    ...Object.entries(command.args).filter(([, {ignoreStdin}]) => ignoreStdin !== true),
    ...Object.entries({...command.baseFlags, ...command.flags}).filter(
      ([, flag]) => flag.type === 'option' && flag.allowStdin,
    ),
  ].map(([name]) => name)

  expect(filled).toEqual([])
})
