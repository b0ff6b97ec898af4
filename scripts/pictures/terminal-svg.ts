import type {IBufferCell, Terminal} from '@xterm/headless'

const CELL = {width: 8.4, height: 19, font: 14} as const
const PADDING = 16
const BACKGROUND = '#1b2029'
const FOREGROUND = '#d5dae3'
/** The terminal's first eight colours. */
const COLOURS = ['#3b4252', '#e06c75', '#7fc873', '#e0b45f', '#6aa3e8', '#c586d8', '#56b6c2', '#d5dae3']

interface Run {
  readonly text: string
  readonly column: number
  readonly width: number
  readonly style: string
}

/** What a terminal shows at a time, in seconds: the elements of each row, as if it were the first one. */
export interface Frame {
  readonly at: number
  readonly rows: readonly string[]
}

/** The screen of a terminal as a picture, without the empty rows at its end. */
export function terminalSvg(terminal: Terminal): string {
  const rows = Array.from({length: terminal.rows}, (_, row) => rowRuns(terminal, row))
  const last = rows.findLastIndex((runs) => runs.length > 0)
  const texts = rows.slice(0, last + 1).flatMap((runs, row) => runs.map((run) => textElement(run, row)))
  return picture({columns: terminal.cols, rows: last + 1}, texts)
}

/** Returns what a terminal shows now. */
export function frameOf(terminal: Terminal, at: number): Frame {
  const rows = Array.from({length: terminal.rows}, (_, row) => rowRuns(terminal, row))
  return {at, rows: rows.map((runs) => runs.map((run) => textElement(run, 0)).join(''))}
}

/**
 * Frames as a picture that repeats them, the last one for `rest` seconds; with reduced motion it shows only
 * that one. Equal rows are in the file once.
 */
export function animatedSvg(columns: number, frames: readonly Frame[], rest: number): string {
  const end = frames.at(-1)!.at + rest
  const percent = (at: number) => `${((at / end) * 100).toFixed(2)}%`
  const rows = [...new Set(frames.flatMap((frame) => frame.rows))].filter((row) => row !== '')
  const use = (row: string, at: number) => `<use href="#r${rows.indexOf(row)}" y="${at * CELL.height}"/>`
  const groups = frames.map((frame, index) => {
    const lines = frame.rows.flatMap((row, at) => (row === '' ? [] : [use(row, at)]))
    return `<g class="f" style="animation-name:f${index}">${lines.join('')}</g>`
  })
  const keyframes = frames.map(({at}, index) => {
    const until = frames[index + 1]
    const gone = until ? `${percent(until.at)},100%{visibility:hidden}` : ''
    return `@keyframes f${index}{0%{visibility:${at === 0 ? 'visible' : 'hidden'}}${percent(at)}{visibility:visible}${gone}}`
  })
  const style = [
    `.f{visibility:hidden;animation:${end.toFixed(1)}s step-end infinite}`,
    ...keyframes,
    '@media(prefers-reduced-motion:reduce){.f{animation:none}.f:last-child{visibility:visible}}',
  ]
  return picture({columns, rows: frames[0]!.rows.length}, [
    `<style>${style.join('\n')}</style>`,
    `<defs>${rows.map((row, index) => `<g id="r${index}">${row}</g>`).join('\n')}</defs>`,
    ...groups,
  ])
}

function picture(
  size: {readonly columns: number; readonly rows: number},
  content: readonly string[],
): string {
  const width = Math.ceil(size.columns * CELL.width) + 2 * PADDING
  const height = size.rows * CELL.height + 2 * PADDING
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">`,
    `<rect width="${width}" height="${height}" rx="8" fill="${BACKGROUND}"/>`,
    `<g font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="${CELL.font}" fill="${FOREGROUND}">`,
    ...content,
    '</g>',
    '</svg>',
  ].join('\n')}\n`
}

/** The cells of a row, joined if they look alike, without trailing blanks. */
function rowRuns(terminal: Terminal, row: number): readonly Run[] {
  const line = terminal.buffer.active.getLine(terminal.buffer.active.baseY + row)
  const runs: Run[] = []
  for (let column = 0; column < terminal.cols; column++) {
    const cell = line?.getCell(column)
    if (!cell || cell.getWidth() === 0) continue
    const text = cell.getChars() || ' '
    const style = styleOf(cell)
    const before = runs.at(-1)
    if (before && before.style === style) {
      runs[runs.length - 1] = {...before, text: before.text + text, width: before.width + cell.getWidth()}
    } else {
      runs.push({text, column, width: cell.getWidth(), style})
    }
  }
  return runs.map(trimmed).filter(({text}) => text !== '')
}

function trimmed(run: Run): Run {
  const start = run.text.length - run.text.trimStart().length
  const end = run.text.length - run.text.trimEnd().length
  return {...run, text: run.text.trim(), column: run.column + start, width: run.width - start - end}
}

function styleOf(cell: IBufferCell): string {
  const colour = cell.isFgPalette() ? COLOURS[cell.getFgColor()] : undefined
  return [
    ...(colour ? [`fill="${colour}"`] : []),
    ...(cell.isBold() ? ['font-weight="bold"'] : []),
    ...(cell.isDim() ? ['opacity="0.6"'] : []),
  ].join(' ')
}

/** With its length set, a text element keeps its columns in any font. */
function textElement({text, column, width, style}: Run, row: number): string {
  const x = (PADDING + column * CELL.width).toFixed(1)
  const y = PADDING + row * CELL.height + CELL.font
  const length = (width * CELL.width).toFixed(1)
  const attributes = [`x="${x}" y="${y}" textLength="${length}" xml:space="preserve"`, style].filter(Boolean)
  return `<text ${attributes.join(' ')}>${escaped(text)}</text>`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
