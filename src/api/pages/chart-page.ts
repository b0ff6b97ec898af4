import type {ExplainedKey} from '../../overrides/explain/explain.ts'
import type {ShownOverrides} from '../../overrides/service.ts'
import {type Markup, markup} from '../../report/files/markup.ts'
import {type Draft, type EditorOptions, editor, editorBehindSecrets, resetForm} from './editor.ts'
import {layersTable} from './layers-table.ts'
import {page} from './page.ts'
import {type Preview, previewSection, yamlBlock} from './preview.ts'

/** What became of the last form. */
export type Outcome =
  | {readonly kind: 'none'}
  | {readonly kind: 'done'; readonly message: string}
  | {readonly kind: 'refused'; readonly message: string; readonly hint: string | undefined}
  | {readonly kind: 'preview'; readonly preview: Preview; readonly isReset: boolean}

export interface ChartView {
  readonly shown: ShownOverrides
  readonly keys: readonly ExplainedKey[]
  /** Whether the user overrides are shown as they are stored, with nothing masked. */
  readonly isWhole: boolean
  readonly showSecrets: boolean
  readonly mayWrite: boolean
  /** What was typed; undefined for what is stored. */
  readonly draft: Draft | undefined
  readonly outcome: Outcome
}

/** The overrides of a chart in a namespace: its layers side by side, the three texts, and a form for the deployer's. */
export function chartPage(view: ChartView): string {
  const {shown, keys, outcome} = view
  const title = `${shown.name} in ${shown.namespace}`
  return page(
    outcome.kind === 'refused' ? `Refused: ${title}` : title,
    markup`<h1>${title}</h1>
${outcomeSection(view)}
<section aria-labelledby="edit"><h2 id="edit">The deployer's overrides</h2>
${editing(view)}
</section>
<section aria-labelledby="layers"><h2 id="layers">Which layer wins</h2>
${layersTable(keys)}
</section>
<section aria-labelledby="texts"><h2 id="texts">Overrides as YAML</h2>
<div class="layers">
<div><h3>System</h3>${yamlBlock(shown.systemOverrides)}</div>
<div><h3>User</h3>${yamlBlock(shown.userOverrides)}</div>
<div><h3>Combined</h3>${yamlBlock(shown.combinedOverrides)}</div>
</div>
</section>`,
  )
}

function outcomeSection({outcome, shown}: ChartView): Markup {
  if (outcome.kind === 'none') return markup``
  if (outcome.kind === 'preview') return previewSection(outcome.preview, shown)
  if (outcome.kind === 'done') return markup`<p role="status" tabindex="-1" autofocus>${outcome.message}</p>`
  const {message, hint} = outcome
  return markup`<div role="alert" id="problem" tabindex="-1" autofocus><p><strong>Nothing was changed:</strong> ${message}</p>${hint === undefined ? markup`` : markup`<p>${hint}</p>`}</div>`
}

function editing({shown, isWhole, showSecrets, mayWrite, draft, outcome}: ChartView): Markup {
  if (!mayWrite) return markup`<p>Your token may only read: ask for one that may write to change them.</p>`
  const stored = {text: shown.userOverrides, etag: shown.etag ?? ''}
  const options: EditorOptions = {
    place: shown,
    draft: draft ?? stored,
    showSecrets,
    isRefused: outcome.kind === 'refused',
  }
  if (outcome.kind === 'preview' && outcome.isReset) return resetForm(options)
  return isWhole || draft !== undefined ? editor(options) : editorBehindSecrets(shown)
}
