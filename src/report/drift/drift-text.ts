import {diffLines} from 'diff'
import type {Leftover} from '../../doctor/leftovers/leftovers.ts'
import type {DriftedField, DriftedObject} from '../../plan/drift/drifted-object.ts'
import type {KeepReason} from '../../plan/leftovers/ownership.ts'
import {releaseName} from '../../release.ts'
import {hasDrift, type ReleaseDrift} from '../../verbs/observation/drift.ts'
import type {Palette} from '../colour.ts'
import {counted} from '../text/list.ts'
import {plainLine} from '../text/plain.ts'
import type {View} from '../text/view.ts'

/** Returns the differences on the cluster, release by release, and then how to correct them. */
export function driftText(drifts: readonly ReleaseDrift[], palette: Palette): View {
  if (drifts.length === 0) return 'no releases\n'
  return [...drifts.flatMap((drift) => driftLines(drift, palette)), ...driftHints(drifts, palette)]
}

/** Returns a line with the result of one release, and below it what differs. */
export function driftLines(drift: ReleaseDrift, palette: Palette): readonly string[] {
  const {release, revision, status, objects, crds, leftovers, problem} = drift
  const state = status === 'deployed' ? '' : ` (${status})`
  const title = `${palette.strong(release)}  ${palette.quiet(`revision ${revision}${state}`)}`
  if (problem !== undefined) return [`${title}  ${palette.bad(`cannot be compared: ${plainLine(problem)}`)}`]
  if (!hasDrift(drift)) return [`${title}  ${palette.good('as its manifest says')}`]
  return [
    `${title}  ${countsText(drift)}`,
    ...objects.flatMap((object) => objectLines(object, palette)),
    ...(crds.length === 0 ? [] : ['  of crds/ of the chart, which helm does not apply again:']),
    ...crds.flatMap((object) => objectLines(object, palette)),
    ...leftoverLines(leftovers, palette),
  ]
}

function countsText({objects, crds, leftovers}: ReleaseDrift): string {
  const parts = [
    ...(objects.length === 0 ? [] : [`${counted(objects.length, 'object')} drifted`]),
    ...(crds.length === 0 ? [] : [`${counted(crds.length, 'definition')} not applied`]),
    ...(leftovers.length === 0 ? [] : [counted(leftovers.length, 'leftover')]),
  ]
  return parts.join(', ')
}

function objectLines(object: DriftedObject, palette: Palette): readonly string[] {
  const {kind, name, state, fields, message} = object
  const beside = message === undefined ? '' : `: ${plainLine(message)}`
  const title = `${kind}/${name}`
  if (state === 'gone') return [`  ${palette.bad('-')} ${title} is gone${beside}`]
  if (state === 'unknown') return [`  ${palette.change('?')} ${title} cannot be compared${beside}`]
  return [`  ${palette.change('~')} ${title}`, ...fields.flatMap((field) => fieldLines(field, palette))]
}

/** Returns what can be done about drift. */
export function driftHints(drifts: readonly ReleaseDrift[], palette: Palette): readonly string[] {
  const hint = palette.accent('hint')
  const drifted = drifts.filter(({objects}) => objects.some(({state}) => state !== 'unknown'))
  const own = drifted.filter(({exportedTo}) => exportedTo === undefined)
  const names = own.map(({release}) => releaseName(release)).join(' ')
  const isManaged = own.some(({objects}) =>
    objects.some(({fields}) => fields.some(({manager}) => manager !== undefined)),
  )
  return [
    ...(own.length > 0
      ? [
          `${hint}: to bring back what the manifest says: kk upgrade ${names} --correct-drift` +
            (isManaged ? ' --force-conflicts (takes the fields from those who manage them now)' : ''),
        ]
      : []),
    ...drifted.flatMap(({release, exportedTo}) =>
      exportedTo === undefined
        ? []
        : [
            `${hint}: ${release} was handed over to ${exportedTo}: correct it there, or take it back with kk adopt ${releaseName(release)}`,
          ],
    ),
    ...(drifts.some(({crds}) => crds.length > 0)
      ? [
          `${hint}: definitions are applied by hand: kubectl apply --server-side --force-conflicts -f CHART/crds/`,
        ]
      : []),
    ...(drifts.some(({leftovers}) => leftovers.some(({kept}) => kept === undefined))
      ? [`${hint}: to delete what failed revisions left over: kk drift --prune, which asks first`]
      : []),
  ]
}

const INDENT = '      '
/** The maximum number of lines shown of a string that differs. */
const MAX_LINES = 12
const MAX_VALUE_LENGTH = 100

/**
 * Returns the lines of a field that drifted: both values, or the lines that differ, and the field's manager.
 */
function fieldLines(field: DriftedField, palette: Palette): readonly string[] {
  const {path, live, manifest, masked, manager} = field
  const by = manager === undefined ? [] : [palette.change(`conflict: managed by ${manager}`)]
  if (masked) return [INDENT + [`${path}: differs ${palette.quiet('(masked)')}`, ...by].join(', ')]
  if (typeof live === 'string' && typeof manifest === 'string' && `${live}${manifest}`.includes('\n'))
    return [INDENT + [`${path}:`, ...by].join(' '), ...textLines(live, manifest, palette)]
  const values = `${valueText(live)}, manifest: ${valueText(manifest)}`
  return [INDENT + [`${path}: ${values}`, ...by].join(', ')]
}

function valueText(value: unknown): string {
  if (value === undefined) return 'nothing'
  const text = plainLine(typeof value === 'string' && value !== '' ? value : JSON.stringify(value))
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text
}

function textLines(live: string, manifest: string, palette: Palette): readonly string[] {
  const lines = diffLines(live, manifest).flatMap(({added, removed, value}) => {
    if (!added && !removed) return []
    const sign = added ? palette.good('manifest') : palette.bad('live    ')
    const texts = value.replace(/\n$/, '').split('\n')
    return texts.map((text) => `${INDENT}  ${sign} ${palette.quiet('|')} ${plainLine(text)}`)
  })
  if (lines.length === 0) return [`${INDENT}  differs only in what is masked`]
  const more = lines.length - MAX_LINES
  return more > 0 ? [...lines.slice(0, MAX_LINES), `${INDENT}  and ${more} lines more`] : lines
}

/** The reasons why an object is never pruned, for messages. */
export const KEEP_REASONS = {
  data: 'it holds data',
  policy: 'helm.sh/resource-policy: keep',
  namespace: 'everything in it would go',
  crd: 'every object of its kind would go',
} as const satisfies Record<KeepReason, string>

/**
 * Returns a line for each object that helm no longer tracks, with the revision that created it and the reason
 * if it always stays.
 */
export function leftoverLines(leftovers: readonly Leftover[], palette: Palette): readonly string[] {
  if (leftovers.length === 0) return []
  return [
    '  left over from a failed revision, and forgotten by helm:',
    ...leftovers.map(({kind, name, revision, kept}) => {
      const stays = kept === undefined ? '' : `, stays: ${KEEP_REASONS[kept]}`
      return `  ${palette.change('!')} ${kind}/${name} ${palette.quiet(`of revision ${revision}${stays}`)}`
    }),
  ]
}
