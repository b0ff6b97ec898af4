import {readdir} from 'node:fs/promises'
import {join} from 'node:path'
import {KkError} from '../../../errors.ts'
import {isExecutable} from '../../../state/files/is-executable.ts'
import type {Plugin} from '../plugin.ts'
import {programPlugin} from './program.ts'

/**
 * The plugins of a directory, by file name: each can be executed; `*.md`, directories and hidden files are passed over.
 * Rejects with `KK_FILE` or `KK_PLUGIN` if any is bad.
 */
export async function readPlugins(directory: string): Promise<readonly Plugin[]> {
  const entries = await readdir(directory, {withFileTypes: true}).catch((cause: NodeJS.ErrnoException) => {
    throw new KkError('KK_FILE', `the directory of plugins ${directory} cannot be read (${cause.code})`, {
      cause,
      hint: 'name a directory with --plugins DIR, or KK_PLUGINS',
    })
  })
  const files = entries
    .filter((entry) => !entry.isDirectory() && !entry.name.startsWith('.') && !entry.name.endsWith('.md'))
    .map(({name}) => join(directory, name))
    .sort()
  const plugins = await Promise.all(files.map(readPlugin))
  refuseRivals(plugins)
  return plugins
}

async function readPlugin(file: string): Promise<Plugin> {
  if (isExecutable(file)) return programPlugin(file)
  if (/\.ya?ml$/.test(file)) throw ruleFile(file)
  throw new KkError('KK_PLUGIN', `${file} is not a program: expected a file that can be executed`, {
    hint: `make it executable (chmod +x ${file}), or take it out of the directory`,
  })
}

/** Before, such a file was a plugin in a small language of kk's own. */
function ruleFile(file: string): KkError {
  return new KkError('KK_PLUGIN', `${file} is a rule file: plugins are programs now, and kk reads no rules`, {
    hint: [
      'move what it says into a program that kk asks in JSON: chart, namespaces, reads and secrets into its answer to "describe",',
      'and each rule into the values that it answers to "overrides", with an if in the place of when and facts["x"] in that of $(x);',
      'docs/writing-a-plugin.md has one to start from',
    ].join(' '),
  })
}

function refuseRivals(plugins: readonly Plugin[]): void {
  const first = new Map<string, Plugin>()
  for (const plugin of plugins) {
    const other = first.get(plugin.chart)
    if (other) {
      throw new KkError(
        'KK_PLUGIN',
        `${other.file} and ${plugin.file} are both for the chart ${plugin.chart}`,
        {
          hint: 'keep one of them',
        },
      )
    }
    first.set(plugin.chart, plugin)
  }
}
