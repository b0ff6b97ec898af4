import type {FoundOrphans} from '../verbs/removal/orphans.ts'
import type {Palette} from './colour.ts'
import {list} from './table.ts'
import {counted} from './text/list.ts'
import type {View} from './text/view.ts'

/**
 * Returns the releases that nothing requires any longer, and the releases that may use them without a record
 * in kk.
 */
export function orphansText({orphans, unknown}: FoundOrphans, palette: Palette): View {
  const {quiet} = palette
  const shown = list(orphans, [
    ({release}) => release,
    ({owner}) => quiet(`of ${owner}`),
    {cell: ({revision}) => quiet(`revision ${revision}`), whole: true},
  ])
  const title =
    orphans.length === 0
      ? 'no release is left that was only required, and is no longer'
      : `${counted(orphans.length, 'release')} that nothing requires any longer (remove them by name: kk remove NAME)`
  const notes = unknown.map(
    ({name, reason}) => `${palette.change('!')} ${name} may use any of these: ${reason}`,
  )
  return [title, shown, ...notes]
}
