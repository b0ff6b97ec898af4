import {Config} from '@oclif/core'
import {CommandHelp} from '@oclif/core/help'
import {expect, it} from 'vitest'
import {openConsole} from '../../src/cli/console.ts'
import {oclifOptions} from '../../src/cli/oclif.ts'
import {commandName, commandsOf, usageOf} from '../../src/cli/reference.ts'
import {table} from '../../src/table.js'

const COMMANDS = commandsOf(table)

/** The arguments that a usage line names: its words that are neither flags nor their values. */
function argumentsIn(usage: string): readonly string[] {
  const bare = usage.replaceAll(/--[a-z-]+ [A-Z|]+/g, '').replace('[FLAGS]', '')
  return bare.match(/[A-Za-z]+/g) ?? []
}

it.each(COMMANDS.map((command) => [commandName(command), command] as const))(
  'the usage line of kk %s has its arguments',
  (_, command) => {
    const usage = usageOf(command)

    const words = argumentsIn(usage)
    const args = Object.values(command.args)
    expect(words.length).toBeGreaterThanOrEqual(command.strict ? args.length : 1)
    expect(words.filter((word) => word !== word.toUpperCase())).toEqual([])
    const required = args.filter((argument) => argument.required).map(({name}) => name.toUpperCase())
    expect(words).toEqual(expect.arrayContaining(required))
  },
)

it('the usage line in help is that of the pages', async () => {
  const config = await Config.load(oclifOptions('0.0.0', openConsole([]), table))
  const options = {all: false, maxWidth: 80}

  const text = new CommandHelp(config.findCommand('remove')!, config, options).generate()

  expect(text).toContain('USAGE\n  $ kk remove [FILE] RELEASE... [FLAGS]\n')
})
