import {table} from '../src/report/table.ts'
import {viewText} from '../src/report/text/view.ts'

/** The arguments of every measurement. */
export interface Bench {
  /** The built binary. */
  readonly kk: string
  /** The directory of the real binaries. */
  readonly toolbox: string
  /** For files; removed at the end. */
  readonly directory: string
  readonly signal: AbortSignal
}

/** One line of the table. */
export interface Result {
  readonly what: string
  /** The result of kk, e.g. `25 ms`. */
  readonly value: string
  /** What kk is compared with, and the comparison. */
  readonly beside?: {readonly what: string; readonly value: string; readonly ratio: string}
  readonly target?: {readonly text: string; readonly met: boolean}
}

/** Peak memory of a process, `VmHWM`, without its children. */
export function memory(which: string, bytes: number, mostBytes: number): Result {
  return {
    what: `  peak memory, ${which}`,
    value: megabytes(bytes),
    target: {text: `< ${megabytes(mostBytes)}`, met: bytes < mostBytes},
  }
}

export function resultTable(results: readonly Result[]): string {
  const list = table(results, {
    measurement: ({what}) => what,
    kk: {cell: ({value}) => value, align: 'right'},
    'beside it': ({beside}) => beside?.what ?? '',
    beside: {cell: ({beside}) => beside?.value ?? '', align: 'right'},
    ratio: {cell: ({beside}) => beside?.ratio ?? '', align: 'right'},
    target: ({target}) => target?.text ?? '',
    result: ({target}) => (target ? (target.met ? 'met' : 'MISSED') : ''),
  })
  return viewText(list).trimEnd()
}

export function milliseconds(value: number): string {
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`
}

export function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`
}
