import type {OverriddenChart} from '../../overrides/service.ts'
import {type Markup, markup} from '../../report/files/markup.ts'
import {page} from './page.ts'
import {chartAddress} from './place.ts'

/** The charts that have overrides, with a link for each of their namespaces. */
export function chartsPage(charts: readonly OverriddenChart[]): string {
  return page(
    'Overrides of charts',
    markup`<h1>Overrides of charts</h1>
${charts.length > 0 ? chartTable(charts) : markup`<p>No chart is active: name some under <code>charts:</code> in the facts, or serve an environment.</p>`}`,
  )
}

function chartTable(charts: readonly OverriddenChart[]): Markup {
  return markup`<p>What kk generates for a chart, what the deployer lays over it, and what comes of both.</p>
<table><thead><tr><th scope="col">Chart</th><th scope="col">Namespaces</th></tr></thead>
<tbody>${charts.map(
    ({name, namespaces}) =>
      markup`<tr><th scope="row">${name}</th><td>${namespaces.map(
        (namespace) =>
          markup`<a href="${chartAddress({name, namespace})}" aria-label="${name} in ${namespace}">${namespace}</a> `,
      )}</td></tr>
`,
  )}</tbody></table>`
}
