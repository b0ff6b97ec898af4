import {type ReleaseId, releaseName} from '../../release.ts'
import type {RunEvent} from '../../run/events.ts'
import {type ColourLevel, type Palette, palette} from '../colour.ts'
import {clockText, durationText} from '../text/duration.ts'
import {type Labels, releaseLabels} from '../text/label.ts'
import {counted} from '../text/list.ts'
import {plainLine, plainLines} from '../text/plain.ts'
import type {RunView} from './run-view.ts'
import {causeText, DOING, interruptedText, skipText, successText} from './run-words.ts'

interface Context {
  readonly colours: Palette
  readonly startedAt: number
  readonly labels: Labels
  /** Columns of the longest name. */
  readonly width: number
}

interface LinesOptions {
  readonly stream: {write(text: string): unknown}
  readonly level: ColourLevel
  /** Milliseconds since the epoch, as in events. */
  readonly now?: () => number
}

/** What a release that is at work said last. */
interface Last {
  readonly said: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** A release that has said nothing for so long is told of again, in milliseconds. */
const SILENCE = 30_000
const LOOK_EVERY = 5_000

/**
 * A run as lines to append, for logs and pipes: each with the time since the run began and the release it is about. What has
 * not moved for half a minute is told again, for who reads a log cannot see whether kk still waits, and for what.
 */
export function linesView({stream, level, now = Date.now}: LinesOptions): RunView {
  let context: Context = {colours: palette(level), startedAt: 0, labels: releaseName, width: 0}
  const working = new Map<ReleaseId, Last>()
  let timer: NodeJS.Timeout | undefined

  const write = (at: number, release: ReleaseId | undefined, line: string) => {
    const time = context.colours.quiet(clockText((at - context.startedAt) / 1000))
    const about = release === undefined ? '' : `${context.labels(release).padEnd(context.width)}  `
    stream.write(`${time} ${about}${line}\n`)
  }
  const remind = () => {
    const at = now()
    for (const [release, {said, at: since}] of working) {
      if (at - since < SILENCE) continue
      write(at, release, `still ${said}`)
      working.set(release, {said, at})
    }
  }

  return {
    show(event) {
      timer ??= setInterval(remind, LOOK_EVERY).unref()
      if (event.type === 'run-started') {
        const labels = releaseLabels(event.actions.map(({release}) => release))
        const width = Math.max(0, ...event.actions.map(({release}) => labels(release).length))
        context = {...context, startedAt: event.at, labels, width}
      }
      note(working, event)
      const release = 'release' in event ? event.release : undefined
      for (const line of eventLines(event, context)) write(event.at, release, line)
    },
    async close() {
      clearInterval(timer)
    },
  }
}

/** Keeps what each release that is at work said last, also where that was not worth a line. */
function note(working: Map<ReleaseId, Last>, event: RunEvent): void {
  if (event.type === 'release-started' && event.kind !== 'unchanged')
    working.set(event.release, {said: DOING[event.kind], at: event.at})
  if (event.type === 'release-progressed') working.set(event.release, {said: workText(event), at: event.at})
  if (ENDED.has(event.type) && 'release' in event) working.delete(event.release)
}

const ENDED: ReadonlySet<RunEvent['type']> = new Set([
  'release-succeeded',
  'release-failed',
  'release-skipped',
])

function workText(event: Extract<RunEvent, {type: 'release-progressed'}>): string {
  const [line = plainLine(event.message)] = progressLines(event)
  return line
}

function eventLines(event: RunEvent, {colours, labels}: Context): readonly string[] {
  switch (event.type) {
    case 'run-started':
      return [
        `run ${event.run} of ${event.environment} on ${event.context}: ${counted(event.actions.length, 'release')}`,
      ]
    case 'run-interrupting':
      return [colours.change(`interrupted: ${interruptedText(event.running.map(labels))}`)]
    case 'run-warned':
      return [colours.change(`warning: ${plainLine(event.message)}`)]
    // The summary has it.
    case 'run-noted':
      return []
    case 'release-started':
      return event.kind === 'unchanged' ? [] : [DOING[event.kind]]
    case 'release-progressed':
      return progressLines(event)
    case 'object-deleted':
      return [`deleted ${plainLine(event.object)}`]
    case 'release-succeeded':
      if (event.kind === 'unchanged') return [colours.quiet('unchanged')]
      return [colours.good(successText(event.kind, event.revision, event.seconds))]
    case 'release-failed':
      return failureLines(event, colours)
    case 'release-skipped':
      return [colours.change(skipText(event.because, event.reason, labels))]
    case 'run-finished':
      return [finishText(event)]
  }
}

/** A log is read afterwards: it names the first that is the cause, and leaves out steps that take no time worth a line. */
function progressLines(event: Extract<RunEvent, {type: 'release-progressed'}>): readonly string[] {
  const [first, ...others] = event.blames ?? []
  if (first === undefined) return event.phase === 'helm' ? [plainLine(event.message)] : []
  const more = others.length === 0 ? '' : `, and ${others.length} more`
  return [`${event.phase}: ${causeText(first)}${more}`]
}

function failureLines(
  {error, seconds}: Extract<RunEvent, {type: 'release-failed'}>,
  colours: Palette,
): readonly string[] {
  const [first = '', ...rest] = plainLines(error.message)
  const log = error.log.flatMap(plainLines).map((line) => `${colours.quiet('|')} ${line}`)
  return [
    colours.bad(`failed after ${durationText(seconds)}: ${error.code}: ${first}`),
    ...rest,
    ...log,
    ...(error.hint === undefined ? [] : [`${colours.accent('hint')}: ${plainLine(error.hint)}`]),
  ]
}

function finishText(event: Extract<RunEvent, {type: 'run-finished'}>): string {
  const {outcome, seconds, succeeded, failed, skipped, unchanged} = event
  const counts = `${succeeded} succeeded, ${failed} failed, ${skipped} skipped, ${unchanged} unchanged`
  return `run ${outcome} after ${durationText(seconds)}: ${counts}`
}
