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
import {causeText, interruptedText, PROGRESS_WORDS, skipText, successText, testsText} from './run-words.ts'

interface Context {
  readonly colours: Palette
  readonly labels: Labels
}

interface LinesOptions {
  readonly stream: {write(text: string): unknown}
  readonly level: ColourLevel
  /** Milliseconds since the epoch, as in events. */
  readonly now?: () => number
}

/** The time after which a release without events is written again, in milliseconds. */
const REMINDER_AFTER_MS = 30_000
const REMINDER_CHECK_MS = 5_000

/**
 * A run as lines to append, for logs and pipes: each with the time since the run began and its release. A
 * release without events for half a minute is written again, so that a log shows that kk still waits, and for
 * what.
 */
export class LinesView implements RunView {
  readonly #stream: LinesOptions['stream']
  readonly #now: () => number
  readonly #colours: Palette
  #labels: Labels = releaseName
  /** The columns of the longest name. */
  #nameWidth = 0
  #state = NO_RUN
  /** The time of the last event or reminder of each release, in milliseconds since the epoch. */
  readonly #lastAt = new Map<ReleaseId, number>()
  #timer: NodeJS.Timeout | undefined

  constructor({stream, level, now = Date.now}: LinesOptions) {
    this.#stream = stream
    this.#now = now
    this.#colours = palette(level)
  }

  show(event: RunEvent, state: RunState): void {
    this.#state = state
    this.#timer ??= setInterval(() => this.#remind(), REMINDER_CHECK_MS).unref()
    if (event.type === 'run-started') {
      this.#labels = releaseLabels(state.releases.keys())
      this.#nameWidth = Math.max(0, ...[...state.releases.keys()].map((each) => this.#labels(each).length))
    }
    const release = 'release' in event ? event.release : undefined
    if (release !== undefined) this.#lastAt.set(release, event.at)
    const context = {colours: this.#colours, labels: this.#labels}
    for (const line of eventLines(event, state, context)) this.#write(event.at, release, line)
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
  }

  #remind(): void {
    const at = this.#now()
    for (const {release, kind, progress} of releasesIn(this.#state, 'running')) {
      if (at - (this.#lastAt.get(release) ?? progress.since) < REMINDER_AFTER_MS) continue
      this.#write(at, release, `still ${workText(kind, progress)}`)
      this.#lastAt.set(release, at)
    }
  }

  #write(at: number, release: ReleaseId | undefined, line: string): void {
    const seconds = this.#state.startedAt === 0 ? 0 : (at - this.#state.startedAt) / 1000
    const time = this.#colours.quiet(clockText(seconds))
    const name = release === undefined ? '' : `${this.#labels(release).padEnd(this.#nameWidth)}  `
    this.#stream.write(`${time} ${name}${line}\n`)
  }
}

function workText(kind: ActionKind, progress: Extract<Progress, {state: 'running'}>): string {
  const [line = plainLine(progress.message) || PROGRESS_WORDS[kind]] = progressLines(progress)
  return line
}

/** Returns the lines of an event, which `state` already has; they end without a newline. */
export function eventLines(event: RunEvent, state: RunState, {colours, labels}: Context): readonly string[] {
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
      return event.kind === 'unchanged' ? [] : [PROGRESS_WORDS[event.kind]]
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

/** Returns the lines of a log, which name the first cause and omit short steps. */
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
