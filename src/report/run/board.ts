import {Listr, type ListrTask} from 'listr2'
import {type ReleaseId, releaseName} from '../../release.ts'
import {type ColourLevel, palette} from '../colour.ts'
import {fitted} from '../text/fitted.ts'
import {type Labels, releaseLabels} from '../text/label.ts'
import {plainLine} from '../text/plain.ts'
import {type Clock, SYSTEM_CLOCK} from './board/clock.ts'
import {endingLines} from './board/endings.ts'
import {type BoardDrawing, BoardRenderer} from './board/renderer.ts'
import {boardRows} from './board/rows.ts'
import {type BoardStream, liveBlock, terminalSize} from './board/terminal.ts'
import {NO_RUN, nextState, type ReleaseProgress, releasesIn} from './run-state.ts'
import type {RunView} from './run-view.ts'
import {interruptedText} from './run-words.ts'

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
    return lasting.map((line) => fitted(line, columns))
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
    show(event) {
      state = nextState(state, event)
      if (event.type === 'run-started') start()
      if (event.type === 'run-interrupting') {
        notes.push(`${colours.change('!')} interrupted: ${interruptedText(event.running.map(labels))}`)
      }
      if (event.type === 'run-warned') {
        notes.push(`${colours.change('!')} warning: ${plainLine(event.message)}`)
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
