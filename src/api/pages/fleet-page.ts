import {markup} from '../../report/files/markup.ts'
import {runColumns} from '../../report/history-text.ts'
import {sheet} from '../../report/table.ts'
import {runAddress} from './addresses.ts'
import {PAGE_PALETTE, paragraphs, sheetTable} from './cells.ts'
import type {PageView, PartContent} from './page-view.ts'
import type {EnvironmentViews} from './views.ts'

const REFRESH_SECONDS = 15

/**
 * The Environments of the operator with their clusters, and the environments that were deployed to this one.
 */
export const FLEET_PAGE: PageView = {
  path: '/fleet',
  item: '/fleet',
  address: () => '/fleet',
  title: () => 'Fleet',
  parts: [
    {
      id: 'fleet',
      heading: 'Environments of the operator',
      busy: 'Reading the Environments of the operator from the cluster …',
      content: fleet,
      retry: REFRESH_SECONDS,
    },
    {
      id: 'environments',
      heading: 'Last run of each environment on this cluster',
      busy: 'Reading the records of runs from the cluster …',
      content: environments,
      retry: REFRESH_SECONDS,
    },
  ],
}

async function fleet(views: EnvironmentViews): Promise<PartContent> {
  const {context, notes, table} = await views.fleet(PAGE_PALETTE)
  return {
    body: markup`<p>On ${context}, the cluster of this environment.</p>
${paragraphs(notes)}${table ? sheetTable(table, {labelledBy: 'fleet-heading'}) : markup``}`,
    refresh: REFRESH_SECONDS,
  }
}

async function environments(views: EnvironmentViews): Promise<PartContent> {
  const runs = await views.runs('all')
  const newest = runs.filter(
    ({environment}, at) => runs.findIndex((each) => each.environment === environment) === at,
  )
  if (newest.length === 0)
    return {body: markup`<p>No run is recorded on the cluster.</p>`, refresh: REFRESH_SECONDS}
  const columns = {
    environment: ({environment}: (typeof runs)[number]) => environment,
    ...runColumns(newest, PAGE_PALETTE),
  }
  return {
    body: sheetTable(sheet(newest, columns), {
      labelledBy: 'environments-heading',
      address: (row) => runAddress(newest[row]!.id),
    }),
    refresh: REFRESH_SECONDS,
  }
}
