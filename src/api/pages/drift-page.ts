import {driftHints, driftLines} from '../../report/drift/drift-text.ts'
import {markup} from '../../report/files/markup.ts'
import {hasDrift} from '../../verbs/observation/drift.ts'
import {PAGE_PALETTE, paragraphs, rich, richBlock} from './cells.ts'
import type {PageView, PartContent} from './page-view.ts'
import type {EnvironmentViews} from './views.ts'

/** Where the cluster differs from the manifests of its releases, as `kk drift` shows it. */
export const DRIFT_PAGE: PageView = {
  path: '/drift',
  item: '/drift',
  address: () => '/drift',
  title: () => 'Drift',
  parts: [
    {
      id: 'drift',
      heading: 'Where the cluster differs from the manifests',
      busy: 'Comparing each object with the cluster by a dry run; nothing is changed …',
      content: drift,
      again: 'Compare again',
    },
  ],
}

async function drift(views: EnvironmentViews): Promise<PartContent> {
  const {drifts, notes} = await views.drift()
  if (drifts.length === 0) return {body: markup`<p role="status">No releases.</p>`}
  const differing = drifts.filter((each) => each.problem === undefined && hasDrift(each)).length
  const unknown = drifts.filter(({problem}) => problem !== undefined).length
  const blocks = drifts.map((each) => driftLines(each, PAGE_PALETTE))
  return {
    body: markup`<p role="status">${differing} of ${drifts.length} releases differ${unknown === 0 ? '' : `; of ${unknown} it is not known`}.</p>
${paragraphs([...notes.map((note) => `note: ${note}`), ...driftHints(drifts, PAGE_PALETTE)])}
${blocks.map(([title = '', ...lines], at) =>
  lines.length === 0
    ? markup`<p>${rich(title)}</p>
`
    : markup`<h3 id="drift-${at}">${rich(title)}</h3>
<pre role="region" aria-labelledby="drift-${at}" tabindex="0">${richBlock(lines)}</pre>
`,
)}`,
  }
}
