import type {FoundLine} from '../verbs/observation/logs.ts'
import type {Palette} from './colour.ts'
import {plainLine} from './text/plain.ts'

/** Returns one line, e.g. `2026-11-30T01:00:00.123Z nova-api-x/api  …`. */
export function logLineText({time, pod, container, text}: FoundLine, palette: Palette): string {
  const at = time.replace(/(\.\d{3})\d*/, '$1')
  return `${palette.quiet(at)} ${palette.strong(`${pod}/${container}`)}  ${plainLine(text)}`
}
