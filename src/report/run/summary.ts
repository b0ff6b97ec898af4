import {partialNotes} from '../../kubernetes/gate/health.ts'
import type {ActionKind} from '../../plan/plan.ts'
import type {ReleaseId} from '../../release.ts'
import {type Progress, type ReleaseProgress, type RunState, releasesIn} from '../../run/run-state.ts'
import type {Palette} from '../colour.ts'
import {type Column, table} from '../table.ts'
import {durationText} from '../text/duration.ts'
import {type Labels, releaseLabels} from '../text/label.ts'
import {plainLine} from '../text/plain.ts'
import {blocks, type Part, type View} from '../text/view.ts'
import {detailLines, failureParts} from './failure.ts'
import {timePathText} from './longest-path.ts'
import {doneWord, noteText, skipText, testsText} from './run-words.ts'

/** The next command lines, e.g. `kk deploy all-in-one.yaml` and `kk status all-in-one.yaml`. */
export interface NextCommands {
  readonly again: string
  /** The flags that `again` also needs and that must not be printed: `with the same --set`. */
  readonly given?: string | undefined
  readonly status: string
}

export interface SummaryOptions {
  readonly palette: Palette
  readonly commands: NextCommands
}

/** Returns the end of a run for people: each failure in full, the skipped releases, the counts, and the next command. */
export function summaryText(state: RunState, {palette, commands}: SummaryOptions): View {
  const labels = releaseLabels(state.releases.keys())
  return blocks([
    ...releasesIn(state, 'failed').map((release) => failureBlock(release, labels, palette)),
    skippedBlock(state, labels, palette),
    timeSpentBlock(state, labels, palette),
    [
      ...unfinishedLines(state, labels, palette),
      ...testedLines(state, labels),
      ...notedLines(state, labels, palette),
      ...state.notes.map(plainLine),
      outcomeLine(state, palette),
      nextLine(state, palette, commands),
    ],
  ])
}

const WORD = {
  unchanged: 'unchanged',
  failed: 'failed',
  skipped: 'skipped',
  waiting: 'not started',
  running: 'not known to have ended',
} as const satisfies Record<Exclude<Progress['state'], 'succeeded'>, string>

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

function skippedBlock(state: RunState, labels: Labels, palette: Palette): readonly string[] {
  const releases = new Map<string, ReleaseId[]>()
  for (const {release, progress} of releasesIn(state, 'skipped')) {
    const text = skipText(progress.because, progress.reason, labels)
    releases.set(text, [...(releases.get(text) ?? []), release])
  }
  return [...releases].map(
    ([text, skipped]) => `${palette.change('-')} ${skipped.map(labels).join(', ')} ${text}`,
  )
}

/** Returns the line of releases that had neither ended nor been skipped when the run ended; only the cluster knows their state. */
function unfinishedLines(state: RunState, labels: Labels, palette: Palette): readonly string[] {
  const running = releasesIn(state, 'running').map(({release}) => labels(release))
  return running.length === 0 ? [] : [`${palette.change('!')} not known to have ended: ${running.join(', ')}`]
}

/** Returns the results that the pods of `helm test` reported. */
function testedLines(state: RunState, labels: Labels): readonly string[] {
  return [...state.releases.values()].flatMap(({release, tests}) =>
    tests === undefined ? [] : [`${labels(release)}: ${testsText(tests)}`],
  )
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
    if (progress.state !== 'succeeded') count(WORD[progress.state])
  }
  return counts.size === 0
    ? 'nothing to do'
    : [...counts].map(([word, number]) => `${number} ${word}`).join(', ')
}

function nextLine(state: RunState, palette: Palette, {again, given, status}: NextCommands): string {
  if (state.finished?.outcome === 'succeeded') return `${palette.accent('next')}: ${status}`
  const isTest = [...state.releases.values()].every(({kind}) => kind === 'test')
  const what = isTest ? 'runs all of them again' : 'goes on with what is left'
  return `${palette.accent('next')}: ${again}   ${palette.quiet(given === undefined ? what : `${given}; ${what}`)}`
}

/** The duration from which a run has the table of times. */
const MIN_SECONDS = 10
/** The number of releases in the table of times: those that took longest. */
const MAX_ROWS = 10
/** The kinds of actions that create pods. */
const KINDS: ReadonlySet<ActionKind> = new Set(['install', 'upgrade', 'rollback', 'await'])
const HEADS = {helm: 'HELM', containers: 'IMAGES, VOLUMES', jobs: 'JOBS', pods: 'PODS'} as const

/** Returns what the releases of a run that succeeded waited for, the longest first; nothing for a short run. */
function timeSpentBlock(state: RunState, labels: Labels, palette: Palette): readonly Part[] {
  const {finished} = state
  if (finished?.outcome !== 'succeeded' || finished.seconds < MIN_SECONDS) return []
  const rows = [...state.releases.values()]
    .filter(({kind}) => KINDS.has(kind))
    .map((progress) => ({release: progress.release, spent: spentBy(progress), total: totalOf(progress)}))
    .filter(({spent}) => spent.size > 0)
    .sort((one, other) => other.total - one.total)
    .slice(0, MAX_ROWS)
  if (rows.length === 0) return []
  const columns: readonly Column<(typeof rows)[number]>[] = [
    {head: 'WHERE THE TIME WENT', cell: ({release}) => labels(release)},
    {head: 'TIME', cell: ({total}) => durationText(total), whole: true},
    ...Object.entries(HEADS).map(([part, head]): Column<(typeof rows)[number]> => {
      return {head, cell: ({spent}) => (spent.has(part) ? durationText(spent.get(part)!) : '-'), whole: true}
    }),
  ]
  const path = timePathText(state, labels)
  return [table(rows, columns, {headColour: palette.quiet}), ...(path === '' ? [] : [path])]
}

function totalOf({times: {startedAt, endedAt}}: ReleaseProgress): number {
  return startedAt === undefined || endedAt === undefined ? 0 : (endedAt - startedAt) / 1000
}

/** Seconds. */
function spentBy({times: {parts}}: ReleaseProgress): ReadonlyMap<string, number> {
  const spent = new Map<string, number>()
  for (const {phase, since, until} of parts) {
    if (until !== undefined) spent.set(phase, (spent.get(phase) ?? 0) + (until - since) / 1000)
  }
  return spent
}
