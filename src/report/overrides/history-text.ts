import type {AuditEntry} from '../../overrides/user/store.ts'
import type {Palette} from '../colour.ts'
import {plainLine} from '../text/plain.ts'
import {differenceLines} from './overrides-text.ts'

/** Who changed which overrides when, newest first, with the lines that changed. */
export function overridesHistoryText(entries: readonly AuditEntry[], palette: Palette): string {
  if (entries.length === 0) return 'nobody has changed these overrides\n'
  const blocks = entries.map(({at, who, name, namespace, before, after}) =>
    [
      `${palette.strong(plainLine(name))} in ${plainLine(namespace)}  ${palette.quiet(`${at}  ${plainLine(who)}`)}`,
      ...(before === after
        ? ['    only what is secret was changed']
        : differenceLines(before ?? '', after ?? '', palette)),
    ].join('\n'),
  )
  return `${blocks.join('\n\n')}\n`
}
