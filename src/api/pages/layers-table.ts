import type {ExplainedKey, ExplainedLayer, Statement} from '../../overrides/explain.ts'
import {LAYERS} from '../../overrides/layer.ts'
import {type Markup, markup} from '../../report/files/markup.ts'
import {keyText} from '../../report/values/explained-text.ts'

const TITLES: Readonly<Record<ExplainedLayer['name'], string>> = {
  defaults: 'Defaults of the chart',
  features: 'Features',
  system: 'System',
  global: 'Global of the environment',
  section: 'Section of the environment',
  user: 'User',
  values: '--values',
  set: '--set',
}

/**
 * Returns a table with a row per key and a column per layer that sets any value, strongest last; it marks the
 * winner. `labelledBy` is the id of its heading.
 */
export function layersTable(keys: readonly ExplainedKey[], labelledBy: string): Markup {
  if (keys.length === 0) return markup`<p>No layer overrides the defaults of the chart.</p>`
  const layers = (['defaults', ...LAYERS] as const).filter((layer) =>
    keys.some((key) => layerStatements(key, layer).length > 0),
  )
  return markup`<div class="scroll" role="group" aria-labelledby="${labelledBy}" tabindex="0"><table>
<thead><tr><th scope="col">Key</th>${layers.map((layer) => markup`<th scope="col">${TITLES[layer]}</th>`)}</tr></thead>
<tbody>${keys.map(
    (
      key,
    ) => markup`<tr><th scope="row"><code>${keyText(key.path)}</code></th>${layers.map((layer) => cell(key, layer))}</tr>
`,
  )}</tbody></table></div>`
}

function layerStatements({winner, lost}: ExplainedKey, layer: Statement['layer']): readonly Statement[] {
  return [...(winner ? [winner] : []), ...lost].filter((statement) => statement.layer === layer)
}

function cell(key: ExplainedKey, layer: Statement['layer']): Markup {
  const statements = layerStatements(key, layer)
  if (statements.length === 0) return markup`<td></td>`
  const wins = key.winner !== undefined && statements.includes(key.winner)
  return markup`<td${wins ? markup` class="won"` : markup``}>${statements.map((each) => statement(each, each === key.winner))}</td>`
}

function statement({value, position, source}: Statement, wins: boolean): Markup {
  const place = position ? `${position.file}:${position.line}:${position.column}` : source
  const text = value === null && wins ? '(removed)' : JSON.stringify(value)
  return markup`<div><code>${text}</code>${wins ? markup` <strong>✓ wins</strong>` : markup``}<br><small class="quiet">${place}</small></div>`
}
