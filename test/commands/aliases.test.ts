import {type Command, Config} from '@oclif/core'
import {CommandHelp} from '@oclif/core/help'
import {expect, it} from 'vitest'
import {KkCommand} from '../../src/cli/command.ts'
import {openConsole} from '../../src/cli/console.ts'
import {timeoutSeconds} from '../../src/cli/flags.ts'
import {oclifOptions} from '../../src/cli/oclif.ts'
import {table} from '../../src/table.js'

/**
 * Runs `kk operator install --dry-run` with these words; returns what it prints on standard error, or its
 * error.
 */
async function install(...words: readonly string[]): Promise<string> {
  const lines: string[] = []
  const console = {
    ...openConsole([]),
    print: () => undefined,
    say: (view: unknown) => void lines.push(String(view)),
  }
  const config = await Config.load(oclifOptions('0.0.0', console, table))
  await config.runCommand('operator:install', ['--dry-run', ...words]).catch(({message}: Error) => {
    lines.push(message)
  })
  return lines.join('\n')
}

it.each([
  [['--kinds'], 'note: --kinds is deprecated; use --crds instead'],
  [['--crds'], ''],
  [
    ['--shape', 'per-service', '--image', 'kk:1', '--namespace', 'openstack'],
    `note: --shape is deprecated; use --topology instead
the topology per-service requires --service or --environment`,
  ],
  [
    ['--shape=per-service', '--image', 'kk:1', '--namespace', 'openstack'],
    `note: --shape is deprecated; use --topology instead
the topology per-service requires --service or --environment`,
  ],
  [
    ['--topology', 'per-service', '--image', 'kk:1', '--namespace', 'openstack'],
    'the topology per-service requires --service or --environment',
  ],
])(
  'kk operator install accepts %j, and prints a note for an old spelling of a flag',
  async (words, output) => {
    expect(await install(...words)).toBe(output)
  },
)

it.each([
  ['operator:pause', '60', 'note: --timeout 60 is deprecated; use --timeout 60s instead'],
  ['operator:pause', '1m', ''],
  ['operator:uninstall', '60', 'note: --timeout 60 is deprecated; use --timeout 60s instead'],
  ['test', '60s', ''],
])('kk %s reads --timeout %s as a minute', async (id, text, note) => {
  const {flags} = (await table.loaders[id]!()).default as typeof Command
  const notes: string[] = []
  class Parsed extends KkCommand {
    static override flags = flags
    override async run() {
      return (await this.parse(Parsed)).flags as unknown as {readonly timeout: string}
    }
  }
  const console = {...openConsole([]), say: (view: unknown) => void notes.push(String(view))}
  const config = await Config.load(oclifOptions('0.0.0', console, table))

  const parsed = await new Parsed([`--timeout`, text], config).run()

  expect(timeoutSeconds(parsed.timeout)).toBe(60)
  expect(notes.join('\n')).toBe(note)
})

it.each(['-1s', '0s', 'soon', '5 m'])('the timeout %s is refused', (text) => {
  expect(() => timeoutSeconds(text)).toThrow(expect.objectContaining({code: 'KK_USAGE'}))
})

it('help omits old spellings of flags', async () => {
  const config = await Config.load(oclifOptions('0.0.0', openConsole([]), table))
  const text = new CommandHelp(config.findCommand('operator:install')!, config, {
    all: false,
    maxWidth: 80,
  }).generate()

  expect(text).toContain('--topology')
  expect(text).toContain('--crds')
  expect(text).not.toMatch(/--shape|--kinds/)
})
