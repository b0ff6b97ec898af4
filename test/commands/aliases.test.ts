import {Config} from '@oclif/core'
import {CommandHelp} from '@oclif/core/help'
import {expect, it} from 'vitest'
import {openConsole} from '../../src/cli/console.ts'
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
