import type {ActionForecast, Expected, Noticed} from '../../plan/forecast/action-forecast.ts'
import {type Concurrency, totalSeconds} from '../../plan/forecast/forecast.ts'
import type {Plan} from '../../plan/plan.ts'
import type {ReleaseProgress} from '../../run/run-state.ts'
import type {Palette} from '../colour.ts'
import {type Columns, table} from '../table.ts'
import {durationText} from '../text/duration.ts'
import {releaseLabels} from '../text/label.ts'
import {plainLine} from '../text/plain.ts'
import type {Part} from '../text/view.ts'

const WORDS = {none: '-', unknown: 'not known', brief: 'brief', outage: 'outage'} as const

/**
 * Returns how long the actions of a plan take, and who notices them; unless it is requested, nothing for
 * first installs alone, of which no earlier run is known and which have no users yet.
 */
export function forecastText(
  plan: Pick<Plan, 'actions' | 'forecast'>,
  palette: Palette,
  {isRequested = false, ...concurrency}: Concurrency & {readonly isRequested?: boolean},
): readonly Part[] {
  const {forecast = []} = plan
  const isFirst = plan.actions.every(({kind}) => kind !== 'upgrade')
  if (forecast.length === 0) return []
  if (!isRequested && isFirst && forecast.every(({runs}) => runs === 0)) return []
  const labels = releaseLabels(forecast.map(({release}) => release))
  const migrates = forecast.some(({migrations}) => migrations.length > 0)
  const columns: Columns<ActionForecast> = {
    'WHAT IT TAKES': ({release}) => labels(release),
    TIME: {cell: expectedText, whole: true},
    USERS: {cell: ({users}) => noticedWord(users, palette), whole: true},
    INSTANCES: {cell: ({instances}) => noticedWord(instances, palette), whole: true},
    ...(migrates && {
      'NO WAY BACK': ({migrations}: ActionForecast) =>
        migrations.length > 0 ? 'from its first migration' : '-',
    }),
  }
  const total = totalSeconds(plan, concurrency)
  const isEstimate = forecast.some(({runs}) => runs === 0)
  const isLeast = forecast.some(({perNode}) => perNode)
  return [
    table(forecast, columns, {headColour: palette.quiet}),
    ...forecast.flatMap(({release, users, instances}) => [
      ...whyLines(labels(release), 'users', users),
      ...whyLines(labels(release), 'instances', instances),
    ]),
    `${isLeast ? 'at least ' : isEstimate ? 'about ' : ''}${durationText(total)} in all`,
    ...(isEstimate ? ['"about" is an estimate, because no earlier run that did the same is known'] : []),
    ...(isLeast ? ['"at least" is the estimate of one node: pods are replaced on one after the other'] : []),
  ]
}

/** Returns an expected duration as text: `40 s`, or as an estimate `about 40 s`, `at least 40 s`. */
export function expectedText({seconds, runs, perNode}: Expected): string {
  const text = durationText(seconds)
  if (runs > 0) return text
  return perNode ? `at least ${text}` : `about ${text}`
}

/** Whether an expected duration is shown after a run: estimates of first installations are not. */
export function isForetold({kind, expected}: Pick<ReleaseProgress, 'kind' | 'expected'>): boolean {
  return expected !== undefined && (expected.runs > 0 || kind === 'upgrade')
}

function noticedWord({impact}: Noticed, {change, bad}: Palette): string {
  const word = WORDS[impact]
  if (impact === 'outage') return bad(word)
  return impact === 'none' ? word : change(word)
}

function whyLines(release: string, who: string, {impact, why}: Noticed): readonly string[] {
  if (impact === 'none') return []
  return why.map((each) => plainLine(`${release}, ${who}: ${WORDS[impact]}: ${each}`))
}
