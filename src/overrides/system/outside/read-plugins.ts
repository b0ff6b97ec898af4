import {readdir} from 'node:fs/promises'
import {join} from 'node:path'
import {KkError} from '../../../errors.ts'
import {isExecutable} from '../../../state/files/is-executable.ts'
import {readNamedFile} from '../../../state/files/named-file.ts'
import type {Plugin} from '../plugin.ts'
import {programPlugin} from './program.ts'
import {rulePlugin} from './rules.ts'

/**
 * The plugins of a directory, by file name: `*.yaml` holds rules, what can be executed is a program; `*.md`,
 * directories and hidden files are passed over. Rejects with `KK_FILE`, `KK_YAML` or `KK_PLUGIN` if any is bad.
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
  if (/\.ya?ml$/.test(file)) return rulePlugin({file, text: await readNamedFile(file)})
  if (isExecutable(file)) return programPlugin(file)
  throw new KkError('KK_PLUGIN', `${file} is neither a rule file (*.yaml) nor a program`, {
    hint: `make it executable (chmod +x ${file}), or take it out of the directory`,
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
