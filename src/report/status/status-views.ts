import type {ReleaseId} from '../../release.ts'
import type {ReleaseStatus} from '../../verbs/observation/release-status.ts'
import type {StatusLook} from '../../verbs/observation/watch-status.ts'
import {type ColourLevel, type Palette, palette as paletteOf} from '../colour.ts'
import {type BoardStream, LiveBlock, terminalSize} from '../run/terminal.ts'
import {plainLine} from '../text/plain.ts'
import {type View, viewText} from '../text/view.ts'
import {statusLine, statusText} from './status-text.ts'

/** Shows one status snapshot after the other. */
export type StatusView = (snapshot: StatusLook) => void

/**
 * Returns a view that redraws the table with the time of each snapshot. Lines that do not fit on the screen
 * are counted.
 */
export function statusTable(stream: BoardStream, title: string, level: ColourLevel): StatusView {
  const colours = paletteOf(level)
  const block = new LiveBlock(stream)
  let last: View = 'nothing has been seen yet'
  return (snapshot) => {
    if ('report' in snapshot) last = statusText(snapshot.report.releases, colours, snapshot.report)
    const trouble = 'problem' in snapshot ? [colours.bad(plainLine(snapshot.problem.message))] : []
    const clock = snapshot.at.toTimeString().slice(0, 8)
    const {rows, columns} = terminalSize(stream)
    const view = [`${colours.strong(title)}  ${colours.quiet(clock)}`, ...trouble, ...[last].flat()]
    const lines = viewText(view, columns).trimEnd().split('\n')
    const room = rows - 1
    const shown = lines.length <= room ? lines : lines.slice(0, room - 1)
    const rest = lines.length - shown.length
    block.draw([], rest === 0 ? shown : [...shown, colours.quiet(`… ${rest} more lines`)])
  }
}

/** Returns a view that writes a line for each change: text, or a JSON document. */
export function statusLines(
  stream: Pick<BoardStream, 'write'>,
  form: 'text' | 'ndjson',
  level: ColourLevel,
): StatusView {
  const colours = paletteOf(level)
  const changes = new StatusChanges()
  return (snapshot) => {
    for (const change of changes.next(snapshot)) {
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

/** A difference between two status snapshots. */
type StatusChange =
  | {readonly type: 'release-seen' | 'release-changed'; readonly at: string; readonly release: ReleaseStatus}
  | {readonly type: 'release-gone'; readonly at: string; readonly release: Pick<ReleaseStatus, 'release'>}
  | {readonly type: 'cluster-lost'; readonly at: string; readonly problem: string}
  | {readonly type: 'cluster-found'; readonly at: string}

/** Compares each status snapshot with the one before. It expects every snapshot once, in order. */
class StatusChanges {
  /** The releases of the last snapshot as JSON. */
  #releases: ReadonlyMap<ReleaseId, string> = new Map()
  /** Why the cluster did not answer the last time. */
  #problem: string | undefined

  next(snapshot: StatusLook): readonly StatusChange[] {
    const at = snapshot.at.toISOString()
    if ('problem' in snapshot) {
      const {message} = snapshot.problem
      if (this.#problem === message) return []
      this.#problem = message
      return [{type: 'cluster-lost', at, problem: message}]
    }
    const answers: readonly StatusChange[] = this.#problem === undefined ? [] : [{type: 'cluster-found', at}]
    this.#problem = undefined
    const before = this.#releases
    const rows = snapshot.report.releases
    const now = new Map(rows.map((row) => [row.release, JSON.stringify(row)]))
    this.#releases = now
    const changed = rows
      .filter((row) => before.get(row.release) !== now.get(row.release))
      .map((row): StatusChange => {
        const type = before.has(row.release) ? 'release-changed' : 'release-seen'
        return {type, at, release: row}
      })
    const removed = [...before.keys()]
      .filter((release) => !now.has(release))
      .map((release): StatusChange => ({type: 'release-gone', at, release: {release}}))
    return [...answers, ...changed, ...removed]
  }
}
