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

const ESC = '\u001b['
const HIDE_CURSOR = `${ESC}?25l`
const SHOW_CURSOR = `${ESC}?25h`
const WRAP_OFF = `${ESC}?7l`
const WRAP_ON = `${ESC}?7h`
/** Synchronized output: the terminal shows a frame only when it is whole. Unknown to some, harmless there. */
const FRAME_START = `${ESC}?2026h`
const FRAME_END = `${ESC}?2026l`
const ERASE_BELOW = `${ESC}J`

/** Returns the size of a terminal; some report 0 × 0 or nothing. */
export function terminalSize(stream: BoardStream): Size {
  return {columns: stream.columns || 80, rows: stream.rows || 24}
}

/** Lines that stay and scroll away, above a block of rows that is redrawn. */
export class LiveBlock {
  readonly #stream: BoardStream
  #drawn: readonly string[] = []
  #isStarted = false
  readonly #restore = () => this.#stream.write(WRAP_ON + SHOW_CURSOR)

  constructor(stream: BoardStream) {
    this.#stream = stream
  }

  /** Draws fewer rows than the screen has; the terminal cuts each at its right edge. */
  draw(lasting: readonly string[], rows: readonly string[]): void {
    if (!this.#isStarted) process.once('exit', this.#restore)
    this.#stream.write((this.#isStarted ? '' : HIDE_CURSOR) + this.#frame(lasting, rows))
    this.#isStarted = true
  }

  /** Removes the block, leaves the lasting lines and shows the cursor again. */
  end(lasting: readonly string[]): void {
    this.#stream.write(this.#frame(lasting, []) + (this.#isStarted ? SHOW_CURSOR : ''))
    process.off('exit', this.#restore)
  }

  #frame(lasting: readonly string[], rows: readonly string[]): string {
    const up = rowsAbove(this.#drawn, terminalSize(this.#stream))
    const home = up > 0 ? `${ESC}${up}A\r` : '\r'
    this.#drawn = rows
    return FRAME_START + home + ERASE_BELOW + lines(lasting) + WRAP_OFF + lines(rows) + WRAP_ON + FRAME_END
  }
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join('')
}

/**
 * Returns the number of screen rows of the block above the cursor. A terminal that became narrower has
 * reflowed the rows; the cursor is on an empty row below them, because some terminals do not reflow the row
 * of the cursor.
 */
function rowsAbove(drawn: readonly string[], {columns, rows}: Size): number {
  const heights = drawn.map((row) => Math.max(1, Math.ceil(textWidth(row) / columns)))
  const total = heights.reduce((sum, count) => sum + count, 0)
  return Math.min(total, rows - 1)
}

/** Returns true if a live board can be drawn on this stream: a terminal that can move its cursor. */
export function canDrawLive(stream: {readonly isTTY?: boolean}, env: NodeJS.ProcessEnv): boolean {
  return stream.isTTY === true && env.TERM !== 'dumb' && env.TERM !== ''
}
