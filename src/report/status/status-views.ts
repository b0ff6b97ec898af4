import type {StatusLook} from '../../verbs/observation/watch-status.ts'
import type {ColourLevel} from '../colour.ts'
import {type Palette, palette as paletteOf} from '../colour.ts'
import {type BoardStream, liveBlock, terminalSize} from '../run/board/terminal.ts'
import {fitted} from '../text/fitted.ts'
import {plainLine} from '../text/plain.ts'
import {type StatusChange, statusChanges} from './status-changes.ts'
import {statusLine, statusText} from './status-text.ts'

/** Shows one look after the other. */
export type StatusView = (look: StatusLook) => void

/** A table that is drawn anew, with the time of the look; what does not fit on the screen is counted. */
export function statusTable(stream: BoardStream, title: string, level: ColourLevel): StatusView {
  const colours = paletteOf(level)
  const block = liveBlock(stream)
  let last = 'nothing has been seen yet\n'
  return (look) => {
    if ('report' in look) last = statusText(look.report.releases, colours)
    const trouble = 'problem' in look ? [colours.bad(plainLine(look.problem.message))] : []
    const clock = look.at.toTimeString().slice(0, 8)
    const {rows, columns} = terminalSize(stream)
    const text = [`${colours.strong(title)}  ${colours.quiet(clock)}`, ...trouble, last.trimEnd()].join('\n')
    const lines = fitted(text, columns).split('\n')
    const room = rows - 1
    const shown = lines.length <= room ? lines : lines.slice(0, room - 1)
    const rest = lines.length - shown.length
    block.draw([], rest === 0 ? shown : [...shown, colours.quiet(`… ${rest} more lines`)])
  }
}

/** A line for each change: for people, or one JSON document each. */
export function statusLines(
  stream: Pick<BoardStream, 'write'>,
  form: 'text' | 'ndjson',
  level: ColourLevel,
): StatusView {
  const colours = paletteOf(level)
  const changes = statusChanges()
  return (look) => {
    for (const change of changes(look)) {
      stream.write(`${form === 'ndjson' ? JSON.stringify(change) : changeText(change, colours)}\n`)
    }
  }
}

function changeText(change: StatusChange, palette: Palette): string {
  const time = palette.quiet(new Date(change.at).toTimeString().slice(0, 8))
  if (change.type === 'cluster-lost') return `${time} ${palette.bad(plainLine(change.problem))}`
  if (change.type === 'cluster-found') return `${time} ${palette.good('the cluster answers again')}`
  if (change.type === 'release-gone') return `${time} ${change.release.release}  gone`
  return `${time} ${statusLine(change.release, palette)}`
}
