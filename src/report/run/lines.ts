import type {Cause} from '../../kubernetes/gate/health.ts'
import type {ActionKind} from '../../plan/plan.ts'
import {type ReleaseId, releaseName} from '../../release.ts'
import type {RunEvent} from '../../run/events.ts'
import {NO_RUN, type Progress, type ReleaseProgress, type RunState, releasesIn} from '../../run/run-state.ts'
import {type ColourLevel, type Palette, palette} from '../colour.ts'
import {clockText, durationText} from '../text/duration.ts'
import {type Labels, releaseLabels} from '../text/label.ts'
import {counted} from '../text/list.ts'
import {plainLine} from '../text/plain.ts'
import {detailLines, failureParts} from './failure.ts'
import type {RunView} from './run-view.ts'
import {causeText, DOING, interruptedText, skipText, successText, testsText} from './run-words.ts'

interface Context {
  readonly colours: Palette
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

/** A release that has said nothing for so long is told of again, in milliseconds. */
const SILENCE = 30_000
const LOOK_EVERY = 5_000

/**
 * A run as lines to append, for logs and pipes: each with the time since the run began and the release it is about. What has
 * not moved for half a minute is told again, for who reads a log cannot see whether kk still waits, and for what.
 */
export function linesView({stream, level, now = Date.now}: LinesOptions): RunView {
  let context: Context = {colours: palette(level), labels: releaseName, width: 0}
  let state = NO_RUN
  /** When each release was told of last, also where that was not worth a line: milliseconds since the epoch. */
  const toldAt = new Map<ReleaseId, number>()
  let timer: NodeJS.Timeout | undefined

  const write = (at: number, release: ReleaseId | undefined, line: string) => {
    const seconds = state.startedAt === 0 ? 0 : (at - state.startedAt) / 1000
    const time = context.colours.quiet(clockText(seconds))
    const about = release === undefined ? '' : `${context.labels(release).padEnd(context.width)}  `
    stream.write(`${time} ${about}${line}\n`)
  }
  const remind = () => {
    const at = now()
    for (const {release, kind, progress} of releasesIn(state, 'running')) {
      if (at - (toldAt.get(release) ?? progress.since) < SILENCE) continue
      write(at, release, `still ${workText(kind, progress)}`)
      toldAt.set(release, at)
    }
  }

  return {
    show(event, shown) {
      state = shown
      timer ??= setInterval(remind, LOOK_EVERY).unref()
      if (event.type === 'run-started') {
        const labels = releaseLabels(state.releases.keys())
        const width = Math.max(0, ...[...state.releases.keys()].map((release) => labels(release).length))
        context = {...context, labels, width}
      }
      const release = 'release' in event ? event.release : undefined
      if (release !== undefined) toldAt.set(release, event.at)
      for (const line of eventLines(event, state, context)) write(event.at, release, line)
    },
    async close() {
      clearInterval(timer)
    },
  }
}

function workText(kind: ActionKind, progress: Extract<Progress, {state: 'running'}>): string {
  const [line = plainLine(progress.message) || DOING[kind]] = progressLines(progress)
  return line
}

function eventLines(event: RunEvent, state: RunState, {colours, labels}: Context): readonly string[] {
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
    case 'release-tested':
      return [testsText(event.tests)]
    case 'release-succeeded':
      if (event.kind === 'unchanged') return [colours.quiet('unchanged')]
      return [colours.good(successText(event.kind, event))]
    case 'release-failed':
      return failureLines(state.releases.get(event.release), colours)
    case 'release-skipped':
      return [colours.change(skipText(event.because, event.reason, labels))]
    case 'run-finished':
      return [finishText(event)]
  }
}

/** A log is read afterwards: it names the first that is the cause, and leaves out steps that take no time worth a line. */
function progressLines({
  phase,
  message,
  blames = [],
}: {
  readonly phase: string
  readonly message: string
  readonly blames?: readonly Cause[]
}): readonly string[] {
  const [first, ...others] = blames
  if (first === undefined) return phase === 'helm' ? [plainLine(message)] : []
  const more = others.length === 0 ? '' : `, and ${others.length} more`
  return [`${phase}: ${causeText(first)}${more}`]
}

function failureLines(failed: ReleaseProgress | undefined, colours: Palette): readonly string[] {
  if (failed?.progress.state !== 'failed') return []
  const failure = failureParts(failed.progress)
  const {code, message} = failure
  return [
    colours.bad(`failed after ${durationText(failed.progress.seconds)}: ${code}: ${message[0]}`),
    ...detailLines(failure, colours),
  ]
}

function finishText(event: Extract<RunEvent, {type: 'run-finished'}>): string {
  const {outcome, seconds, succeeded, failed, skipped, unchanged} = event
  const counts = `${succeeded} succeeded, ${failed} failed, ${skipped} skipped, ${unchanged} unchanged`
  return `run ${outcome} after ${durationText(seconds)}: ${counts}`
}
