import {criticalPath} from '../../graph/longest-path.ts'
import {actionGraph} from '../../plan/action-graph.ts'
import {recreatesObjects} from '../../plan/drift/drift-reason.ts'
import type {Action, ActionKind, Plan, UntouchedRelease} from '../../plan/plan.ts'
import type {KnownAfterApply} from '../../prepare/rendering/known-after-apply.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../../release.ts'
import {expectedWork} from '../../run/schedule/schedule.ts'
import type {Palette} from '../colour.ts'
import {type HeadedColumns, list, type Pair, pairs} from '../table.ts'
import {type Labels, releaseLabels} from '../text/label.ts'
import type {Part} from '../text/view.ts'
import {planCounts} from './plan-counts.ts'

const SIGN = {
  install: '+',
  upgrade: '~',
  rollback: '<',
  remove: '-',
  await: '…',
  relabel: '#',
  adopt: '@',
  'hand-over': '>',
  prune: 'x',
  check: '○',
  test: '▸',
  unchanged: '=',
} as const satisfies Record<ActionKind, string>

const UNTOUCHED = {
  'no-longer-wanted': {sign: '-', word: 'no longer wanted'},
  foreign: {sign: '?', word: 'foreign'},
  'to-adopt': {sign: '!', word: 'to adopt'},
  kept: {sign: '=', word: 'stays'},
} as const satisfies Record<UntouchedRelease['state'], {sign: string; word: string}>

/** The number of unchanged releases above which they share one line. */
const MANY_UNCHANGED = 8

export interface PlanTextOptions {
  /** Whether new secrets are named; otherwise they are counted. */
  readonly namesSecrets?: boolean
}

/**
 * Returns a plan: the cluster and the context, each release with its reason, untouched releases, and the
 * counts.
 */
export function planText(plan: Plan, palette: Palette, options: PlanTextOptions = {}): readonly Part[] {
  const {rows, columns, unchanged, lines} = planParts(plan, palette, options)
  return [
    planHead(plan, palette),
    '',
    list(rows, Object.values(columns)),
    ...(unchanged === undefined ? [] : [unchanged]),
    ...(plan.actions.length + plan.bystanders.length === 0 ? [] : ['']),
    ...lines,
  ]
}

/** The parts of a plan, for a view with its own table. */
interface PlanParts {
  readonly rows: readonly PlanRow[]
  readonly columns: HeadedColumns<PlanRow>
  /** The line of the unchanged releases, if they are too many for rows of their own. */
  readonly unchanged: string | undefined
  /** The counts, and what else there is to know. */
  readonly lines: readonly string[]
}

/** Returns the parts of `planText`. */
export function planParts(
  plan: Plan,
  palette: Palette,
  {namesSecrets = false}: PlanTextOptions = {},
): PlanParts {
  const {actions, bystanders} = plan
  const releases = [...actions, ...bystanders].map(({release}) => release)
  const labels = releaseLabels(releases)
  const unchanged = actions.filter(({kind}) => kind === 'unchanged')
  const many = unchanged.length > MANY_UNCHANGED
  const listed = many ? actions.filter(({kind}) => kind !== 'unchanged') : actions
  return {
    rows: [
      ...listed.map((action) => actionRow(action, labels, palette)),
      ...bystanders.map((untouched) => untouchedRow(untouched, palette)),
    ],
    columns: columnsFor(releases),
    unchanged: many ? unchangedLine(unchanged, labels, palette) : undefined,
    lines: [
      countsText(plan, palette),
      ...pathLine(plan, labels, palette),
      ...sufficesLine(plan, palette),
      ...[...(plan.notes ?? []), ...newSecretsNotes(plan, namesSecrets)].map(
        (note) => `${palette.strong('note')}: ${note}`,
      ),
    ],
  }
}

/** Returns the cluster and the environment of a plan. */
export function planHead(plan: Pick<Plan, 'cluster' | 'environment' | 'file'>, palette: Palette): Part {
  return pairs(planFacts(plan, palette))
}

/** Returns the names and values of `planHead`. */
export function planFacts(
  {cluster, environment, file}: Pick<Plan, 'cluster' | 'environment' | 'file'>,
  {strong}: Palette,
): readonly Pair[] {
  return [
    [strong('cluster'), `${cluster.context} (${cluster.server}, Kubernetes ${cluster.version})`],
    [strong('environment'), `${environment} (${file})`],
  ]
}

/** Returns the line of the objects that the cluster cannot validate before the plan is run. */
export function knownAfterApplyText(later: readonly KnownAfterApply[]): string {
  const objects = later.map(({release, object}) => `${releaseName(release)}: ${object}`)
  return `known after apply, for its kind comes with this plan: ${objects.join(', ')}`
}

/** A release in the table of a plan. */
interface PlanRow {
  readonly release: ReleaseId
  readonly kind: string
  /** The colour of the names and the reasons. */
  readonly colour: (text: string) => string
  readonly chart: string
  readonly revision: string
  readonly reasons: readonly string[]
}

/** Returns the columns of a plan, with the namespaces if there are several. */
function columnsFor(releases: readonly ReleaseId[]): HeadedColumns<PlanRow> {
  const several = new Set(releases.map(releaseNamespace)).size > 1
  return {
    action: {cell: ({kind}) => kind, whole: true},
    release: ({release, colour}) => colour(releaseName(release)),
    ...(several && {namespace: ({release, colour}: PlanRow) => colour(releaseNamespace(release))}),
    chart: ({chart}) => chart,
    revision: ({revision}) => revision,
    reason: ({reasons, colour}) => reasons.map(colour).join('\n'),
  }
}

function actionRow(action: Action, labels: Labels, palette: Palette): PlanRow {
  const {release, kind, revision} = action
  return {
    release,
    kind: colourOf(kind, palette)(`${SIGN[kind]} ${kind}`),
    colour: kind === 'unchanged' ? palette.quiet : String,
    chart: palette.quiet(chartText(action)),
    revision: palette.quiet(revision === 0 ? '' : `revision ${revision}`),
    reasons: [...action.reasons, ...marks(action, labels)],
  }
}

/** Returns the chart with its versions: `keystone 0.1.0 → 0.2.0`, or one version if it stays. */
function chartText(action: Action): string {
  const {chart} = action
  const {installed = chart} = action.kind === 'upgrade' ? action : {}
  if (installed.name !== chart.name)
    return `${installed.name} ${installed.version} → ${chart.name} ${chart.version}`
  const from = installed.version === chart.version ? '' : `${installed.version} → `
  return `${chart.name} ${from}${chart.version}`
}

function marks({group, release, kind, requires}: Action, labels: Labels): readonly string[] {
  const otherMembers = group.filter((member) => member !== release)
  const isQuiet = kind === 'unchanged' || kind === 'check'
  const inferred = isQuiet ? [] : requires.filter((required) => required.inferred !== undefined)
  return [
    ...(otherMembers.length === 0 ? [] : [`starts together with ${otherMembers.map(labels).join(', ')}`]),
    ...(inferred.length === 0
      ? []
      : [`requires, as inferred, ${inferred.map((required) => labels(required.release)).join(', ')}`]),
  ]
}

function untouchedRow({release, state, note}: UntouchedRelease, {quiet}: Palette): PlanRow {
  const {sign, word} = UNTOUCHED[state]
  const kind = quiet(`${sign} ${word}`)
  return {release, kind, colour: String, chart: '', revision: '', reasons: [quiet(note)]}
}

function unchangedLine(unchanged: readonly Action[], labels: Labels, palette: Palette): string {
  const names = unchanged.map(({release}) => labels(release)).join(', ')
  return palette.quiet(`  = ${unchanged.length} unchanged: ${names}`)
}

/** A shorter chain is seen at once in the plan itself. */
const MIN_PATH = 3

/**
 * Returns the line of the longest chain of releases that wait for one another: no concurrency makes the run
 * shorter.
 */
function pathLine({actions}: Plan, labels: Labels, palette: Palette): readonly string[] {
  const kinds = new Map(actions.map(({release, kind}) => [release, kind]))
  const within = actions.map((action) => {
    return {...action, requires: action.requires.filter(({release}) => kinds.has(release))}
  })
  const path = criticalPath(actionGraph(within), (release) => expectedWork({kind: kinds.get(release)!}))
  return path.length < MIN_PATH ? [] : [`${palette.strong('longest path')}: ${path.map(labels).join(' → ')}`]
}

/** Returns the line of the narrowest sufficient verb; none if nothing changes, or if it is `deploy`. */
function sufficesLine({suffices}: Plan, palette: Palette): readonly string[] {
  if (suffices === undefined || suffices === 'deploy') return []
  return [`${palette.strong('verb')}: kk ${suffices} is enough for this`]
}

/** Returns the note on new secrets. It names them only on request, because a new cloud has dozens. */
function newSecretsNotes({newSecrets = []}: Plan, namesSecrets: boolean): readonly string[] {
  if (newSecrets.length === 0) return []
  const count = `${newSecrets.length} new ${newSecrets.length === 1 ? 'secret' : 'secrets'}, made when this is run`
  return [namesSecrets ? `${count}: ${newSecrets.join(', ')}` : `${count} (kk plan --secrets names them)`]
}

function colourOf(kind: ActionKind, palette: Palette): (text: string) => string {
  if (kind === 'install') return palette.good
  if (kind === 'remove') return palette.bad
  if (kind === 'upgrade' || kind === 'rollback') return palette.change
  return kind === 'unchanged' ? palette.quiet : palette.accent
}

function countsText(plan: Plan, palette: Palette): string {
  const counts = planCounts(plan)
  const words = {
    install: 'to install',
    upgrade: 'to upgrade',
    rollback: 'to roll back',
    remove: 'to remove',
    await: 'to await',
    relabel: 'to relabel',
    adopt: 'to be taken over',
    'hand-over': 'to be handed over',
    prune: 'to prune',
    check: 'to check',
    test: 'to test',
    unchanged: 'unchanged',
    'no-longer-wanted': 'no longer wanted (left as it is)',
    foreign: 'foreign (not installed by kk, left alone)',
    'to-adopt': 'to adopt (a deploy is refused before)',
    kept: 'kept',
  } as const satisfies Record<keyof typeof counts, string>
  const kinds = Object.keys(words) as (keyof typeof counts)[]
  const parts = kinds
    .filter((kind) => counts[kind] > 0)
    .map((kind) => `${counts[kind]} ${words[kind]}${goneText(plan, kind)}`)
  return `${palette.strong('plan')}: ${parts.length === 0 ? 'no releases' : parts.join(', ')}`
}

/**
 * Returns ` (1 because objects of it are gone)`, so that the counts show that objects are missing.
 */
function goneText({actions}: Plan, of: string): string {
  const goneCount = actions.filter(({kind, reasons}) => kind === of && recreatesObjects(reasons)).length
  if (goneCount === 0) return ''
  return ` (${goneCount} because objects of ${goneCount === 1 ? 'it' : 'them'} are gone)`
}
