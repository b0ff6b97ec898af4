import type {ReleaseId} from '../../release.ts'
import {type Markup, markup} from '../../report/files/markup.ts'
import {drawnGraph, GRAPH_LEGEND, tooLarge} from '../../report/graph/graph-html.ts'
import type {Viz} from '../../report/graph/graph-svg.ts'
import type {GraphView} from '../../report/graph/graph-view.ts'
import {statusParts, statusWord} from '../../report/status/status-text.ts'
import {sheet} from '../../report/table.ts'
import {releaseLabels} from '../../report/text/label.ts'
import {loadBundle} from '../../state/assets.ts'
import {isPassing} from '../../verbs/observation/release-status.ts'
import {releaseAddress} from './addresses.ts'
import {PAGE_PALETTE, paragraphs, rich, roleOf, sheetTable} from './cells.ts'
import type {PageView, PartContent} from './page-view.ts'
import {problem} from './problem.ts'
import type {EnvironmentViews, SeenStatus} from './views.ts'

/** How often the state of the cluster is read again while a page is open. */
const REFRESH_SECONDS = 10

/** The environment as a graph, with the health of each release as `kk status` reports it. */
export const OVERVIEW_PAGE: PageView = {
  path: '/',
  item: '/',
  address: () => '/',
  title: () => 'Overview',
  parts: [
    {
      id: 'status',
      heading: 'Releases and their health',
      busy: 'Reading the environment and its releases on the cluster …',
      content: overview,
      retry: REFRESH_SECONDS,
    },
  ],
}

/** Without a cluster the graph is shown all the same, with nothing known of the releases. */
async function overview(views: EnvironmentViews): Promise<PartContent> {
  const graph = views.graph()
  const [drawn, seen] = await Promise.allSettled([graph, views.status()])
  if (drawn.status === 'rejected') throw drawn.reason
  const status = seen.status === 'fulfilled' ? seen.value : undefined
  const body = markup`${seen.status === 'rejected' ? problem(seen.reason).shown : markup``}${status ? summary(views, status) : markup``}
${await graphSection(drawn.value, status)}
${status ? releasesSection(status) : markup``}`
  return {body, refresh: REFRESH_SECONDS}
}

function summary({file}: EnvironmentViews, {report, context, at}: SeenStatus): Markup {
  const {environment, releases, notes} = report
  const passing = releases.filter(isPassing).length
  return markup`<p id="summary" role="status">${environment} on ${context}: <strong>${passing} of ${releases.length}</strong> releases are deployed and healthy.</p>
<p class="quiet">From ${file}, read at <time datetime="${at.toISOString()}">${at.toISOString().slice(11, 19)} UTC</time>; read again every ${REFRESH_SECONDS} seconds.</p>
${paragraphs(notes.map((note) => `note: ${note}`))}`
}

async function graphSection({graph}: GraphView, status: SeenStatus | undefined): Promise<Markup> {
  const rows = new Map(status?.report.releases.map((row) => [row.release, row]))
  const node = (release: ReleaseId) => {
    const {role, text} = roleOf((palette) => statusWord(rows.get(release), palette))
    return {text, state: role, address: releaseAddress(release)}
  }
  const labels = releaseLabels(graph.releases)
  const loadViz = async (): Promise<Viz> => (await loadBundle('viz', () => import('@viz-js/viz'))).instance()
  const drawing = await drawnGraph({graph, labels, node}, loadViz)
  if (!drawing) return tooLarge(graph.releases.length)
  return markup`<h3 id="graph-heading">Graph of requirements</h3>
<div id="graph" class="scroll graph" role="region" aria-labelledby="graph-heading" tabindex="0">
${drawing}</div>
<p class="quiet">${GRAPH_LEGEND} The table below has the same in words.</p>`
}

function releasesSection({report: {releases, lastTest}, at}: SeenStatus): Markup {
  if (releases.length === 0) return markup`<p>No releases.</p>`
  const {columns, below} = statusParts(releases, PAGE_PALETTE, {lastTest, now: at.getTime()})
  return markup`<h3 id="releases-heading">Releases</h3>
${sheetTable(sheet(releases, columns), {
  labelledBy: 'releases-heading',
  address: (row) => releaseAddress(releases[row]!.release),
})}
${
  below.length === 0
    ? markup``
    : markup`<h3 id="reasons-heading">Reasons and advice</h3>
<ul aria-labelledby="reasons-heading">${below.map(
        (line) => markup`<li>${rich(line)}</li>
`,
      )}</ul>`
}`
}
