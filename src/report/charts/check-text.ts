import type {ChartFault} from '../../doctor/charts/chart-fault.ts'
import {CHECK_GROUPS, type CheckCoverage, type CheckGroup, checkGroup} from '../../doctor/check-groups.ts'
import type {Finding, Level} from '../../doctor/finding.ts'
import {releaseName} from '../../release.ts'
import type {Palette} from '../colour.ts'
import {countsText, findingRows, levelSign} from '../doctor-text.ts'
import {counted} from '../text/list.ts'
import type {View} from '../text/view.ts'

export interface CheckedFile {
  readonly file: string
  readonly findings: readonly (Finding | ChartFault)[]
  readonly coverage: CheckCoverage
}

/** Returns the findings by group, each below a line that says what was checked, and what was not. */
export function checkText({file, findings, coverage}: CheckedFile, palette: Palette): View {
  const parts = CHECK_GROUPS.flatMap((group) => {
    const own = findings.filter((finding) => checkGroup(finding) === group)
    const title = `${levelSign(groupLevel(group, own, coverage), palette)} ${palette.strong(group.padEnd(10))}`
    return [
      `${title}  ${checkedText(group, coverage) ?? notCheckedText(group, coverage)}`,
      ...omittedTexts(group, coverage).map((line) => `  ${palette.quiet(`not checked: ${line}`)}`),
      findingRows(own.map(placed), palette, '  '),
    ]
  })
  return [
    `${palette.strong(file)}:`,
    ...parts,
    '',
    countsText(findings, palette, 'no problem in what was checked'),
  ]
}

function groupLevel(
  group: CheckGroup,
  own: CheckedFile['findings'],
  {[group]: checked, charts}: CheckCoverage,
): Level {
  const isBroken = group === 'charts' && charts !== undefined && charts.rendered < charts.releases
  if (isBroken || own.some(({level}) => level === 'problem')) return 'problem'
  if (own.some(({level}) => level === 'warning')) return 'warning'
  return checked === undefined ? 'info' : 'ok'
}

/** Returns what was checked in a group; undefined if nothing was. */
function checkedText(group: CheckGroup, coverage: CheckCoverage): string | undefined {
  const {file, values, references, charts, accounts, cluster} = coverage
  const texts = {
    file: file && `the environment "${file.name}" with ${counted(file.sections, 'section')}`,
    values:
      values &&
      `the keys of ${counted(values.schemas, 'chart')}, ${counted(values.options, 'option')} of conf`,
    references: references && counted(references.requirements, 'requirement'),
    charts:
      charts &&
      `${charts.rendered} of ${counted(charts.releases, 'chart')} rendered, ${counted(charts.objects, 'object')}`,
    accounts: accounts && `${counted(accounts.compared, 'account')} in several places`,
    cluster: cluster && `${counted(cluster.deployed, 'deployed release')} compared`,
  }
  return texts[group]
}

function notCheckedText(group: CheckGroup, {file}: CheckCoverage): string {
  if (group === 'file') return 'cannot be used as an environment'
  if (group === 'cluster') return 'not checked: none was named, with --context or --sandbox'
  return `not checked: ${file ? 'solve the problems first' : 'the file must be correct first'}`
}

/** Returns what was omitted in a group that was checked. */
function omittedTexts(group: CheckGroup, {values}: CheckCoverage): readonly string[] {
  if (group !== 'values' || !values) return []
  const {withoutSchema, unlisted} = values
  return [
    ...(withoutSchema.length > 0 ? [`keys of ${withoutSchema.join(', ')}: the charts have no schema`] : []),
    ...(unlisted.length > 0 ? [`options without a list: ${unlisted.join(', ')}`] : []),
  ]
}

/** Returns a fault with its release and the file of the chart in its message. */
function placed(fault: Finding | ChartFault): Finding {
  if (!('release' in fault)) return fault
  const {release, file, what} = fault
  const place = file === undefined || what.includes(file) ? '' : ` (${file})`
  const name = releaseName(release)
  // A message of helm about a chart begins with the release already, and a message about several releases
  // with the first of them.
  const isNamed = what.startsWith(`${name}: `) || what.startsWith(`${name} and `)
  return {...fault, what: `${isNamed ? '' : `${name}: `}${what}${place}`}
}

/** Returns the same for `--output json|yaml`. */
export function checkDocument({file, findings, coverage}: CheckedFile) {
  return {
    file,
    findings: findings.map((finding) => ({group: checkGroup(finding), ...finding})),
    checked: coverage,
    notChecked: CHECK_GROUPS.filter((group) => coverage[group] === undefined),
  }
}
