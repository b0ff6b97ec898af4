import type {NoticedAction, ProbeSummary} from '../../verbs/change/noticed.ts'
import type {Palette} from '../colour.ts'
import {table} from '../table.ts'
import {type Labels, releaseLabels} from '../text/label.ts'
import {plainLine} from '../text/plain.ts'
import type {Part} from '../text/view.ts'

/** A try that takes longer, or a time without a success, is shown although nothing failed. */
const LONG_SECONDS = 5
const EXPECTED = {none: 'nothing', brief: 'brief', outage: 'an outage', unknown: 'not known'} as const

type Who = 'users' | 'instances'
type Named = readonly (readonly [name: string, summary: ProbeSummary])[]

/** Returns what the prober recorded while each action lasted, beside what was expected. */
export function noticedText(noticed: readonly NoticedAction[], palette: Palette): readonly Part[] {
  const labels = releaseLabels(noticed.map(({release}) => release))
  const cell = (who: Who) => ({
    cell: (action: NoticedAction) => {
      const probes = probesOf(action, who)
      return sum(probes, 'failed') > 0 ? palette.bad(cellText(action, who)) : cellText(action, who)
    },
    whole: true as const,
  })
  const expected = (who: Who) => (action: NoticedAction) =>
    action.expected ? EXPECTED[action.expected[who]] : ''
  const columns = {
    'WHAT WAS NOTICED': ({release}: NoticedAction) => labels(release),
    USERS: cell('users'),
    EXPECTED: expected('users'),
    INSTANCES: cell('instances'),
    'EXPECTED ': expected('instances'),
  }
  return [
    table(noticed, columns, {headColour: palette.quiet}),
    ...(['users', 'instances'] as const).flatMap((who) => surprises(noticed, who, labels)),
  ]
}

/** Of servers only whole creations and deletions, of which the calls are parts. */
function probesOf({probes}: NoticedAction, who: Who): Named {
  return Object.entries(probes).filter(
    ([name]) => name !== 'server calls' && /^(?:ping|ssh) /.test(name) === (who === 'instances'),
  )
}

const sum = (named: Named, key: 'tried' | 'failed') => named.reduce((total, [, each]) => total + each[key], 0)
const secondsText = (seconds: number) => `${seconds.toFixed(1)} s`

function cellText(action: NoticedAction, who: Who): string {
  const named = probesOf(action, who)
  const tried = sum(named, 'tried')
  const failed = named.filter(([, each]) => each.failed > 0)
  const names = failed.map(([name, each]) => `${name} ${each.failed}`).join(', ')
  // Servers take their time, and are tried rarely.
  const often = named.filter(([name]) => !name.startsWith('server '))
  const gap = Math.max(0, ...often.map(([, each]) => each.longestGapSeconds))
  const slowest = Math.max(0, ...often.map(([, each]) => each.slowestSeconds))
  const isLong = gap > (who === 'users' || failed.length === 0 ? LONG_SECONDS : 0)
  return [
    ...(tried === 0 ? ['not measured'] : []),
    ...(tried > 0 && failed.length === 0 ? [`none of ${tried} failed`] : []),
    ...(failed.length > 0 ? [`${sum(named, 'failed')} of ${tried} failed: ${names}`] : []),
    ...(tried > 0 && isLong ? [`longest gap ${secondsText(gap)}`] : []),
    ...(who === 'users' && slowest > LONG_SECONDS ? [`slowest ${secondsText(slowest)}`] : []),
    ...(tried > 0 && !action.isWhole ? ['measured in part'] : []),
  ].join('; ')
}

/** Returns the first failure of each probe while no action was expected to be noticed, each once. */
function surprises(noticed: readonly NoticedAction[], who: Who, labels: Labels): readonly string[] {
  const seen = new Set<string>()
  return noticed.flatMap((action) => {
    const impactOf = ({expected}: NoticedAction) => expected?.[who] ?? 'none'
    const isForeseen = noticed.some((other) => overlap(action, other) && impactOf(other) !== 'none')
    if (isForeseen || !action.expected) return []
    return probesOf(action, who).flatMap(
      ([
        name,
        {
          firstFailures: [first],
        },
      ]) => {
        if (!first || seen.has(`${name} ${first.time}`)) return []
        seen.add(`${name} ${first.time}`)
        return [
          plainLine(
            `${labels(action.release)}: nothing was expected, and ${name} failed at ${first.time}: ${first.text}`,
          ),
        ]
      },
    )
  })
}

function overlap(one: NoticedAction, other: NoticedAction): boolean {
  return one.startedAt <= other.endedAt && other.startedAt <= one.endedAt
}
