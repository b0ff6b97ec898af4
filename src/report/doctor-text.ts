import type {Finding, Level} from '../doctor/finding.ts'
import type {Palette} from './colour.ts'
import {type Columns, table} from './table.ts'
import {counted} from './text/list.ts'
import {plainLine} from './text/plain.ts'
import type {Part, View} from './text/view.ts'

const SIGN = {ok: '✔', info: '·', warning: '!', problem: '✘'} as const satisfies Record<Level, string>

/** Returns one row for each finding, with the advice below findings that are not fine, and the counts. */
export function doctorText(findings: readonly Finding[], palette: Palette): View {
  return [
    findingRows(withoutRepetition(findings), palette),
    '',
    countsText(findings, palette, 'nothing is wrong'),
  ]
}

/** Returns one finding for several notes with the same message, such as that no cluster can be reached. */
function withoutRepetition(findings: readonly Finding[]): readonly Finding[] {
  const groups = Map.groupBy(findings, ({level, what, advice}) => JSON.stringify([level, what, advice]))
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    if (first === undefined || first.level !== 'info' || group.length === 1) return group
    const names = group.map(({check}) => check).join(', ')
    return [{...first, check: counted(group.length, 'check'), what: `${first.what}: ${names}`}]
  })
}

/** Returns one row for each finding, with the advice below findings that are not fine. */
export function findingRows(findings: readonly Finding[], palette: Palette, indent = ''): Part {
  const below = ({level, advice}: Finding) =>
    advice === undefined || level === 'ok' ? [] : [`${indent}    ${palette.accent('→')} ${plainLine(advice)}`]
  const columns: Columns<Finding> = [
    ({check, level}) => colour(level, palette)(`${SIGN[level]} ${check}`),
    ({level, what}) => (level === 'ok' ? palette.quiet : String)(plainLine(what)),
  ]
  return table(findings, columns, {below, indent})
}

/** Returns the sign of a level in its colour. */
export function levelSign(level: Level, palette: Palette): string {
  return colour(level, palette)(SIGN[level])
}

/** Returns how many findings are problems and warnings; `fine` if there are none. */
export function countsText(findings: readonly Finding[], palette: Palette, fine: string): string {
  const count = (level: Level) => findings.filter((finding) => finding.level === level).length
  const [problems, warnings] = [count('problem'), count('warning')]
  if (problems + warnings === 0) return palette.good(fine)
  const parts = [
    ...(problems === 0 ? [] : [palette.bad(counted(problems, 'problem'))]),
    ...(warnings === 0 ? [] : [palette.change(counted(warnings, 'warning'))]),
  ]
  return parts.join(', ')
}

function colour(level: Level, palette: Palette): (text: string) => string {
  if (level === 'ok') return palette.good
  if (level === 'problem') return palette.bad
  return level === 'warning' ? palette.change : palette.quiet
}
