import {type Markup, markup} from '../../report/files/markup.ts'
import {runReleaseColumns, stateText, timeText} from '../../report/history-text.ts'
import {eventLines} from '../../report/run/lines.ts'
import {sheet} from '../../report/table.ts'
import {clockText} from '../../report/text/duration.ts'
import {releaseLabels} from '../../report/text/label.ts'
import type {RunEvent} from '../../run/events.ts'
import {NO_RUN, nextState} from '../../run/run-state.ts'
import {releaseAddress, runAddress} from './addresses.ts'
import {PAGE_PALETTE, rich, richBlock, sheetTable} from './cells.ts'
import type {PageView, PartContent, ViewRequest} from './page-view.ts'
import type {EnvironmentViews, SeenRun} from './views.ts'

/** How often a run that has not ended is read again. */
const REFRESH_SECONDS = 3

/** One run, while it runs and afterwards. */
export const RUN_PAGE: PageView = {
  path: '/runs/:id',
  item: '/history',
  address: ({params}) => runAddress(params['id']!),
  title: ({params}) => `Run ${params['id']}`,
  params: {type: 'object', required: ['id'], properties: {id: {type: 'string', pattern: '^[\\w.-]{1,100}$'}}},
  parts: [
    {
      id: 'run',
      heading: 'Releases of the run',
      busy: 'Reading the record of the run from the cluster …',
      content: run,
      retry: 10,
    },
  ],
}

async function run(views: EnvironmentViews, {params}: ViewRequest): Promise<PartContent> {
  const {record, events} = await views.run(params['id']!)
  const {releases} = record
  const labels = releaseLabels(releases.map(({release}) => release))
  const isOver = record.endedAt !== undefined || record.state === 'killed'
  return {
    body: markup`${facts(record)}
${
  releases.length === 0
    ? markup`<p>The run had no release to change.</p>`
    : sheetTable(sheet(releases, runReleaseColumns(labels, PAGE_PALETTE)), {
        labelledBy: 'run-heading',
        address: (row) => releaseAddress(releases[row]!.release),
      })
}
${events === undefined ? markup`` : log(events)}
${isOver ? markup`` : markup`<p class="quiet">Read again every ${REFRESH_SECONDS} seconds until the run has ended. What a release waits for is in the <a href="/">overview</a>.</p>`}`,
    refresh: isOver ? undefined : REFRESH_SECONDS,
  }
}

function facts({environment, verb, who, startedAt, endedAt, state, message, of}: SeenRun['record']): Markup {
  const pairs: readonly (readonly [string, string])[] = [
    ['environment', environment],
    ['verb', verb],
    ['by', who],
    ['began', timeText(startedAt)],
    ['ended', endedAt === undefined ? 'not known to have ended' : timeText(endedAt)],
    ...(message === undefined ? [] : [['why', message] as const]),
    ...(of === undefined ? [] : [['continues or undoes', of] as const]),
  ]
  return markup`<p id="outcome" role="status">Outcome: ${rich(stateText(state, PAGE_PALETTE))}</p>
<dl>${pairs.map(([name, value]) => markup`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`
}

/** Returns what `kk run follow` prints. */
function log(events: readonly RunEvent[]): Markup {
  let state = NO_RUN
  const lines = events.flatMap((event) => {
    state = nextState(state, event)
    const labels = releaseLabels(state.releases.keys())
    const name = 'release' in event ? `${labels(event.release)}  ` : ''
    const time = PAGE_PALETTE.quiet(clockText((event.at - state.startedAt) / 1000))
    return eventLines(event, state, {colours: PAGE_PALETTE, labels}).map((line) => `${time} ${name}${line}`)
  })
  return markup`<h3 id="log-heading">Log</h3>
<pre id="log" role="region" aria-labelledby="log-heading" tabindex="0">${richBlock(lines)}</pre>`
}
