import {Errors, run} from '@oclif/core'
import {afterEach, describe, expect, it, vi} from 'vitest'
import {openConsole} from '../../src/cli/console.ts'
import {oclifOptions} from '../../src/cli/oclif.ts'
import {asHelpCommand, rootHelp, WORDS} from '../../src/cli/root-help.ts'
import {VERSION} from '../../src/cli/version.ts'
import {palette} from '../../src/report/colour.ts'
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

const FIRST_WORDS = [...new Set(Object.keys(table.commands).map((id) => id.split(':')[0]!))].sort()

/** The first words that help without a command lists. */
function listed(all: boolean): readonly string[] {
  return rootHelp({all}, palette(0)).flatMap((line) => /^ {2}(\S+) {2}/.exec(line)?.[1] ?? [])
}

describe('help without a command', () => {
  it('lists each first word of commands in one group', () => {
    expect(listed(true).toSorted()).toEqual(FIRST_WORDS)
    expect(Object.keys(WORDS).sort()).toEqual(FIRST_WORDS)
  })

  it('hides internal commands, and names the flag that shows them', () => {
    const hidden = listed(true).filter((word) => !listed(false).includes(word))

    expect(hidden).toEqual(expect.arrayContaining(['entrypoint', 'kolla', 'helm-override-update']))
    expect(listed(false)).toEqual(expect.arrayContaining(['init', 'deploy', 'remove', 'sandbox']))
    expect(rootHelp({all: false}, palette(0)).at(-1)).toContain('kk --help --all')
  })

  it('groups the commands by task', () => {
    const titles = rootHelp({all: false}, palette(0)).filter((line) => /^[A-Z][a-z]+$/.test(line))

    expect(titles).toEqual(['Start', 'Look', 'Change', 'Exchange', 'Team', 'Try'])
  })

  it.each([false, true])('fits in 80 columns (with internal commands: %s)', (all) => {
    expect(rootHelp({all}, palette(0)).filter((line) => line.length > 80)).toEqual([])
  })

  it.each([
    [[], ['help']],
    [['--help'], ['help']],
    [
      ['-h', '--all', '--no-color'],
      ['help', '--all', '--no-color'],
    ],
    [
      ['help', '--help'],
      ['help', 'help'],
    ],
    [
      ['help', '--all'],
      ['help', '--all'],
    ],
    [
      ['deploy', '--help'],
      ['deploy', '--help'],
    ],
    [['--version'], ['--version']],
  ])('%j is passed to oclif as %j', (argv, expected) => {
    expect(asHelpCommand(argv)).toEqual(expected)
  })

  it.each([[['help']], [['help', '--all']]])('is what kk %j prints', async (words) => {
    const all = words.includes('--all')

    const help = await printed(words)

    expect(help).toContain(rootHelp({all}, palette(0)).join('\n'))
    expect(help.includes('Terms that kk help explains: ')).toBe(all)
  })

  it.each([
    ['help', 'Explain a term of kk'],
    ['doctor', 'Check helm, the cluster and the leftovers'],
    ['plugins', 'plugins run  Print the system overrides'],
    ['run', 'Follow runs that are Jobs in the cluster'],
  ])('kk help %s describes the command or the topic', async (word, text) => {
    expect(await printed(['help', word])).toContain(text)
  })

  it('omits internal commands of a topic without --all', async () => {
    expect(await printed(['help', 'run'])).not.toContain('run start')
    expect(await printed(['help', 'run', '--all'])).toContain('run start')
  })
})
