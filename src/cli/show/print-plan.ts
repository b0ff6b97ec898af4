import type {Plan} from '../../plan/plan.ts'
import {type ColourLevel, palette} from '../../report/colour.ts'
import {documentText} from '../../report/document.ts'
import type {Idle} from '../../report/files/nothing-done.ts'
import {planDocument} from '../../report/plan/plan-json.ts'
import {planText} from '../../report/plan/plan-text.ts'
import {tell} from './tell.ts'

type Output = 'text' | 'json' | 'yaml' | 'ndjson'

/** The plan of a dry run, on standard output. */
export function printPlan(planned: Plan, output: Output, level: ColourLevel): void {
  if (output === 'text') tell('stdout', planText(planned, palette(level)))
  if (output === 'ndjson') process.stdout.write(`${JSON.stringify(planDocument(planned))}\n`)
  if (output === 'json' || output === 'yaml')
    process.stdout.write(documentText(planDocument(planned), output))
}

/** A run that had nothing to do has the same form as one that had. */
export function printNothingDone({environment, cluster, actions}: Idle, output: Output): void {
  if (output !== 'json' && output !== 'yaml') return
  const releases = actions.map(({release, kind}) => ({release, kind, state: 'unchanged'}))
  process.stdout.write(documentText({run: null, environment, context: cluster.context, releases}, output))
}
