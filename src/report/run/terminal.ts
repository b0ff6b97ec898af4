import {textWidth} from '../text/width.ts'

/** A terminal to draw on; `process.stderr` is one. */
export interface BoardStream {
  readonly columns?: number
  readonly rows?: number
  write(text: string): unknown
  on(event: 'resize', listener: () => void): unknown
  off(event: 'resize', listener: () => void): unknown
}

export interface Size {
  readonly columns: number
  readonly rows: number
}

/** Lines that stay and scroll away, above a block of rows that is drawn anew. */
export interface LiveBlock {
  /** Fewer rows than the screen has; each is cut at the right edge by the terminal. */
  draw(lasting: readonly string[], rows: readonly string[]): void
  /** Takes the block away, leaves the lasting lines and shows the cursor again. */
  end(lasting: readonly string[]): void
}

const ESC = '\u001b['
const HIDE_CURSOR = `${ESC}?25l`
const SHOW_CURSOR = `${ESC}?25h`
const WRAP_OFF = `${ESC}?7l`
const WRAP_ON = `${ESC}?7h`
/** Synchronized output: the terminal shows a frame only when it is whole. Unknown to some, harmless there. */
const FRAME_START = `${ESC}?2026h`
const FRAME_END = `${ESC}?2026l`
const ERASE_BELOW = `${ESC}J`

/** The size of a terminal; some tell 0 × 0 or nothing. */
export function terminalSize(stream: BoardStream): Size {
  return {columns: stream.columns || 80, rows: stream.rows || 24}
}

export function liveBlock(stream: BoardStream): LiveBlock {
  let drawn: readonly string[] = []
  let started = false
  const restore = () => stream.write(WRAP_ON + SHOW_CURSOR)

  function frame(lasting: readonly string[], rows: readonly string[]): string {
    const up = rowsAbove(drawn, terminalSize(stream))
    const home = up > 0 ? `${ESC}${up}A\r` : '\r'
    drawn = rows
    return FRAME_START + home + ERASE_BELOW + lines(lasting) + WRAP_OFF + lines(rows) + WRAP_ON + FRAME_END
  }

  return {
    draw(lasting, rows) {
      if (!started) process.once('exit', restore)
      stream.write((started ? '' : HIDE_CURSOR) + frame(lasting, rows))
      started = true
    },
    end(lasting) {
      stream.write(frame(lasting, []) + (started ? SHOW_CURSOR : ''))
      process.off('exit', restore)
    },
  }
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join('')
}

/**
 * How many screen rows the block takes above the cursor. After the terminal became narrower its own reflow has broken
 * rows in two; the cursor waits on an empty row below them, as some terminals leave the cursor's row alone.
 */
function rowsAbove(drawn: readonly string[], {columns, rows}: Size): number {
  const taken = drawn.map((row) => Math.max(1, Math.ceil(textWidth(row) / columns)))
  const total = taken.reduce((sum, count) => sum + count, 0)
  return Math.min(total, rows - 1)
}

/** Whether a live board can be drawn on this stream: a terminal that knows how to move its cursor. */
export function canDrawLive(stream: {readonly isTTY?: boolean}, env: NodeJS.ProcessEnv): boolean {
  return stream.isTTY === true && env.TERM !== 'dumb' && env.TERM !== ''
}
