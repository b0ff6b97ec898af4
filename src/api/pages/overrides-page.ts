import type {OverriddenChart} from '../../overrides/service.ts'
import {type Markup, markup} from '../../report/files/markup.ts'
import {chartAddress} from './addresses.ts'
import {page} from './document.ts'

/** Returns the page of the charts that have overrides, with a link per namespace. */
export function overridesPage(charts: readonly OverriddenChart[]): string {
  return page(
    'Overrides of charts',
    markup`<h1>Overrides of charts</h1>
${overriddenCharts(charts)}`,
    {item: '/overrides'},
  )
}

/** Returns the page of a service without an environment: which flag it lacks, and the charts. */
export function overviewWithoutEnvironment(charts: readonly OverriddenChart[]): string {
  return page(
    'Overview',
    markup`<h1>Overview</h1>
${noEnvironment()}
<h2>Overrides of charts</h2>
${overriddenCharts(charts)}`,
    {item: '/'},
  )
}

/** Returns what a page shows that needs an environment. */
export function noEnvironment(): Markup {
  return markup`<div role="note" class="problem"><p>kk serve was started without an environment, so nothing is known of its releases.</p>
<p><strong>What to do next</strong>: start it with the environment file: <code>kk serve -e FILE</code>, or set <code>KK_ENVIRONMENT</code>. The cluster is selected as for <code>kk status</code>: <code>--context</code>, <code>--kubeconfig</code> or <code>--sandbox</code>.</p></div>`
}

function overriddenCharts(charts: readonly OverriddenChart[]): Markup {
  if (charts.length === 0)
    return markup`<p>No chart is active: list charts under <code>charts:</code> in the facts, or serve an environment.</p>`
  return markup`<p>The system overrides that kk generates for a chart, the user overrides of the deployer, and both combined.</p>
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
