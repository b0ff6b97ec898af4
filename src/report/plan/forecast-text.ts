import type {ActionForecast, Expected, Noticed} from '../../plan/forecast/action-forecast.ts'
import {totalSeconds} from '../../plan/forecast/forecast.ts'
import type {Plan} from '../../plan/plan.ts'
import type {Palette} from '../colour.ts'
import {type Columns, table} from '../table.ts'
import {durationText} from '../text/duration.ts'
import {releaseLabels} from '../text/label.ts'
import {plainLine} from '../text/plain.ts'
import type {Part} from '../text/view.ts'

const WORDS = {none: '-', unknown: 'not known', brief: 'brief', outage: 'outage'} as const

/**
 * Returns how long the actions of a plan take, and who notices them; nothing for first installs alone, of
 * which nothing is known from earlier runs and which nobody uses yet.
 */
export function forecastText(
  plan: Pick<Plan, 'actions' | 'forecast'>,
  palette: Palette,
  {isSequential}: {readonly isSequential: boolean},
): readonly Part[] {
  const {forecast = []} = plan
  const isFirst = plan.actions.every(({kind}) => kind !== 'upgrade')
  if (forecast.length === 0 || (isFirst && forecast.every(({runs}) => runs === 0))) return []
  const labels = releaseLabels(forecast.map(({release}) => release))
  const migrates = forecast.some(({migrations}) => migrations.length > 0)
  const columns: Columns<ActionForecast> = {
    'WHAT IT TAKES': ({release}) => labels(release),
    TIME: {cell: expectedText, whole: true},
    USERS: {cell: ({users}) => noticedWord(users, palette), whole: true},
    INSTANCES: {cell: ({instances}) => noticedWord(instances, palette), whole: true},
    ...(migrates && {
      'NO WAY BACK FROM': ({migrations}: ActionForecast) => migrations[0] ?? '-',
    }),
  }
  const total = totalSeconds(plan, {isSequential})
  const isModel = forecast.some(({runs}) => runs === 0)
  return [
    table(forecast, columns, {headColour: palette.quiet}),
    ...forecast.flatMap(({release, users, instances}) => [
      ...whyLines(labels(release), 'users', users),
      ...whyLines(labels(release), 'instances', instances),
    ]),
    `${isModel ? 'about ' : ''}${durationText(total)} in all${isModel ? '; "about": an estimate, because this environment has no earlier run of it' : ''}`,
  ]
}

/** Returns an expected duration as text: `40 s`, or `about 40 s` if it is an estimate. */
export function expectedText({seconds, runs}: Expected): string {
  return runs === 0 ? `about ${durationText(seconds)}` : durationText(seconds)
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
