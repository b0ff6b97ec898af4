import type {ListedPlugin} from '../verbs/facts/list-plugins.ts'
import type {Palette} from './colour.ts'
import {table} from './table.ts'

/** Returns one line for each plugin: chart, namespaces, the facts that it reads, and its file if it is from outside. */
export function pluginsText(plugins: readonly ListedPlugin[], palette: Palette): string {
  const rows = plugins.map(({chart, namespaces, reads, file, replaces}) => {
    const from = file === undefined ? '' : `  ${file}${replaces ? " (replaces kk's own)" : ''}`
    return [chart, namespaces.join(', '), palette.quiet(reads.join(', ')) + palette.accent(from)]
  })
  return table(rows).join('\n')
}
