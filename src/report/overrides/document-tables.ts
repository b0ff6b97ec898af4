import type {OverriddenChart} from '../../overrides/service.ts'
import {prettyTable} from './pretty-table.ts'

/** Properties as `system helm-override-show` prints them: sorted by name; of none, an empty cell. */
export function propertyTable(properties: Readonly<Record<string, string>>): string {
  const rows = Object.entries(properties).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return prettyTable([['Property', 'Value'], ...rows])
}

/** Charts as `system helm-override-list` prints them, with namespaces as Python 2 writes a list of texts. */
export function chartTable(charts: readonly OverriddenChart[]): string {
  const rows = charts.map(({name, namespaces}) => [
    name,
    `[${namespaces.map((namespace) => `u'${namespace}'`).join(', ')}]`,
  ])
  return prettyTable([['chart name', 'overrides namespaces'], ...rows])
}

/** What `system helm-override-delete` prints. */
export function deletedText(name: string, namespace: string): string {
  return `Deleted chart overrides for ${name}:${namespace}\n`
}
