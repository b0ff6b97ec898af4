import type {ExplainedKey} from '../../overrides/explain.ts'
import {editableYaml} from '../../overrides/overrides-yaml.ts'
import type {ShownOverrides} from '../../overrides/service.ts'
import type {ChartPlace} from '../../overrides/user/store.ts'
import {type Markup, markup} from '../../report/files/markup.ts'
import {chartAddress} from './addresses.ts'
import {page} from './document.ts'
import {layersTable} from './layers-table.ts'

/** The outcome of the last form. */
export type Outcome =
  | {readonly kind: 'none'}
  | {readonly kind: 'done'; readonly message: string}
  | {readonly kind: 'refused'; readonly message: string; readonly hint: string | undefined}
  | {readonly kind: 'preview'; readonly preview: Preview; readonly isReset: boolean}

/** The permissions of the caller: by a token, or `open` if the service needs none. */
export type PageAccess = 'open' | 'read' | 'write'

/** Why a caller cannot change overrides on a page. */
export const READ_ONLY = {
  open: 'Without tokens these pages are read-only, because every user of this machine can reach them: start kk serve with --token-file or KK_TOKEN, or use kk overrides update.',
  read: 'Your token is read-only: to change them, use a token with the scope write.',
} as const satisfies Record<Exclude<PageAccess, 'write'>, string>

interface ChartView {
  readonly shown: ShownOverrides
  readonly keys: readonly ExplainedKey[]
  /** Whether the user overrides are shown as stored, with nothing masked. */
  readonly hasNoMask: boolean
  readonly showSecrets: boolean
  readonly access: PageAccess
  /** The submitted content; undefined for the stored content. */
  readonly draft: Draft | undefined
  readonly outcome: Outcome
}

/**
 * Returns the page of a chart in a namespace: its layers, the overrides as YAML, and a form for the
 * deployer's.
 */
export function chartPage(view: ChartView): string {
  const {shown, keys, outcome} = view
  const title = `${shown.name} in ${shown.namespace}`
  return page(
    outcome.kind === 'refused' ? `Rejected: ${title}` : title,
    markup`<h1>${title}</h1>
${outcomeSection(view)}
<section aria-labelledby="edit"><h2 id="edit">The deployer's overrides</h2>
${editing(view)}
</section>
<section aria-labelledby="layers"><h2 id="layers">Which layer wins</h2>
${layersTable(keys, 'layers')}
</section>
<section aria-labelledby="texts"><h2 id="texts">Overrides as YAML</h2>
<div class="layers">
<div><h3>System</h3>${yamlBlock(shown.systemOverrides)}</div>
<div><h3>User</h3>${yamlBlock(shown.userOverrides)}</div>
<div><h3>Combined</h3>${yamlBlock(shown.combinedOverrides)}</div>
</div>
</section>`,
    {item: '/overrides'},
  )
}

function outcomeSection({outcome, shown}: ChartView): Markup {
  if (outcome.kind === 'none') return markup``
  if (outcome.kind === 'preview') return previewSection(outcome.preview, shown)
  if (outcome.kind === 'done')
    return markup`<p role="status" class="done" tabindex="-1" autofocus>${outcome.message}</p>`
  const {message, hint} = outcome
  return markup`<div role="alert" id="problem" class="problem" tabindex="-1" autofocus><p><strong>Nothing was changed:</strong> ${message}</p>${hint === undefined ? markup`` : markup`<p>${hint}</p>`}</div>`
}

function editing(view: ChartView): Markup {
  const {shown, hasNoMask, showSecrets, access, draft, outcome} = view
  if (access !== 'write') return markup`<p>${READ_ONLY[access]}</p>`
  const stored = {text: editableYaml(shown.userOverrides), etag: shown.etag ?? ''}
  const options: EditorOptions = {
    place: shown,
    draft: draft ?? stored,
    showSecrets,
    isRefused: outcome.kind === 'refused',
  }
  if (outcome.kind === 'preview' && outcome.isReset) return resetForm(options)
  return hasNoMask || draft !== undefined ? editor(options) : editorBehindSecrets(shown)
}

/** The effect of a change. */
interface Preview {
  readonly before: string
  readonly after: string
  /** Whether the two texts differ, even if the difference is masked. */
  readonly changes: boolean
  /** Releases of the chart in the namespace; undefined without an environment. */
  readonly releases: readonly string[] | undefined
}

/**
 * Returns the deployer's overrides before and after a change, and the releases that the next deploy would
 * upgrade.
 */
function previewSection(preview: Preview, place: ChartPlace): Markup {
  const {before, after} = preview
  return markup`<section aria-labelledby="preview">
<h2 id="preview" tabindex="-1" autofocus>Preview: nothing is changed yet</h2>
<div class="layers">
<div><h3>User overrides now</h3>${yamlBlock(before)}</div>
<div><h3>Afterwards</h3>${yamlBlock(after)}</div>
</div>
<h3>What would be redeployed</h3>
${redeployed(preview, place)}
</section>`
}

/** Returns a YAML text verbatim. */
function yamlBlock(text: string): Markup {
  return text === '' ? markup`<p class="quiet">none</p>` : markup`<pre>${text}</pre>`
}

function redeployed({changes, releases}: Preview, {name, namespace}: ChartPlace): Markup {
  if (!changes) return markup`<p>Nothing: the overrides would stay as they are.</p>`
  if (releases === undefined)
    return markup`<p>With the next <code>kk deploy</code>: every release of the chart ${name} in ${namespace}.</p>`
  if (releases.length === 0)
    return markup`<p>Nothing: the environment has no release of the chart ${name} in ${namespace}.</p>`
  return markup`<p>With the next <code>kk deploy</code>:</p>
<ul>${releases.map((release) => markup`<li><code>${release}</code> in ${namespace}</li>`)}</ul>`
}

/** The content of the form: the overrides as stored, or as submitted. */
export interface Draft {
  readonly text: string
  /** The etag of the stored overrides from which it was derived; '' for none. */
  readonly etag: string
}

interface EditorOptions {
  readonly place: ChartPlace
  readonly draft: Draft
  readonly showSecrets: boolean
  /** Whether an alert above reports a problem of the draft. */
  readonly isRefused: boolean
}

/** Returns the form for all of the deployer's overrides. */
function editor({place, draft, showSecrets, isRefused}: EditorOptions): Markup {
  const invalid = isRefused ? markup` aria-invalid="true" aria-errormessage="problem"` : markup``
  // Parsers drop only the first line feed after the tag.
  return markup`<form method="post" action="${formAddress(place, showSecrets)}">
<p><label for="overrides">User overrides, as YAML</label></p>
<p id="help" class="quiet">All of them: overrides that are not here are removed. Maps are merged over the layers below; everything else replaces.</p>
<textarea id="overrides" name="overrides" spellcheck="false" autocomplete="off" aria-describedby="help"${invalid}>
${draft.text}</textarea>
<input type="hidden" name="etag" value="${draft.etag}">
<p><button name="action" value="preview">Preview</button> <button name="action" value="save">Save</button> <button name="action" value="ask-reset">Reset to none…</button></p>
</form>`
}

/** Returns the form that asks for confirmation before all of the deployer's overrides are removed. */
function resetForm({place, draft, showSecrets}: EditorOptions): Markup {
  return markup`<form method="post" action="${formAddress(place, showSecrets)}">
<input type="hidden" name="etag" value="${draft.etag}">
<p><button name="action" value="reset">Reset to none</button> <a href="${chartAddress(place)}">Keep them</a></p>
</form>`
}

/** Returns the replacement of the form if secrets are masked: a masked text must not be stored. */
function editorBehindSecrets(place: ChartPlace): Markup {
  return markup`<p>They hold secrets, which are masked here. <a href="${chartAddress(place, {show_secrets: 'true'})}">Show secrets and edit</a></p>
<form method="post" action="${formAddress(place, false)}"><p><button name="action" value="ask-reset">Reset to none…</button></p></form>`
}

function formAddress(place: ChartPlace, showSecrets: boolean): string {
  return chartAddress(place, showSecrets ? {show_secrets: 'true'} : {})
}
