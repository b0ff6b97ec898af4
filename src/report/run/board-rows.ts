import {type ReleaseProgress, type RunState, releasesIn} from '../../run/run-state.ts'
import type {Palette} from '../colour.ts'
import {durationText} from '../text/duration.ts'
import type {Labels} from '../text/label.ts'
import {listWithin} from '../text/list.ts'
import {shorten, textWidth} from '../text/width.ts'
import {remainingPath} from './longest-path.ts'
import {PROGRESS_WORDS, progressText} from './run-words.ts'
import type {Size} from './terminal.ts'

export interface BoardFrame {
  readonly state: RunState
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly size: Size
  readonly colours: Palette
  readonly labels: Labels
}

const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const LONGEST_NAME = 28

/**
 * Returns the rows of the board: running releases, the longest running first; waiting releases; the counts.
 * One row of the screen stays free for the cursor. On a screen with few rows, only the counts remain.
 */
export function boardRows(frame: BoardFrame): readonly string[] {
  const space = frame.size.rows - 1
  if (space === 0) return []
  const waiting = waitingRow(frame)
  const path = pathRow(frame)
  const foot = [
    ...(path !== undefined && space >= MIN_ROWS_OF_PATH ? [path] : []),
    ...(waiting !== undefined && space >= 3 ? [waiting] : []),
    countsRow(frame),
  ]
  return [...runningRows(frame, space - foot.length), ...foot]
}

function runningRows({state, now, size, colours, labels}: BoardFrame, space: number): readonly string[] {
  const running = releasesIn(state, 'running').toSorted((a, b) => a.progress.since - b.progress.since)
  if (space <= 0 || running.length === 0) return []
  const shown = running.length > space ? running.slice(0, space - 1) : running
  const longest = Math.max(0, ...shown.map(({release}) => textWidth(labels(release))))
  const width = Math.min(longest, LONGEST_NAME, Math.floor(size.columns / 2))
  const spinner = SPINNER[Math.floor(now / 100) % SPINNER.length] ?? ''

  const rows = shown.map(({release, kind, progress}) => {
    const name = padded(shorten(labels(release), width), width)
    const seconds = durationText((now - progress.since) / 1000).padStart(8)
    const activity = progressText(progress.message, progress.blames) || PROGRESS_WORDS[kind]
    const phase = progress.phase === '' ? '' : `${progress.phase.padEnd(8)}  `
    const rest = shorten(`  ${phase}${activity}`, size.columns - width - 10)
    return `${colours.accent(spinner)} ${name}${colours.quiet(seconds)}${rest}`
  })
  if (shown.length === running.length) return rows
  return [
    ...rows,
    colours.quiet(shorten(`  and ${running.length - shown.length} more running`, size.columns)),
  ]
}

/** On a screen with fewer rows, this row is omitted in favour of running releases. */
const MIN_ROWS_OF_PATH = 8

function pathRow({state, size, colours, labels}: BoardFrame): string | undefined {
  const path = remainingPath(state)
  if (path.length < 2) return undefined
  return colours.quiet(shorten(`longest path left: ${path.map(labels).join(' → ')}`, size.columns))
}

function waitingRow({state, size, colours, labels}: BoardFrame): string | undefined {
  const waiting = releasesIn(state, 'waiting')
  if (waiting.length === 0) return undefined
  const texts: string[] = []
  const startable: string[] = []
  for (const {release, requires, inferred} of waiting) {
    const [first, ...others] = unmet(requires, state)
    const more = others.length === 0 ? '' : ` +${others.length}`
    const how = first && inferred.includes(first.release) ? ' (inferred)' : ''
    if (first) texts.push(`${labels(release)} for ${labels(first.release)}${how}${more}`)
    if (!first) startable.push(labels(release))
  }
  if (startable.length === 1) texts.push(`${startable[0]} for its turn`)
  if (startable.length > 1) texts.push(`${startable.length} for their turn`)
  const text = listWithin(texts, size.columns - 'waiting: '.length)
  return colours.quiet(shorten(`waiting: ${text}`, size.columns))
}

/**
 * The requirements that a release still waits for: first those that run or have failed, because they delay it
 * now.
 */
function unmet(requires: ReleaseProgress['requires'], state: RunState): readonly ReleaseProgress[] {
  return requires
    .map((release) => state.releases.get(release))
    .filter((required) => required !== undefined)
    .filter(({progress}) => progress.state !== 'succeeded' && progress.state !== 'unchanged')
    .toSorted((a, b) => Number(a.progress.state === 'waiting') - Number(b.progress.state === 'waiting'))
}

function countsRow({state, now, size, colours}: BoardFrame): string {
  const count = (wanted: Parameters<typeof releasesIn>[1]) => releasesIn(state, wanted).length
  const unchanged = count('unchanged')
  const parts = [
    `${count('succeeded')} of ${state.releases.size - unchanged} done`,
    ...countPart(count('running'), 'running'),
    ...countPart(count('waiting'), 'waiting'),
    ...countPart(count('failed'), 'failed', colours.bad),
    ...countPart(count('skipped'), 'skipped', colours.change),
    ...countPart(unchanged, 'unchanged'),
    durationText((now - state.startedAt) / 1000),
  ]
  const text = parts.join(' · ')
  return textWidth(text) <= size.columns ? text : shorten(`${parts[0]}`, size.columns)
}

function countPart(count: number, word: string, colour = (text: string) => text): readonly string[] {
  return count === 0 ? [] : [colour(`${count} ${word}`)]
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - textWidth(text)))
}
