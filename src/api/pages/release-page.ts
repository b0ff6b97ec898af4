import {type ReleaseId, releaseId} from '../../release.ts'
import {markup} from '../../report/files/markup.ts'
import {revisionColumns} from '../../report/history-text.ts'
import {statusParts} from '../../report/status/status-text.ts'
import {sheet} from '../../report/table.ts'
import {releaseAddress, runAddress} from './addresses.ts'
import {PAGE_PALETTE, paragraphs, rich, sheetTable} from './cells.ts'
import {layersTable} from './layers-table.ts'
import type {PageView, PartContent, ViewRequest} from './page-view.ts'
import {problem} from './problem.ts'
import type {EnvironmentViews} from './views.ts'

const REFRESH_SECONDS = 10

const NAME = {type: 'string', minLength: 1, maxLength: 253}
const FLAG = {type: 'string', enum: ['true', 'false']}

/** One release: its state, its revisions, and the source of each of its values. */
export const RELEASE_PAGE: PageView = {
  path: '/releases/:namespace/:name',
  item: '/',
  address: ({params, query}) => `${releaseAddress(requested(params))}${queryText(query)}`,
  title: ({params}) => `${params['name']} in ${params['namespace']}`,
  params: {type: 'object', required: ['namespace', 'name'], properties: {namespace: NAME, name: NAME}},
  query: {type: 'object', additionalProperties: false, properties: {all: FLAG, show_secrets: FLAG}},
  parts: [
    {
      id: 'state',
      heading: 'State',
      busy: 'Reading its state from the cluster …',
      content: state,
      retry: REFRESH_SECONDS,
    },
    {
      id: 'values',
      heading: 'Where each value comes from',
      busy: 'Merging the layers of its values …',
      content: values,
    },
    {
      id: 'revisions',
      heading: 'Revisions',
      busy: 'Reading its revisions from the cluster …',
      content: revisions,
    },
  ],
}

function requested({namespace, name}: ViewRequest['params']): ReleaseId {
  return releaseId(namespace!, name!)
}

function queryText(query: ViewRequest['query']): string {
  const text = new URLSearchParams(query).toString()
  return text === '' ? '' : `?${text}`
}

async function state(views: EnvironmentViews, {params}: ViewRequest): Promise<PartContent> {
  const {report, at} = await views.status()
  const release = requested(params)
  const rows = report.releases.filter((row) => row.release === release)
  const refresh = REFRESH_SECONDS
  if (rows.length === 0) return {body: markup`<p>The environment has no such release.</p>`, refresh}
  const {columns, below} = statusParts(rows, PAGE_PALETTE, {now: at.getTime()})
  return {
    body: markup`${sheetTable(sheet(rows, columns), {labelledBy: 'state-heading'})}
<ul>${below.map(
      (line) => markup`<li>${rich(line)}</li>
`,
    )}</ul>`,
    refresh,
  }
}

async function values(
  views: EnvironmentViews,
  {params, query, maySeeSecrets}: ViewRequest,
): Promise<PartContent> {
  const release = requested(params)
  const all = query['all'] === 'true'
  const showSecrets = query['show_secrets'] === 'true'
  const {keys, broken, notes} = await views.values(release, {all, showSecrets})
  const link = (change: Readonly<Record<string, string>>) =>
    `${releaseAddress(release)}${queryText({all: String(all), show_secrets: String(showSecrets), ...change})}`
  return {
    body: markup`<p>${all ? 'All keys' : 'Only the keys that a layer above the defaults of the chart sets'}. <a href="${link({all: String(!all)})}">${all ? 'Show only these' : 'Show all keys'}</a>.
${
  maySeeSecrets
    ? markup`<a href="${link({show_secrets: String(!showSecrets)})}">${showSecrets ? 'Mask secrets' : 'Show secrets'}</a>.`
    : 'Secrets are masked.'
}</p>
${paragraphs(notes)}${broken ? problem(broken).shown : markup``}
${layersTable(keys, 'values-heading')}`,
  }
}

async function revisions(views: EnvironmentViews, {params}: ViewRequest): Promise<PartContent> {
  const {revisions, owner} = await views.revisions(requested(params))
  return {
    body: markup`<p>${owner === undefined ? 'Not installed by kk.' : `Of the environment ${owner}.`}</p>
${sheetTable(sheet(revisions, revisionColumns(PAGE_PALETTE)), {
  labelledBy: 'revisions-heading',
  address: (row) => revisions[row]!.run && runAddress(revisions[row]!.run),
})}`,
  }
}
