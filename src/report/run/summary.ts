import {partialNotes} from '../../kubernetes/gate/health.ts'
import {isUnexpected} from '../../plan/forecast/forecast.ts'
import type {ActionKind} from '../../plan/plan.ts'
import {type Progress, type ReleaseProgress, type RunState, releasesIn} from '../../run/run-state.ts'
import type {Part as TimePart} from '../../run/times.ts'
import type {Palette} from '../colour.ts'
import {expectedText, isForetold} from '../plan/forecast-text.ts'
import {type Column, type Columns, table} from '../table.ts'
import {durationText} from '../text/duration.ts'
import {type Labels, releaseLabels} from '../text/label.ts'
import {plainLine} from '../text/plain.ts'
import {blocks, type Part, type View} from '../text/view.ts'
import {detailLines, failureParts} from './failure.ts'
import {leftBehindLines} from './left-behind-text.ts'
import {secondsOf, timePathText} from './longest-path.ts'
import {doneWord, noteText, STATE_WORDS, skippedLines, testsText} from './run-words.ts'

/** The next command lines, e.g. `kk deploy all-in-one.yaml` and `kk status all-in-one.yaml`. */
export interface NextCommands {
  readonly retryCommand: string
  /** The flags that `retryCommand` also needs and that must not be printed: `with the same --set`. */
  readonly sameFlags?: string | undefined
  readonly status: string
}

export interface SummaryOptions {
  readonly palette: Palette
  readonly commands: NextCommands
}

/**
 * Returns the end of a run for people: each failure in full, the skipped releases, the counts, and the next
 * command.
 */
export function summaryText(state: RunState, {palette, commands}: SummaryOptions): View {
  const labels = releaseLabels(state.releases.keys())
  return blocks([
    ...releasesIn(state, 'failed').map((release) => failureBlock(release, labels, palette)),
    skippedLines(state.releases.values(), labels, palette),
    timeSpentBlock(state, labels, palette),
    [
      ...unfinishedLines(state, labels, palette),
      ...testedLines(state, labels, palette),
      ...notedLines(state, labels, palette),
      ...unexpectedLines(state, labels),
      ...leftBehindLines(
        releasesIn(state, 'succeeded').map(({release, progress: {health}}) => ({release, health})),
        labels,
      ),
      ...state.notes.map(plainLine),
      outcomeLine(state, palette),
      nextLine(state, palette, commands),
    ],
  ])
}

type Failed = ReleaseProgress & {readonly progress: Extract<Progress, {state: 'failed'}>}

function failureBlock({release, progress}: Failed, labels: Labels, palette: Palette): readonly string[] {
  const failure = failureParts(progress)
  const {code, message} = failure
  return [
    `${palette.bad('✖')} ${palette.strong(labels(release))} failed after ${durationText(progress.seconds)}`,
    `  ${palette.bad('error')} ${palette.strong(code)}: ${message[0]}`,
    ...detailLines(failure, palette).map((line) => `  ${line}`),
  ]
}

/**
 * Returns the line of releases that had neither ended nor been skipped when the run ended; only the cluster
 * knows their state.
 */
function unfinishedLines(state: RunState, labels: Labels, palette: Palette): readonly string[] {
  const running = releasesIn(state, 'running').map(({release}) => labels(release))
  return running.length === 0 ? [] : [`${palette.change('!')} not known to have ended: ${running.join(', ')}`]
}

/** The maximum number of failed tests of one release that are listed; reports have all. */
const MAX_FAILED_TESTS = 20

/** Returns the results that the pods of `helm test` reported, with the failed tests. */
function testedLines(state: RunState, labels: Labels, palette: Palette): readonly string[] {
  return [...state.releases.values()].flatMap(({release, tests = []}) => {
    if (tests.length === 0) return []
    const failed = tests.filter(({outcome}) => outcome === 'failed')
    const shown = failed.slice(0, MAX_FAILED_TESTS).map(({name, text}) => {
      const why = text === undefined ? '' : `: ${text}`
      return `  ${palette.bad('not ok')} ${plainLine(`${name}${why}`)}`
    })
    const rest = failed.length - shown.length
    const more = rest === 0 ? [] : [`  and ${rest} more`]
    return [`${labels(release)}: ${testsText(tests)}`, ...shown, ...more]
  })
}

/** Returns the notes on releases whose gate has passed. */
function notedLines(state: RunState, labels: Labels, palette: Palette): readonly string[] {
  return releasesIn(state, 'succeeded').flatMap(({release, progress: {health}}) =>
    (health?.notes ?? []).map((note) => {
      const word = partialNotes(health!).includes(note) ? `${palette.change('partial')}: ` : ''
      return `${labels(release)}: ${word}${noteText(note)}`
    }),
  )
}

/** Returns what took notably longer or shorter than it did in earlier runs. */
function unexpectedLines(state: RunState, labels: Labels): readonly string[] {
  return releasesIn(state, 'succeeded').flatMap(({release, expected, progress: {seconds}}) => {
    if (!expected || expected.runs === 0 || !isUnexpected(expected, seconds)) return []
    const runs = expected.runs === 1 ? 'one earlier run' : `${expected.runs} earlier runs`
    return [
      `${labels(release)}: took ${durationText(seconds)}, where ${durationText(expected.seconds)} were expected after ${runs}`,
    ]
  })
}

function outcomeLine(state: RunState, palette: Palette): string {
  const {finished} = state
  const counts = countsText(state)
  if (finished === undefined) return palette.bad(`broken off: ${counts}`)
  const time = durationText(finished.seconds)
  if (finished.outcome === 'succeeded') return palette.good(`done in ${time}: ${counts}`)
  if (finished.outcome === 'interrupted') return palette.change(`interrupted after ${time}: ${counts}`)
  return palette.bad(`failed after ${time}: ${counts}`)
}

function countsText(state: RunState): string {
  const counts = new Map<string, number>()
  const count = (word: string) => counts.set(word, (counts.get(word) ?? 0) + 1)
  for (const {kind, progress} of releasesIn(state, 'succeeded')) count(doneWord(kind, progress))
  for (const {progress} of state.releases.values()) {
    if (progress.state !== 'succeeded') count(STATE_WORDS[progress.state])
  }
  return counts.size === 0
    ? 'nothing to do'
    : [...counts].map(([word, number]) => `${number} ${word}`).join(', ')
}

function nextLine(
  state: RunState,
  palette: Palette,
  {retryCommand, sameFlags, status}: NextCommands,
): string {
  if (state.finished?.outcome === 'succeeded') return `${palette.accent('next')}: ${status}`
  const isTest = [...state.releases.values()].every(({kind}) => kind === 'test')
  const what = isTest ? 'runs all of them again' : 'continues with the rest'
  return `${palette.accent('next')}: ${retryCommand}   ${palette.quiet(sameFlags === undefined ? what : `${sameFlags}; ${what}`)}`
}

/** The duration from which a run has the table of times. */
const MIN_SECONDS = 10
/** The maximum number of rows in the table of the slowest releases. */
const MAX_ROWS = 10
/** The kinds of actions that create pods. */
const KINDS: ReadonlySet<ActionKind> = new Set(['install', 'upgrade', 'rollback', 'await'])

/**
 * Returns what the releases of a successful run waited for, longest first; nothing for a short run.
 */
function timeSpentBlock(state: RunState, labels: Labels, palette: Palette): readonly Part[] {
  const {finished} = state
  if (finished?.outcome !== 'succeeded' || finished.seconds < MIN_SECONDS) return []
  const rows = [...state.releases.values()]
    .filter(({kind}) => KINDS.has(kind))
    .map((progress) => ({
      release: progress.release,
      kind: progress.kind,
      expected: progress.expected,
      spent: spentBy(progress),
      total: secondsOf(progress),
    }))
    .filter(({spent: times}) => times.size > 0)
    .sort((one, other) => other.total - one.total)
    .slice(0, MAX_ROWS)
  if (rows.length === 0) return []
  type Row = (typeof rows)[number]
  const part = (name: TimePart): Column<Row> => ({
    cell: ({spent: times}) => (times.has(name) ? durationText(times.get(name)!) : '-'),
    whole: true,
  })
  const columns: Columns<Row> = {
    'WHERE THE TIME WENT': ({release}) => labels(release),
    TIME: {cell: ({total}) => durationText(total), whole: true},
    ...(rows.some(isForetold) && {
      EXPECTED: {cell: ({expected}: Row) => (expected ? expectedText(expected) : '-'), whole: true as const},
    }),
    HELM: part('helm'),
    'IMAGES, VOLUMES': part('containers'),
    JOBS: part('jobs'),
    PODS: part('pods'),
  }
  const path = timePathText(state, labels)
  return [table(rows, columns, {headColour: palette.quiet}), ...(path === '' ? [] : [path])]
}

/** Seconds. */
function spentBy({times: {parts}}: ReleaseProgress): ReadonlyMap<string, number> {
  const times = new Map<string, number>()
  for (const {phase, since, until} of parts) {
    if (until !== undefined) times.set(phase, (times.get(phase) ?? 0) + (until - since) / 1000)
  }
  return times
}
