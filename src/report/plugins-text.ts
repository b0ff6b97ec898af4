import type {ListedPlugin} from '../verbs/facts/list-plugins.ts'
import type {Palette} from './colour.ts'
import {table} from './table.ts'
import type {View} from './text/view.ts'

/**
 * Returns one row for each plugin: chart, namespaces, the facts that it reads, and its file unless kk carries
 * it.
 */
export function pluginsText(plugins: readonly ListedPlugin[], palette: Palette): View {
  const fileText = ({file, replaces}: ListedPlugin) =>
    file === undefined ? '' : `  ${file}${replaces ? " (replaces kk's own)" : ''}`
  return table(plugins, [
    ({chart}) => chart,
    ({namespaces}) => namespaces.join(', '),
    (plugin) => palette.quiet(plugin.reads.join(', ')) + palette.accent(fileText(plugin)),
  ])
}
