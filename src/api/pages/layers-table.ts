import type {ExplainedKey, ExplainedLayer, Statement} from '../../overrides/explain/explain.ts'
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

/** A row for each key and a column for each layer that says anything, the strongest last; who wins is said in words. */
export function layersTable(keys: readonly ExplainedKey[]): Markup {
  if (keys.length === 0) return markup`<p>No layer says anything above the defaults of the chart.</p>`
  const layers = LAYERS.filter((layer) => keys.some((key) => statementsOf(key, layer).length > 0))
  return markup`<div class="scroll" role="region" aria-labelledby="layers" tabindex="0"><table>
<thead><tr><th scope="col">Key</th>${layers.map((layer) => markup`<th scope="col">${TITLES[layer]}</th>`)}</tr></thead>
<tbody>${keys.map(
    (
      key,
    ) => markup`<tr><th scope="row"><code>${keyText(key.path)}</code></th>${layers.map((layer) => cell(key, layer))}</tr>
`,
  )}</tbody></table></div>`
}

function statementsOf({winner, lost}: ExplainedKey, layer: Statement['layer']): readonly Statement[] {
  return [...(winner ? [winner] : []), ...lost].filter((statement) => statement.layer === layer)
}

function cell(key: ExplainedKey, layer: Statement['layer']): Markup {
  const said = statementsOf(key, layer)
  if (said.length === 0) return markup`<td></td>`
  const wins = key.winner !== undefined && said.includes(key.winner)
  return markup`<td${wins ? markup` class="won"` : markup``}>${said.map((each) => statement(each, each === key.winner))}</td>`
}

function statement({value, position, source}: Statement, wins: boolean): Markup {
  const place = position ? `${position.file}:${position.line}:${position.column}` : source
  const text = value === null && wins ? '(removed)' : JSON.stringify(value)
  return markup`<div><code>${text}</code>${wins ? markup` <strong>✓ wins</strong>` : markup``}<br><small class="quiet">${place}</small></div>`
}
