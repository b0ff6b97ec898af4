import type {ExternalResource, ReleaseCleanup, RemainingResource} from '../../plan/removal/cleanup.ts'
import type {ReleaseId} from '../../release.ts'
import type {Palette} from '../colour.ts'
import {list} from '../table.ts'
import {type Labels, releaseLabels} from '../text/label.ts'
import {blocks, type Part} from '../text/view.ts'

/** Returns two lists: the things in other services that are deleted with releases, and those that stay. */
export function cleanupText(cleanups: readonly ReleaseCleanup[], palette: Palette): readonly Part[] {
  const labels = releaseLabels(cleanups.map(({release}) => release))
  const {goes, stays} = cleanupDocument(cleanups)
  return blocks([
    titled(goes, {
      title: palette.strong('is deleted from other services permanently'),
      labels,
      colour: palette.bad,
    }),
    titled(stays, {title: palette.strong('stays in other services'), labels}),
  ])
}

/** Returns what removed releases have left in other services, and how to delete it. */
export function resourcesLeftText(cleanups: readonly ReleaseCleanup[], palette: Palette): readonly Part[] {
  const labels = releaseLabels(cleanups.map(({release}) => release))
  const {stays} = cleanupDocument(cleanups)
  const remaining = titled(stays, {title: palette.strong('left in other services'), labels})
  if (remaining.length === 0) return []
  const isKept = cleanups.some(({deleted}) => deleted.length === 0)
  const hint = 'to remove what only a release used, deploy it once more, then kk remove it with --purge'
  return [...remaining, ...(isKept ? [hint] : [])]
}

type Row = ExternalResource & {readonly release: ReleaseId; readonly why?: string}

interface ListOptions {
  readonly title: string
  readonly labels: Labels
  readonly colour?: (text: string) => string
}

function titled(rows: readonly Row[], {title, labels, colour = String}: ListOptions): readonly Part[] {
  const shown = list(rows, [
    ({release}) => colour(labels(release)),
    ({kind}) => colour(kind),
    ({name}) => colour(name),
    ({at}) => colour(at),
    ({why = ''}) => why,
  ])
  return rows.length === 0 ? [] : [title, shown]
}

/** What happens to the things that releases have in other services, for programs. */
export interface CleanupDocument {
  readonly goes: readonly (ExternalResource & {readonly release: ReleaseId})[]
  readonly stays: readonly (RemainingResource & {readonly release: ReleaseId})[]
}

export function cleanupDocument(cleanups: readonly ReleaseCleanup[]): CleanupDocument {
  return {
    goes: cleanups.flatMap(({release, deleted}) => deleted.map((thing) => ({release, ...thing}))),
    stays: cleanups.flatMap(({release, stays}) => stays.map((thing) => ({release, ...thing}))),
  }
}
