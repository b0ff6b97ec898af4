import type {NoticedAction, ProbeSummary} from '../../verbs/change/noticed.ts'
import type {Palette} from '../colour.ts'
import {table} from '../table.ts'
import {releaseLabels} from '../text/label.ts'
import {plainLine} from '../text/plain.ts'
import type {Part} from '../text/view.ts'

/** A try that takes longer is shown although it did not fail. */
const SLOW_SECONDS = 5
const EXPECTED = {none: 'nothing', brief: 'brief', outage: 'an outage', unknown: 'not known'} as const

type Named = readonly (readonly [name: string, summary: ProbeSummary])[]

/** Returns what the prober recorded while each action lasted, beside what was expected. */
export function noticedText(noticed: readonly NoticedAction[], palette: Palette): readonly Part[] {
  const labels = releaseLabels(noticed.map(({release}) => release))
  const worse = (failed: boolean, text: string) => (failed ? palette.bad(text) : text)
  const rows = noticed.map((action) => ({...action, users: ofUsers(action), instances: ofInstances(action)}))
  return [
    table(
      rows,
      {
        'WHAT WAS NOTICED': ({release}) => labels(release),
        USERS: {cell: ({users}) => worse(hasFailed(users), usersText(users)), whole: true},
        EXPECTED: ({expected}) => (expected ? EXPECTED[expected.users] : ''),
        INSTANCES: {
          cell: ({instances}) => worse(hasFailed(instances), instancesText(instances)),
          whole: true,
        },
        'EXPECTED ': ({expected}) => (expected ? EXPECTED[expected.instances] : ''),
      },
      {headColour: palette.quiet},
    ),
    ...rows.flatMap(({release, expected, users, instances}) => [
      ...(expected?.users === 'none' ? surprises(labels(release), users) : []),
      ...(expected?.instances === 'none' ? surprises(labels(release), instances) : []),
    ]),
  ]
}

const isOfInstance = (name: string) => /^(?:ping|ssh) /.test(name)
const ofUsers = ({probes}: NoticedAction): Named =>
  Object.entries(probes).filter(([name]) => !isOfInstance(name))
const ofInstances = ({probes}: NoticedAction): Named =>
  Object.entries(probes).filter(([name]) => isOfInstance(name))
const sum = (named: Named, key: 'tried' | 'failed') => named.reduce((total, [, each]) => total + each[key], 0)
const most = (named: Named, key: 'longestGapSeconds' | 'slowestSeconds') =>
  Math.max(0, ...named.map(([, each]) => each[key]))
const secondsText = (seconds: number) => `${seconds.toFixed(1)} s`
const hasFailed = (named: Named) => sum(named, 'failed') > 0

function usersText(named: Named): string {
  const tried = sum(named, 'tried')
  if (tried === 0) return 'not measured'
  const failed = named.filter(([, each]) => each.failed > 0)
  const names = failed.map(([name, each]) => `${name} ${each.failed}`).join(', ')
  const slowest = most(named, 'slowestSeconds')
  const slow = slowest > SLOW_SECONDS ? [`slowest ${secondsText(slowest)}`] : []
  const lost = failed.length > 0 ? [`${sum(named, 'failed')} of ${tried} failed: ${names}`] : []
  return [...lost, ...slow].join('; ') || `none of ${tried} failed`
}

function instancesText(named: Named): string {
  const tried = sum(named, 'tried')
  if (tried === 0) return 'not measured'
  if (!hasFailed(named)) return `none of ${tried} lost`
  return `${sum(named, 'failed')} of ${tried} lost, longest gap ${secondsText(most(named, 'longestGapSeconds'))}`
}

function surprises(release: string, named: Named): readonly string[] {
  return named.flatMap(
    ([
      name,
      {
        failed,
        firstFailures: [first],
      },
    ]) =>
      failed > 0 && first
        ? [plainLine(`${release}: nothing was expected, and ${name} failed at ${first.time}: ${first.text}`)]
        : [],
  )
}
