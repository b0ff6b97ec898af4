import {type Markup, markup} from '../../report/files/markup.ts'
import {chartAddress, type Place} from './place.ts'

/** What stands in the form: the overrides as they are stored, or as somebody typed them. */
export interface Draft {
  readonly text: string
  /** Of the stored overrides that it was made from; '' for none. */
  readonly etag: string
}

export interface EditorOptions {
  readonly place: Place
  readonly draft: Draft
  readonly showSecrets: boolean
  /** Whether an alert above says what is wrong with the draft. */
  readonly isRefused: boolean
}

/** The form for the deployer's overrides, all of them at once. */
export function editor({place, draft, showSecrets, isRefused}: EditorOptions): Markup {
  const invalid = isRefused ? markup` aria-invalid="true" aria-errormessage="problem"` : markup``
  // A parser drops the line feed after the tag, and no other.
  return markup`<form method="post" action="${formAddress(place, showSecrets)}">
<p><label for="overrides">User overrides, as YAML</label></p>
<p id="help" class="quiet">All of them: what is not here is taken away. Maps are laid over the layers below; everything else replaces.</p>
<textarea id="overrides" name="overrides" spellcheck="false" autocomplete="off" aria-describedby="help"${invalid}>
${draft.text}</textarea>
<input type="hidden" name="etag" value="${draft.etag}">
<p><button name="action" value="preview">Preview</button> <button name="action" value="save">Save</button> <button name="action" value="ask-reset">Reset to none…</button></p>
</form>`
}

/** Asks before all of the deployer's overrides are taken away. */
export function resetForm({place, draft, showSecrets}: EditorOptions): Markup {
  return markup`<form method="post" action="${formAddress(place, showSecrets)}">
<input type="hidden" name="etag" value="${draft.etag}">
<p><button name="action" value="reset">Reset to none</button> <a href="${chartAddress(place)}">Keep them</a></p>
</form>`
}

/** Masked texts cannot be edited: they would be stored as they are shown. */
export function editorBehindSecrets(place: Place): Markup {
  return markup`<p>They hold secrets, which are masked here. <a href="${chartAddress(place, {show_secrets: 'true'})}">Show secrets and edit</a></p>
<form method="post" action="${formAddress(place, false)}"><p><button name="action" value="ask-reset">Reset to none…</button></p></form>`
}

function formAddress(place: Place, showSecrets: boolean): string {
  return chartAddress(place, showSecrets ? {show_secrets: 'true'} : {})
}
