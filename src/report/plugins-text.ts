import type {ListedPlugin} from '../verbs/facts/list-plugins.ts'
import type {Palette} from './colour.ts'

/** One line for each plugin: chart, namespaces, the facts that it reads, and its file if it is from outside. */
export function pluginsText(plugins: readonly ListedPlugin[], palette: Palette): string {
  const width = (cells: readonly string[]) => Math.max(0, ...cells.map(({length}) => length))
  const charts = width(plugins.map(({chart}) => chart))
  const places = width(plugins.map(({namespaces}) => namespaces.join(', ')))
  return plugins
    .map(({chart, namespaces, reads, file, replaces}) => {
      const from = file === undefined ? '' : `  ${file}${replaces ? " (replaces kk's own)" : ''}`
      const place = namespaces.join(', ').padEnd(places)
      return `${chart.padEnd(charts)}  ${place}  ${palette.quiet(reads.join(', '))}${palette.accent(from)}`
    })
    .join('\n')
}
