import type {Finding, Level} from '../doctor/finding.ts'
import type {Palette} from './colour.ts'
import {table} from './table.ts'
import {counted} from './text/list.ts'
import {plainLine} from './text/plain.ts'

const SIGN = {ok: '✔', info: '·', warning: '!', problem: '✘'} as const satisfies Record<Level, string>

/** Returns findings as text: one line for each, and below everything that is not fine what to do. */
export function doctorText(findings: readonly Finding[], palette: Palette): string {
  const names = table(
    findings.map(({check, level}) => [colour(level, palette)(`${SIGN[level]} ${check}`), '|']),
  )
  const lines = findings.flatMap(({level, what, advice}, index) => [
    `${names[index]!.slice(0, -1)}${(level === 'ok' ? palette.quiet : String)(plainLine(what))}`,
    ...(advice === undefined || level === 'ok' ? [] : [`    ${palette.accent('→')} ${plainLine(advice)}`]),
  ])
  return `${[...lines, '', countsText(findings, palette)].join('\n')}\n`
}

function countsText(findings: readonly Finding[], palette: Palette): string {
  const count = (level: Level) => findings.filter((finding) => finding.level === level).length
  const [problems, warnings] = [count('problem'), count('warning')]
  if (problems + warnings === 0) return palette.good('nothing is wrong')
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
