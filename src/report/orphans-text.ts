import type {FoundOrphans} from '../verbs/removal/orphans.ts'
import type {Palette} from './colour.ts'
import {table} from './table.ts'
import {counted} from './text/list.ts'

/** Returns the releases that nothing requires any more as text, and what may use them unknown to kk. */
export function orphansText({orphans, unknown}: FoundOrphans, palette: Palette): string {
  const rows = orphans.map(({release, owner, revision}) => [
    release,
    palette.quiet(`of ${owner}`),
    palette.quiet(`revision ${revision}`),
  ])
  const title =
    orphans.length === 0
      ? 'no release is left that was only required, and is not any more'
      : `${counted(orphans.length, 'release')} that nothing requires any more (remove them by name: kk remove NAME)`
  const notes = unknown.map(
    ({name, reason}) => `${palette.change('!')} ${name} may use any of these: ${reason}`,
  )
  return `${[title, ...table(rows, {indent: '  '}), ...notes].join('\n')}\n`
}
