import {markup} from '../../report/files/markup.ts'
import {runColumns} from '../../report/history-text.ts'
import {sheet} from '../../report/table.ts'
import {runAddress} from './addresses.ts'
import {PAGE_PALETTE, sheetTable} from './cells.ts'
import type {PageView, PartContent} from './page-view.ts'
import type {EnvironmentViews} from './views.ts'

const REFRESH_SECONDS = 10

/** The runs of the environment, as `kk history` shows them. */
export const HISTORY_PAGE: PageView = {
  path: '/history',
  item: '/history',
  address: () => '/history',
  title: () => 'History',
  parts: [
    {
      id: 'runs',
      heading: 'Runs, newest first',
      busy: 'Reading the records of runs from the cluster …',
      content: runs,
      retry: REFRESH_SECONDS,
    },
  ],
}

async function runs(views: EnvironmentViews): Promise<PartContent> {
  const entries = await views.runs('environment')
  const refresh = REFRESH_SECONDS
  if (entries.length === 0)
    return {body: markup`<p>No run of ${views.name} is recorded on the cluster.</p>`, refresh}
  return {
    body: sheetTable(sheet(entries, runColumns(entries, PAGE_PALETTE)), {
      labelledBy: 'runs-heading',
      address: (row) => runAddress(entries[row]!.id),
    }),
    refresh,
  }
}
