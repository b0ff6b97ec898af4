import {Errors, run} from '@oclif/core'
import {afterEach, expect, it, vi} from 'vitest'
import {openConsole} from '../../src/cli/console.ts'
import {oclifOptions} from '../../src/cli/oclif.ts'
import {VERSION} from '../../src/cli/version.ts'
import {table} from '../../src/table.js'

afterEach(() => {
  vi.restoreAllMocks()
})

/** What oclif prints for these words, and how it ends. */
async function printed(words: readonly string[]): Promise<string> {
  const texts: unknown[] = []
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => texts.push(text) > 0)
  vi.spyOn(console, 'log').mockImplementation((text) => texts.push(`${text}\n`))
  const ended = await run([...words], oclifOptions(VERSION, openConsole([]), table)).catch(
    (error: unknown) => error,
  )
  if (ended instanceof Error) expect(ended).toMatchObject({oclif: {exit: 0}})
  expect(ended === undefined || ended instanceof Errors.ExitError).toBe(true)
  return texts.join('')
}

// oclif takes the word help for the flag, and shows all commands.
const NAMES = Object.keys(table.commands).filter((id) => id !== 'help')

it.each(NAMES.map((id) => id.replaceAll(':', ' ')))(
  'kk %s --help shows an example of the command',
  async (name) => {
    const help = await printed([...name.split(' '), '--help'])

    expect(help).toContain('EXAMPLES')
    expect(help).toContain(`$ kk ${name}`)
  },
)
