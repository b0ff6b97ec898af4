import {partialNotes} from '../../kubernetes/gate/health.ts'
import type {ActionKind} from '../../plan/plan.ts'
import type {ReleaseId} from '../../release.ts'
import {type Progress, type ReleaseProgress, type RunState, releasesIn} from '../../run/run-state.ts'
import type {Part} from '../../run/times.ts'
import type {Palette} from '../colour.ts'
import {table} from '../table.ts'
import {durationText} from '../text/duration.ts'
import {type Labels, releaseLabels} from '../text/label.ts'
import {plainLine} from '../text/plain.ts'
import {detailLines, failureParts} from './failure.ts'
import {timePathText} from './longest-path.ts'
import {doneWord, noteText, skipText, testsText} from './run-words.ts'

/** Command lines to go on with, e.g. `kk deploy all-in-one.yaml` and `kk status all-in-one.yaml`. */
export interface NextCommands {
  readonly again: string
  /** What is to be given to `again` beside what stands there, and is not for printing: `with the same --set`. */
  readonly given?: string | undefined
  readonly status: string
}

export interface SummaryOptions {
  readonly palette: Palette
  readonly commands: NextCommands
}

/** The end of a run for people: each failure in full, what was skipped because of whom, what was done, and what to do next. */
export function summaryText(state: RunState, {palette, commands}: SummaryOptions): string {
  const labels = releaseLabels(state.releases.keys())
  const blocks = [
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
  ]
  const texts = blocks.filter((block) => block.length > 0).map((block) => block.join('\n'))
  return `${texts.join('\n\n')}\n`
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

/** Releases that had neither ended nor been skipped when the run ended: what became of them is only known to the cluster. */
function unfinishedLines(state: RunState, labels: Labels, palette: Palette): readonly string[] {
  const running = releasesIn(state, 'running').map(({release}) => labels(release))
  return running.length === 0 ? [] : [`${palette.change('!')} not known to have ended: ${running.join(', ')}`]
}

/** What the pods of `helm test` told of their tests. */
function testedLines(state: RunState, labels: Labels): readonly string[] {
  return [...state.releases.values()].flatMap(({release, tests}) =>
    tests === undefined ? [] : [`${labels(release)}: ${testsText(tests)}`],
  )
}

/** What is worth knowing of releases whose gate has passed. */
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

/** A shorter run leaves no question. */
const WORTH_TELLING = 10
/** How many releases are told of: those that took longest. */
const ROWS = 10
/** Those that bring pods. */
const KINDS: ReadonlySet<ActionKind> = new Set(['install', 'upgrade', 'rollback', 'await'])
const PARTS: readonly Part[] = ['helm', 'containers', 'jobs', 'pods']
const HEAD = ['WHERE THE TIME WENT', 'TIME', 'HELM', 'IMAGES, VOLUMES', 'JOBS', 'PODS']

/** What the releases of a run that succeeded waited for, the longest first; nothing for a short run. */
function timeSpentBlock(state: RunState, labels: Labels, palette: Palette): readonly string[] {
  const {finished} = state
  if (finished?.outcome !== 'succeeded' || finished.seconds < WORTH_TELLING) return []
  const rows = [...state.releases.values()]
    .filter(({kind}) => KINDS.has(kind))
    .map((progress) => ({release: progress.release, spent: spentBy(progress), total: totalOf(progress)}))
    .filter(({spent}) => spent.size > 0)
    .sort((one, other) => other.total - one.total)
    .slice(0, ROWS)
  if (rows.length === 0) return []
  const lines = table([
    HEAD,
    ...rows.map(({release, spent, total}) => [
      labels(release),
      durationText(total),
      ...PARTS.map((part) => (spent.has(part) ? durationText(spent.get(part)!) : '-')),
    ]),
  ])
  const path = timePathText(state, labels)
  return [...lines.map((line, at) => (at === 0 ? palette.quiet(line) : line)), ...(path === '' ? [] : [path])]
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
