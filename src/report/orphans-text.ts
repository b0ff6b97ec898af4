import type {FoundOrphans} from '../verbs/removal/orphans.ts'
import type {Palette} from './colour.ts'
import {table} from './table.ts'
import {counted} from './text/list.ts'
import type {View} from './text/view.ts'

/** Returns the releases that nothing requires any longer, and the releases that may use them without a record in kk. */
export function orphansText({orphans, unknown}: FoundOrphans, palette: Palette): View {
  const {quiet} = palette
  const list = table<FoundOrphans['orphans'][number]>(
    orphans,
    [
      {cell: ({release}) => release},
      {cell: ({owner}) => quiet(`of ${owner}`)},
      {cell: ({revision}) => quiet(`revision ${revision}`), whole: true},
    ],
    {indent: '  '},
  )
  const title =
    orphans.length === 0
      ? 'no release is left that was only required, and is not any more'
      : `${counted(orphans.length, 'release')} that nothing requires any more (remove them by name: kk remove NAME)`
  const notes = unknown.map(
    ({name, reason}) => `${palette.change('!')} ${name} may use any of these: ${reason}`,
  )
  return [title, list, ...notes]
}
