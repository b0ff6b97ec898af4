import {type Markup, markup} from '../../report/files/markup.ts'
import {knownAfterApplyText, planFacts, planParts} from '../../report/plan/plan-text.ts'
import {sheet} from '../../report/table.ts'
import {hookDataLines} from '../../verbs/change/hook-data.ts'
import {PAGE_PALETTE, paragraphs, rich, sheetTable} from './cells.ts'
import type {PageView, PartContent} from './page-view.ts'
import {problem} from './problem.ts'
import type {EnvironmentViews, SeenPlan} from './views.ts'

/** What `kk deploy` would do, and why, as `kk plan` shows it. */
export const PLAN_PAGE: PageView = {
  path: '/plan',
  item: '/plan',
  address: () => '/plan',
  title: () => 'Plan',
  parts: [
    {
      id: 'plan',
      heading: 'What kk deploy would do',
      busy: 'Rendering the charts and comparing them with the cluster; nothing is changed …',
      content: plan,
      again: 'Plan again',
    },
  ],
}

async function plan(views: EnvironmentViews): Promise<PartContent> {
  const {plan, checks} = await views.plan()
  const {rows, columns, unchanged, lines} = planParts(plan, PAGE_PALETTE)
  return {
    body: markup`<dl>${planFacts(plan, PAGE_PALETTE).map(([name, value]) => markup`<dt>${rich(name)}</dt><dd>${value}</dd>`)}</dl>
${
  rows.length === 0
    ? markup``
    : sheetTable(sheet(rows, columns), {labelledBy: 'plan-heading', named: NAME_COLUMN})
}
${paragraphs([...(unchanged === undefined ? [] : [unchanged]), ...lines])}
${checked(checks)}
<p>To carry it out: <code>kk deploy ${plan.file}</code></p>`,
  }
}

/** The column of the release. */
const NAME_COLUMN = 1

function checked(checks: SeenPlan['checks']): Markup {
  if ('problem' in checks)
    return markup`<h3>A deploy would be refused</h3>
${problem(checks.problem).shown}`
  const {notes = [], later = [], data = []} = checks
  return paragraphs([
    ...notes.map((note) => `note: ${note}`),
    ...(later.length > 0 ? [knownAfterApplyText(later)] : []),
    ...hookDataLines(data),
  ])
}
