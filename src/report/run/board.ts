import {Listr, type ListrRenderer, type ListrTask, ListrTaskEventType} from 'listr2'
import {type ReleaseId, releaseName} from '../../release.ts'
import type {RunEvent} from '../../run/events.ts'
import {NO_RUN, type ReleaseProgress, type RunState, releasesIn} from '../../run/run-state.ts'
import {type ColourLevel, type Palette, palette} from '../colour.ts'
import {durationText} from '../text/duration.ts'
import {type Labels, releaseLabels} from '../text/label.ts'
import {plainLine} from '../text/plain.ts'
import {wrap} from '../text/view.ts'
import {boardRows} from './board-rows.ts'
import {failureParts} from './failure.ts'
import type {RunView} from './run-view.ts'
import {interruptedText, skippedLines, successText} from './run-words.ts'
import {type BoardStream, LiveBlock, terminalSize} from './terminal.ts'

const FRAME_MILLISECONDS = 100

/** `unknown` when the events ended before the release did. */
type Ending = 'succeeded' | 'failed' | 'skipped' | 'unknown'

export interface BoardOptions {
  readonly stream: BoardStream
  readonly level: ColourLevel
  readonly clock?: Clock
}

/**
 * A run as a live board. listr2 holds one task per release, which only waits for that release to end: the run
 * schedules its releases. The board shows a failure at once while others run; `summaryText` shows all in full
 * after the board is closed.
 */
export class BoardView implements RunView {
  readonly #stream: BoardStream
  readonly #clock: Clock
  readonly #colours: Palette
  readonly #block: LiveBlock
  readonly #endings = new Map<ReleaseId, PromiseWithResolvers<Ending>>()
  #state = NO_RUN
  #labels: Labels = releaseName
  /** Releases that have ended since the last frame. */
  #ended: ReleaseProgress[] = []
  /** Interruptions and warnings since the last frame. */
  #notes: string[] = []
  #lastFrame = ''
  #tasks: Promise<unknown> = Promise.resolve()

  constructor({stream, level, clock = SYSTEM_CLOCK}: BoardOptions) {
    this.#stream = stream
    this.#clock = clock
    this.#colours = palette(level)
    this.#block = new LiveBlock(stream)
  }

  show(event: RunEvent, state: RunState): void {
    this.#state = state
    const sign = this.#colours.change('!')
    if (event.type === 'run-started') this.#start()
    if (event.type === 'run-interrupting')
      this.#notes.push(`${sign} interrupted: ${interruptedText(event.running.map(this.#labels))}`)
    if (event.type === 'run-warned') {
      const note = `${sign} warning: ${plainLine(event.message)}`
      // Nothing is drawn before the run has started, and it may never start.
      if (state.startedAt === 0) this.#stream.write(`${note}\n`)
      else this.#notes.push(note)
    }
    if (!('release' in event)) return
    const ending = state.releases.get(event.release)?.progress.state
    if (ending === 'succeeded' || ending === 'failed' || ending === 'skipped')
      this.#endings.get(event.release)?.resolve(ending)
  }

  async close(): Promise<void> {
    for (const ending of this.#endings.values()) ending.resolve('unknown')
    await this.#tasks
  }

  #start(): void {
    this.#labels = releaseLabels(this.#state.releases.keys())
    for (const {release, progress} of this.#state.releases.values()) {
      if (progress.state === 'waiting') this.#endings.set(release, Promise.withResolvers())
    }
    const tasks = [...this.#endings].map(([release, {promise}]) => ({title: release, task: taskOf(promise)}))
    this.#tasks = new Listr(tasks, {
      renderer: BoardRenderer,
      rendererOptions: {board: this},
      concurrent: true,
      exitOnError: false,
      // Its own handler ends the process with 127 before anything is journalled.
      registerSignalListeners: false,
    }).run()
  }

  /** Draws one frame, unless it is the same as the last one. */
  draw(): void {
    const lasting = this.#takeLasting()
    const size = terminalSize(this.#stream)
    const rows = boardRows({
      state: this.#state,
      now: this.#clock.now(),
      size,
      colours: this.#colours,
      labels: this.#labels,
    })
    const frame = [size.columns, size.rows, ...rows].join('\n')
    if (lasting.length === 0 && frame === this.#lastFrame) return
    this.#lastFrame = frame
    this.#block.draw(lasting, rows)
  }

  /** Draws the last frame and resets the terminal. */
  end(): void {
    this.#block.end(this.#takeLasting())
  }

  /**
   * Calls back at the time of every frame and when the terminal is resized, until the returned function is
   * called.
   */
  onFrame(callback: () => void): () => void {
    const stop = this.#clock.every(FRAME_MILLISECONDS, callback)
    this.#stream.on('resize', callback)
    return () => {
      stop()
      this.#stream.off('resize', callback)
    }
  }

  /** Adds the release of the task at this index to the lasting lines. */
  addEnded(index: number): void {
    const release = [...this.#endings.keys()][index]
    const progress = release && this.#state.releases.get(release)
    if (progress) this.#ended.push(progress)
  }

  #takeLasting(): readonly string[] {
    const {columns} = terminalSize(this.#stream)
    const isLast = releasesIn(this.#state, 'running').length === 0
    const endings = endingLines(this.#ended, {labels: this.#labels, colours: this.#colours, isLast})
    const lasting = [...this.#notes, ...endings]
    this.#ended = []
    this.#notes = []
    return lasting.flatMap((line) => wrap(line, columns))
  }
}

/** Returns a task that only waits for the end of its release. */
function taskOf(promise: Promise<Ending>): ListrTask['task'] {
  return async (_context, task) => {
    const ending = await promise
    if (ending === 'failed') throw new Error(ending)
    if (ending === 'skipped') task.skip()
  }
}

/** The time of a board; a test passes one that it sets. */
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

interface EndingOptions {
  readonly labels: Labels
  readonly colours: Palette
  /** True when nothing runs any longer: the summary follows, with each failure in full. */
  readonly isLast: boolean
}

/** Returns the lasting lines of releases that have ended; those skipped for one reason share a line. */
function endingLines(
  ended: readonly ReleaseProgress[],
  {labels, colours, isLast}: EndingOptions,
): readonly string[] {
  const lines = ended.flatMap(({release, kind, progress}) => {
    if (progress.state === 'succeeded')
      return [`${colours.good('✔')} ${labels(release)} ${successText(kind, progress)}`]
    if (progress.state !== 'failed') return []
    const {code, message} = failureParts(progress)
    const why = isLast ? '' : `: ${code}: ${message.join(' ')}`
    return [`${colours.bad('✖')} ${labels(release)} failed after ${durationText(progress.seconds)}${why}`]
  })
  return [...lines, ...skippedLines(ended, labels, colours)]
}

const ENDED: ReadonlySet<string> = new Set(['COMPLETED', 'FAILED', 'SKIPPED', 'CANCELLED'])

/**
 * Draws running releases instead of tasks in their order: of 100 tasks, listr2's own renderer shows the last
 * that wait. `nonTTY`, because listr2 inspects standard output, and the board is on standard error.
 */
export class BoardRenderer implements ListrRenderer {
  static nonTTY = true
  static rendererOptions: {board: BoardView}
  static rendererTaskOptions: Record<never, never>

  readonly #tasks: BoardTasks
  readonly #board: BoardView
  #stop = () => {}

  constructor(tasks: BoardTasks, options: {board: BoardView}) {
    this.#tasks = tasks
    this.#board = options.board
  }

  render(): void {
    for (const [index, task] of this.#tasks.entries()) {
      task.on(ListrTaskEventType.STATE, (state) => {
        if (ENDED.has(state)) this.#board.addEnded(index)
      })
    }
    this.#stop = this.#board.onFrame(() => this.#board.draw())
  }

  end(): void {
    this.#stop()
    this.#board.end()
  }
}

type BoardTasks = ConstructorParameters<typeof ListrRenderer>[0]
