import type {OutsideThing, ReleaseCleanup, StayingThing} from '../../plan/removal/cleanup.ts'
import type {ReleaseId} from '../../release.ts'
import type {Palette} from '../colour.ts'
import {table} from '../table.ts'
import {releaseLabels} from '../text/label.ts'

/** Returns two lists: what goes with releases in other services, and what stays there. */
export function cleanupText(cleanups: readonly ReleaseCleanup[], palette: Palette): string {
  const labels = releaseLabels(cleanups.map(({release}) => release))
  const goes = cleanups.flatMap(({release, goes}) =>
    goes.map((thing) => [labels(release), thing.kind, thing.name, thing.at].map(palette.bad)),
  )
  const lists = [
    ...(goes.length === 0
      ? []
      : [[palette.strong('goes from other services, for good'), ...table(goes, {indent: '  '})]]),
    stayingLines(cleanups, palette.strong('stays in other services')),
  ]
  return lists
    .map((lines) => lines.map((line) => `${line}\n`).join(''))
    .filter(Boolean)
    .join('\n')
}

/** Returns what releases that are gone have left in other services, and how that goes. */
export function leftElsewhereText(cleanups: readonly ReleaseCleanup[], palette: Palette): string {
  const lines = stayingLines(cleanups, palette.strong('left in other services'))
  if (lines.length === 0) return ''
  const isKept = cleanups.some(({goes}) => goes.length === 0)
  const hint = 'to take away what a release had alone, deploy it once more, then kk remove it with --purge'
  return [...lines, ...(isKept ? [hint] : [])].map((line) => `${line}\n`).join('')
}

function stayingLines(cleanups: readonly ReleaseCleanup[], title: string): readonly string[] {
  const labels = releaseLabels(cleanups.map(({release}) => release))
  const rows = cleanups.flatMap(({release, stays}) =>
    stays.map(({kind, name, at, why}) => [labels(release), kind, name, at, why]),
  )
  return rows.length === 0 ? [] : [title, ...table(rows, {indent: '  '})]
}

/** What becomes of what releases have in other services, for programs. */
export interface CleanupDocument {
  readonly goes: readonly (OutsideThing & {readonly release: ReleaseId})[]
  readonly stays: readonly (StayingThing & {readonly release: ReleaseId})[]
}

export function cleanupDocument(cleanups: readonly ReleaseCleanup[]): CleanupDocument {
  return {
    goes: cleanups.flatMap(({release, goes}) => goes.map((thing) => ({release, ...thing}))),
    stays: cleanups.flatMap(({release, stays}) => stays.map((thing) => ({release, ...thing}))),
  }
}
