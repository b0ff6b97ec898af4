import type {AuditReport, Repaired, ReportedFinding} from '../verbs/audit.ts'
import type {Palette} from './colour.ts'
import {type Columns, table} from './table.ts'
import {counted} from './text/list.ts'
import {plainLine} from './text/plain.ts'
import type {View} from './text/view.ts'

/**
 * Returns one row for each finding with the command that repairs it, the sources that were not asked, and the
 * counts.
 */
export function auditText({findings, asked, notAsked}: AuditReport, palette: Palette): View {
  const sign = ({certainty}: ReportedFinding) => (certainty === 'certain' ? palette.bad : palette.change)
  const columns: Columns<ReportedFinding> = [
    (finding) => sign(finding)(`${finding.certainty === 'certain' ? '✘' : '?'} ${finding.kind}`),
    ({what, certainty}) => plainLine(certainty === 'likely' ? `likely: ${what}` : what),
  ]
  const below = ({repair}: ReportedFinding) => [`    ${palette.accent('→')} ${plainLine(repair)}`]
  const missing = notAsked.map(({source, reason}) =>
    palette.change(`not asked: ${source}: ${plainLine(reason)}`),
  )
  const safe = findings.filter((each) => each.safe).length
  return [
    ...(findings.length > 0 ? [table(findings, columns, {below}), ''] : []),
    ...missing,
    ...(findings.length > 0 ? [palette.bad(counted(findings.length, 'finding'))] : []),
    ...(safe > 0 ? [`kk audit --repair repairs ${safe} of them`] : []),
    ...(findings.length === 0
      ? [
          missing.length === 0
            ? palette.good(`${counted(asked.length, 'source')} agree`)
            : palette.change(`no finding in ${counted(asked.length, 'source')}`),
        ]
      : []),
  ]
}

/** Returns one row for each executed repair, with the last lines of its output. */
export function repairedText(repaired: readonly Repaired[], palette: Palette): View {
  return repaired.flatMap(({command, succeeded, output}) => [
    succeeded ? palette.good(`✔ ${plainLine(command)}`) : palette.bad(`✘ ${plainLine(command)}`),
    ...output
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => palette.quiet(`    ${plainLine(line)}`)),
  ])
}
