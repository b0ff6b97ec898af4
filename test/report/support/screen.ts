import xterm from '@xterm/headless'
import type {BoardStream} from '../../../src/report/run/terminal.ts'

/** A real terminal model to draw on. */
export interface Screen {
  readonly stream: BoardStream
  readonly terminal: xterm.Terminal
  /** What was written since the start. */
  readonly written: () => string
  /** The rows that can be seen, without trailing blanks. */
  rows(): Promise<readonly string[]>
  /** The rows that can be seen and those that have scrolled away, without the empty ones at the end. */
  everything(): Promise<readonly string[]>
  resize(columns: number, rows: number): Promise<void>
}

export function createScreen(columns: number, rows: number): Screen {
  // A kernel's terminal adds the carriage return to each newline.
  const terminal = new xterm.Terminal({
    cols: columns,
    rows,
    convertEol: true,
    scrollback: 5000,
    allowProposedApi: true,
  })
  const listeners = new Set<() => void>()
  let written = ''
  const flushed = () => new Promise<void>((resolve) => terminal.write('', resolve))

  function lines(from: number, to: number): string[] {
    const found: string[] = []
    for (let y = from; y < to; y++)
      found.push(terminal.buffer.active.getLine(y)?.translateToString(true) ?? '')
    return found
  }

  const stream: BoardStream = {
    get columns() {
      return terminal.cols
    },
    get rows() {
      return terminal.rows
    },
    write(text) {
      written += text
      terminal.write(text)
    },
    on: (_event, listener) => listeners.add(listener),
    off: (_event, listener) => listeners.delete(listener),
  }

  return {
    stream,
    terminal,
    written: () => written,
    async rows() {
      await flushed()
      const top = terminal.buffer.active.baseY
      return lines(top, top + terminal.rows)
    },
    async everything() {
      await flushed()
      const all = lines(0, terminal.buffer.active.length)
      return all.slice(0, all.findLastIndex((line) => line !== '') + 1)
    },
    async resize(newColumns, newRows) {
      await flushed()
      terminal.resize(newColumns, newRows)
      for (const listener of listeners) listener()
      await flushed()
    },
  }
}
