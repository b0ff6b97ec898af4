import type {PublishedChart} from '../../verbs/charts/publish-charts.ts'
import {table} from '../table.ts'
import {counted} from '../text/list.ts'

const STATES = {new: 'new', there: 'already there'} as const

/** Returns what is published, one line for each chart. */
export function publishText(charts: readonly PublishedChart[], destination: string): string {
  const rows = charts.map(({packed, state}) => [packed.name, packed.version, STATES[state]])
  const added = charts.filter(({state}) => state === 'new').length
  return `${[...table(rows, {indent: '  '}), `${counted(added, 'new chart')} for ${destination}`].join('\n')}\n`
}

/** The same for `--output json|yaml`. */
export function publishDocument(charts: readonly PublishedChart[], destination: string) {
  return {
    destination,
    charts: charts.map(({packed: {name, version, digest}, state}) => ({
      name,
      version,
      digest: `sha256:${digest}`,
      state,
    })),
  }
}
