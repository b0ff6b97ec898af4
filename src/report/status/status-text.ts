import {failureCauses, passes} from '../../kubernetes/gate/health.ts'
import {releaseName} from '../../release.ts'
import type {LastTest} from '../../verbs/observation/last-test.ts'
import {isPassing, type ReleaseHolder, type ReleaseStatus} from '../../verbs/observation/release-status.ts'
import type {Palette} from '../colour.ts'
import {KEEP_REASONS} from '../drift/drift-text.ts'
import {leftBehindLines} from '../run/left-behind-text.ts'
import {causeText, noteText} from '../run/run-words.ts'
import {type HeadedColumns, table} from '../table.ts'
import {type Labels, releaseLabels} from '../text/label.ts'
import {plainLine, plainLines} from '../text/plain.ts'
import type {View} from '../text/view.ts'

const NOTHING = '–'

interface StatusTextOptions {
  /** The last run of the tests that use the whole cloud. */
  readonly lastTest?: LastTest | undefined
  /** Milliseconds since the epoch. */
  readonly now?: number
}

/**
 * Returns a table of releases, then reasons and advice for the unhealthy ones, and the last test of the whole
 * cloud.
 */
export function statusText(
  rows: readonly ReleaseStatus[],
  palette: Palette,
  options: StatusTextOptions = {},
): View {
  if (rows.length === 0) return 'no releases\n'
  const {columns, below} = statusParts(rows, palette, options)
  const list = table(rows, columns, {headColour: palette.strong})
  return [list, ...(below.length === 0 ? [] : ['', ...below])]
}

/** The columns of a table of releases, and the lines below it. */
interface StatusParts {
  readonly columns: HeadedColumns<ReleaseStatus>
  readonly below: readonly string[]
}

/** Returns the parts of `statusText`, for a view with its own table. */
export function statusParts(
  rows: readonly ReleaseStatus[],
  palette: Palette,
  {lastTest, now = Date.now()}: StatusTextOptions = {},
): StatusParts {
  const dependentReleases = rows.flatMap(({dependents}) => dependents.map(({release}) => release))
  const labels = releaseLabels([...rows.map(({release}) => release), ...dependentReleases])
  const reasons = rows.flatMap((row) => reasonLines(row, {rows, labels, palette}))
  const tested = lastTest ? [`user test: ${testText(lastTest, palette, now)}`] : []
  const left = leftBehindLines(
    rows.map(({release, health}) => ({release, health: health && passes(health) ? health : undefined})),
    labels,
  )
  return {columns: columnsOf(rows, {labels, palette, now}), below: [...tested, ...reasons, ...left]}
}

/**
 * Returns the state of a release in a word or two: its health, or the status of a release that is not
 * deployed. Without a row, nothing is known of it.
 */
export function statusWord(row: ReleaseStatus | undefined, palette: Palette): string {
  if (!row) return palette.quiet('not known')
  if (row.revision === 0) return palette.quiet(row.status)
  if (row.status !== 'deployed') return palette.change(row.status)
  return row.health === undefined ? palette.quiet('not known') : healthText(row.health, palette)
}

/** Returns one release on one line: `failed: Deployment/keystone-api: 0 of 1 replicas are available; …`. */
export function statusLine(row: ReleaseStatus, palette: Palette): string {
  const {release, revision, status, health, holder} = row
  const [cause] = health ? failureCauses(health) : []
  const parts = [
    revision === 0 ? status : `revision ${revision} ${status}`,
    ...(health ? [healthText(health, palette)] : []),
    ...(cause ? [causeText(cause)] : []),
    ...(holder ? [holderText(holder)] : []),
  ]
  return `${isPassing(row) ? palette.good('✔') : palette.change('!')} ${release}  ${parts.join(', ')}`
}

function columnsOf(
  rows: readonly ReleaseStatus[],
  {labels, palette, now}: {readonly labels: Labels; readonly palette: Palette; readonly now: number},
): HeadedColumns<ReleaseStatus> {
  const {change, quiet} = palette
  const hasTests = rows.some(({lastTest}) => lastTest !== undefined)
  return {
    release: ({release}) => labels(release),
    revision: {cell: ({revision}) => (revision === 0 ? NOTHING : String(revision)), align: 'right'},
    status: ({status}) => (status === 'deployed' ? status : change(status)),
    health: ({health}) => healthText(health, palette),
    ...(hasTests && {tested: ({lastTest}: ReleaseStatus) => testText(lastTest, palette, now)}),
    inputs: (row) => inputsText(row, palette),
    chart: ({chart, version}) => quiet(`${chart} ${version}`.trim()),
    owner: ({owner}) => owner ?? NOTHING,
    requires: {cell: ({requires}) => String(requires.length), align: 'right'},
    dependents: {cell: ({dependents}) => String(dependents.length), align: 'right'},
  }
}

function inputsText({inputs, wanted}: ReleaseStatus, palette: Palette): string {
  if (!wanted) return palette.change('no longer wanted')
  return inputs === 'changed' ? palette.change(inputs) : palette.quiet(inputs)
}

function healthText(health: ReleaseStatus['health'], palette: Palette): string {
  if (health === undefined) return palette.quiet(NOTHING)
  if (health.state === 'healthy') return palette.good(health.state)
  if (health.state === 'unknown') return palette.bad('not known')
  return health.state === 'failed' ? palette.bad(health.state) : palette.change(health.state)
}

/** Returns the result of the last tests: `passed 12 min ago`, `failed 2 h ago, before revision 5`. */
function testText(test: LastTest | undefined, palette: Palette, now: number): string {
  if (test === undefined) return palette.quiet(NOTHING)
  if (test.state === 'not-tested') return palette.quiet('not tested')
  const {at, before} = test
  const age = at === undefined ? [] : [`${ageText((now - Date.parse(at)) / 1000)} ago`]
  const text = [...(test.state === 'failed' ? ['failed'] : ['passed']), ...age].join(' ')
  const colour = test.state === 'failed' ? palette.bad : before === undefined ? palette.good : palette.change
  return colour(before === undefined ? text : `${text}, before ${before}`)
}

/** Returns an age in its largest unit: `12 min`, `3 h`, `5 d`. */
function ageText(seconds: number): string {
  const minutes = Math.floor(Math.max(0, seconds) / 60)
  if (minutes < 1) return '< 1 min'
  if (minutes < 60) return `${minutes} min`
  return minutes < 48 * 60 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 60 / 24)} d`
}

interface Reasoning {
  readonly rows: readonly ReleaseStatus[]
  readonly labels: Labels
  readonly palette: Palette
}

function reasonLines(row: ReleaseStatus, {rows, labels, palette}: Reasoning): readonly string[] {
  const {health, holder, unreadable, advice, wanted} = row
  const name = labels(row.release)
  const causes = health === undefined ? [] : failureCauses(health)
  const notes = health !== undefined && passes(health) ? (health.notes ?? []) : []
  const outsiders = row.dependents.filter(
    ({environment, isForeign}) => isForeign || (environment !== undefined && environment !== row.owner),
  )
  return [
    ...causes.flatMap((cause) => [
      `${name}: ${causeText(cause)}`,
      ...(cause.log ?? []).flatMap(plainLines).map((line) => `  ${palette.quiet('|')} ${line}`),
    ]),
    ...notes.map((note) => `${name}: ${noteText(note)}`),
    ...(unreadable === undefined ? [] : [`${name}: ${plainLine(unreadable)}`]),
    ...(holder === undefined ? [] : [`${name}: ${holderText(holder)}`]),
    ...(advice === undefined ? [] : [`${name}: ${advice}`]),
    ...driverLines(name, row),
    ...missingLines(name, row, rows),
    ...leftoverLines(name, row),
    ...(wanted ? [] : [`${name}: the file no longer names it; to remove it: kk remove ${name}`]),
    ...(outsiders.length === 0
      ? []
      : [
          `${name}: also required by ${outsiders.map(({release, environment}) => `${labels(release)} (${environment === undefined ? 'not installed by kk' : `environment ${environment}`})`).join(', ')}`,
        ]),
  ]
}

/** Returns the managers of a release other than kk. */
function driverLines(name: string, {exportedTo, madeBy, owner, revision}: ReleaseStatus): readonly string[] {
  if (exportedTo === undefined && madeBy === undefined) return []
  const maker =
    madeBy === undefined ? 'its last revision is still of kk' : `${madeBy} made revision ${revision}`
  const driver =
    exportedTo === undefined
      ? `${owner === undefined ? 'kk did not install it' : 'kk does not drive it alone'}: `
      : `handed over to ${exportedTo}, until kk adopt ${name} takes it back: `
  return [plainLine(`${name}: ${driver}${maker}`)]
}

function holderText({holder, since, operation, stale}: ReleaseHolder): string {
  const what = operation === undefined ? '' : ` to ${operation} it`
  if (stale !== undefined)
    return plainLine(`no process works on it: ${holder}, ${stale}, held it${what}; the next run takes over`)
  const time = since === undefined ? '' : ` since ${since.slice(0, 19).replace('T', ' ')}Z`
  return plainLine(`held${time}${what} by ${holder}`)
}

function missingLines(name: string, row: ReleaseStatus, rows: readonly ReleaseStatus[]): readonly string[] {
  const {missing = [], wanted} = row
  if (missing.length === 0) return []
  const fix = wanted ? `; to create it again: ${againCommand(name, row, rows)}` : ''
  return [plainLine(`${name}: gone from the cluster: ${missing.join(', ')}${fix}`)]
}

/**
 * Returns the command that re-creates missing objects. A change re-creates missing objects of the release
 * itself and of its requirements; see `stuckReleases`.
 */
function againCommand(name: string, row: ReleaseStatus, rows: readonly ReleaseStatus[]): string {
  const changes = ({wanted, inputs, revision}: ReleaseStatus) =>
    wanted && (inputs === 'changed' || revision === 0)
  const dependents = new Set(row.dependents.map(({release}) => release))
  const isRequired = rows.some(
    (other) =>
      changes(other) && dependents.has(other.release) && other.requires.includes(releaseName(row.release)),
  )
  return changes(row) || isRequired ? 'kk deploy' : `kk upgrade ${name} --correct-drift`
}

/** Returns the line of leftovers. Prune deletes nothing while the last revision may need it. */
function leftoverLines(name: string, {status, leftovers = []}: ReleaseStatus): readonly string[] {
  if (leftovers.length === 0) return []
  const names = leftovers.map(({kind, name: object, kept}) =>
    kept === undefined ? `${kind}/${object}` : `${kind}/${object} (stays: ${KEEP_REASONS[kept]})`,
  )
  const prune = `kk drift ${name} --prune`
  const next = status === 'deployed' ? prune : `kk deploy, then ${prune}`
  const isFixable = leftovers.some(({kept}) => kept === undefined)
  const end = isFixable ? `; to delete it: ${next}` : ''
  return [
    plainLine(`${name}: left over from a failed revision, and forgotten by helm: ${names.join(', ')}${end}`),
  ]
}
