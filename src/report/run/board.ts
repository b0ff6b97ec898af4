import {Listr, type ListrRenderer, type ListrTask, ListrTaskEventType} from 'listr2'
import {type ReleaseId, releaseName} from '../../release.ts'
import {NO_RUN, type Progress, type ReleaseProgress, releasesIn} from '../../run/run-state.ts'
import {type ColourLevel, type Palette, palette} from '../colour.ts'
import {durationText} from '../text/duration.ts'
import {type Labels, releaseLabels} from '../text/label.ts'
import {plainLine} from '../text/plain.ts'
import {wrap} from '../text/view.ts'
import {boardRows} from './board-rows.ts'
import {failureParts} from './failure.ts'
import type {RunView} from './run-view.ts'
import {interruptedText, skipText, successText} from './run-words.ts'
import {type BoardStream, liveBlock, terminalSize} from './terminal.ts'

const FRAME_MILLISECONDS = 100

/** `unknown` when the events ended before the release did. */
type Ending = 'succeeded' | 'failed' | 'skipped' | 'unknown'

export interface BoardOptions {
  readonly stream: BoardStream
  readonly level: ColourLevel
  readonly clock?: Clock
}

/**
 * A run as a live board. listr2 holds one task per release, which only waits for that release to end: what runs when
 * is decided by the run. A failure is told at once while others run, and all are told in full by `summaryText`, after the board is gone.
 */
export function boardView({stream, level, clock = SYSTEM_CLOCK}: BoardOptions): RunView {
  const colours = palette(level)
  const block = liveBlock(stream)
  const ends = new Map<ReleaseId, PromiseWithResolvers<Ending>>()
  let state = NO_RUN
  let labels: Labels = releaseName
  let ended: ReleaseProgress[] = []
  let notes: string[] = []
  let shown = ''
  let board: Promise<unknown> = Promise.resolve()

  function takeLasting(): readonly string[] {
    const {columns} = terminalSize(stream)
    const isLast = releasesIn(state, 'running').length === 0
    const lasting = [...notes, ...endingLines(ended, {labels, colours, isLast})]
    ended = []
    notes = []
    return lasting.flatMap((line) => wrap(line, columns))
  }

  const drawing: BoardDrawing = {
    frame() {
      const lasting = takeLasting()
      const size = terminalSize(stream)
      const rows = boardRows({state, now: clock.now(), size, colours, labels})
      const frame = [size.columns, size.rows, ...rows].join('\n')
      if (lasting.length === 0 && frame === shown) return
      shown = frame
      block.draw(lasting, rows)
    },
    last: () => block.end(takeLasting()),
    frames(callback) {
      const stop = clock.every(FRAME_MILLISECONDS, callback)
      stream.on('resize', callback)
      return () => {
        stop()
        stream.off('resize', callback)
      }
    },
    ended(place) {
      const release = [...ends.keys()][place]
      const progress = release && state.releases.get(release)
      if (progress) ended.push(progress)
    },
  }

  function start(): void {
    labels = releaseLabels(state.releases.keys())
    for (const {release, progress} of state.releases.values()) {
      if (progress.state === 'waiting') ends.set(release, Promise.withResolvers())
    }
    const tasks = [...ends].map(([release, {promise}]) => ({title: release, task: viewOf(promise)}))
    board = new Listr(tasks, {
      renderer: BoardRenderer,
      rendererOptions: {drawing},
      concurrent: true,
      exitOnError: false,
      // Its own handler ends the process with 127 before anything is journalled.
      registerSignalListeners: false,
    }).run()
  }

  return {
    show(event, shown) {
      state = shown
      if (event.type === 'run-started') start()
      if (event.type === 'run-interrupting') {
        notes.push(`${colours.change('!')} interrupted: ${interruptedText(event.running.map(labels))}`)
      }
      if (event.type === 'run-warned') {
        const note = `${colours.change('!')} warning: ${plainLine(event.message)}`
        // Nothing is drawn before the run has started, which may never be.
        if (state.startedAt === 0) stream.write(`${note}\n`)
        else notes.push(note)
      }
      if (event.type === 'release-succeeded') ends.get(event.release)?.resolve('succeeded')
      if (event.type === 'release-failed') ends.get(event.release)?.resolve('failed')
      if (event.type === 'release-skipped') ends.get(event.release)?.resolve('skipped')
    },
    async close() {
      for (const end of ends.values()) end.resolve('unknown')
      await board
    },
  }
}

/** A task that does nothing but end as its release does. */
function viewOf(promise: Promise<Ending>): ListrTask['task'] {
  return async (_context, task) => {
    const ending = await promise
    if (ending === 'failed') throw new Error(ending)
    if (ending === 'skipped') task.skip()
  }
}

/** Time as the board needs it; a test passes one that it moves itself. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Calls back every so many milliseconds until the returned function is called. */
  every(milliseconds: number, callback: () => void): () => void
}

export const SYSTEM_CLOCK: Clock = {
  now: Date.now,
  every(milliseconds, callback) {
    const timer = setInterval(callback, milliseconds)
    return () => clearInterval(timer)
  },
}

export interface EndingOptions {
  readonly labels: Labels
  readonly colours: Palette
  /** Nothing runs any more: the summary follows, and tells each failure in full. */
  readonly isLast: boolean
}

/** The lines that stay for releases that have ended; those skipped for one reason share a line. */
export function endingLines(
  ended: readonly ReleaseProgress[],
  {labels, colours, isLast}: EndingOptions,
): readonly string[] {
  const skipped = new Map<string, ReleaseId[]>()
  const lines: string[] = []
  for (const {release, kind, progress} of ended) {
    if (progress.state === 'succeeded') {
      const text = successText(kind, progress)
      lines.push(`${colours.good('✔')} ${labels(release)} ${text}`)
    }
    if (progress.state === 'failed') lines.push(failedLine(labels(release), progress, {colours, isLast}))
    if (progress.state === 'skipped') {
      const text = skipText(progress.because, progress.reason, labels)
      skipped.set(text, [...(skipped.get(text) ?? []), release])
    }
  }
  for (const [text, releases] of skipped) {
    lines.push(`${colours.change('-')} ${releases.map(labels).join(', ')} ${text}`)
  }
  return lines
}

type Failed = Extract<Progress, {state: 'failed'}>

function failedLine(name: string, failed: Failed, {colours, isLast}: Omit<EndingOptions, 'labels'>): string {
  const {code, message} = failureParts(failed)
  const why = isLast ? '' : `: ${code}: ${message.join(' ')}`
  const text = `failed after ${durationText(failed.seconds)}${why}`
  return `${colours.bad('✖')} ${name} ${text}`
}

/** What a `BoardRenderer` draws with; the board gives it through `rendererOptions`. */
export interface BoardDrawing {
  /** Draws one frame. */
  frame(): void
  /** The last frame: the terminal is given back. */
  last(): void
  /** Calls back at every frame's time, and whenever the terminal changes its size, until the returned function is called. */
  frames(callback: () => void): () => void
  /** The task at this place among the tasks has ended. */
  ended(place: number): void
}

const ENDED: ReadonlySet<string> = new Set(['COMPLETED', 'FAILED', 'SKIPPED', 'CANCELLED'])

/**
 * Draws releases that run, not tasks in their order: listr2's own renderer shows 100 tasks as the last of those that
 * wait. `nonTTY`, because listr2 looks at standard output, and the board is on standard error.
 */
export class BoardRenderer implements ListrRenderer {
  static nonTTY = true
  static rendererOptions: {drawing: BoardDrawing}
  static rendererTaskOptions: Record<never, never>

  readonly #tasks: BoardTasks
  readonly #drawing: BoardDrawing
  #stop = () => {}

  constructor(tasks: BoardTasks, options: {drawing: BoardDrawing}) {
    this.#tasks = tasks
    this.#drawing = options.drawing
  }

  render(): void {
    for (const [place, task] of this.#tasks.entries()) {
      task.on(ListrTaskEventType.STATE, (state) => {
        if (ENDED.has(state)) this.#drawing.ended(place)
      })
    }
    this.#stop = this.#drawing.frames(() => this.#drawing.frame())
  }

  end(): void {
    this.#stop()
    this.#drawing.last()
  }
}

type BoardTasks = ConstructorParameters<typeof ListrRenderer>[0]
