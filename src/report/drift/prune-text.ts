import {effectivePrunings, type Pruning} from '../../verbs/removal/prune.ts'
import type {Palette} from '../colour.ts'
import {counted} from '../text/list.ts'
import {plainLine} from '../text/plain.ts'
import type {View} from '../text/view.ts'
import {leftoverLines} from './drift-text.ts'

/**
 * Returns the leftovers of failed revisions, release by release, and the counts of objects to delete and to
 * keep.
 */
export function pruneText(prunings: readonly Pruning[], palette: Palette): View {
  if (prunings.length === 0) return 'nothing is left over from failed revisions\n'
  const lines = prunings.flatMap(({release, revision, leftovers, skipped}) => [
    `${palette.strong(release)}  ${palette.quiet(`revision ${revision}`)}`,
    ...leftoverLines(leftovers, palette),
    ...(skipped === undefined ? [] : [`  left alone: ${plainLine(skipped)}`]),
  ])
  return [...lines, `${palette.strong('prune')}: ${countsText(prunings)}`]
}

function countsText(prunings: readonly Pruning[]): string {
  const deletedCount = effectivePrunings(prunings).flatMap(({leftovers}) => leftovers).length
  const staying = prunings.flatMap(({leftovers}) => leftovers).length - deletedCount
  return `${counted(deletedCount, 'object')} to delete, ${staying} to stay`
}
