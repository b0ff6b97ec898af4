import {Config} from '@oclif/core'
import {CommandHelp} from '@oclif/core/help'
import {expect, it} from 'vitest'
import {openConsole} from '../../src/cli/console.ts'
import {oclifOptions} from '../../src/cli/oclif.ts'
import {table} from '../../src/table.js'

const config = await Config.load(oclifOptions('0.0.0', openConsole([]), table))

/** What help shows between USAGE and the next heading. */
function usageOf(command: (typeof config.commands)[number]): string {
  const text = new CommandHelp(command, config, {all: false, maxWidth: 10_000}).generate()
  return /USAGE\n(?<lines>(?: .*\n)+)/.exec(`${text}\n`)?.groups?.lines ?? ''
}

it.each(config.commands.map((command) => [command.id, usageOf(command)]))(
  'the usage of kk %s has no gap in a group of flags',
  (id, usage) => {
    expect(usage).toContain(`$ kk ${id}`)
    expect(usage).not.toMatch(/\|\s*[|\])]|[[(]\s*[|\])]/)
  },
)
