import {type Markup, markup} from '../../report/files/markup.ts'
import type {Place} from './place.ts'

/** What a change would do. */
export interface Preview {
  readonly before: string
  readonly after: string
  /** Whether they differ, also where that is masked. */
  readonly changes: boolean
  /** Releases of the chart in the namespace; undefined where no environment tells which there are. */
  readonly releases: readonly string[] | undefined
}

/** The deployer's overrides before and after, and what the next deploy would do. */
export function previewSection(preview: Preview, place: Place): Markup {
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

/** A YAML text as it stands. */
export function yamlBlock(text: string): Markup {
  return text === '' ? markup`<p class="quiet">none</p>` : markup`<pre>${text}</pre>`
}

function redeployed({changes, releases}: Preview, {name, namespace}: Place): Markup {
  if (!changes) return markup`<p>Nothing: the overrides would stay as they are.</p>`
  if (releases === undefined)
    return markup`<p>With the next <code>kk deploy</code>: every release of the chart ${name} in ${namespace}.</p>`
  if (releases.length === 0)
    return markup`<p>Nothing: the environment has no release of the chart ${name} in ${namespace}.</p>`
  return markup`<p>With the next <code>kk deploy</code>:</p>
<ul>${releases.map((release) => markup`<li><code>${release}</code> in ${namespace}</li>`)}</ul>`
}
