import type {DriftedObject} from '../../plan/drift/drifted-object.ts'
import {hasDrift, type ReleaseDrift} from '../../verbs/observation/drift.ts'
import type {Palette} from '../colour.ts'
import {counted} from '../text/list.ts'
import {plainLine} from '../text/plain.ts'
import {fieldLines} from './field-lines.ts'
import {leftoverLines} from './leftover-lines.ts'

/** What differs on the cluster, release by release, for people; then how to correct it. */
export function driftText(drifts: readonly ReleaseDrift[], palette: Palette): string {
  if (drifts.length === 0) return 'no releases\n'
  const lines = drifts.flatMap((drift) => releaseLines(drift, palette))
  return `${[...lines, ...hints(drifts, palette)].join('\n')}\n`
}

function releaseLines(drift: ReleaseDrift, palette: Palette): readonly string[] {
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

function hints(drifts: readonly ReleaseDrift[], palette: Palette): readonly string[] {
  const hint = palette.accent('hint')
  const drifted = drifts.some(({objects}) => objects.some(({state}) => state !== 'unknown'))
  const isManaged = drifts.some(({objects}) =>
    objects.some(({fields}) => fields.some(({manager}) => manager !== undefined)),
  )
  return [
    ...(drifted
      ? [
          `${hint}: to bring back what the manifest says: kk upgrade RELEASE --correct-drift` +
            (isManaged ? ' --force-conflicts (takes the fields from those who manage them now)' : ''),
        ]
      : []),
    ...(drifts.some(({crds}) => crds.length > 0)
      ? [
          `${hint}: definitions are applied by hand: kubectl apply --server-side --force-conflicts -f CHART/crds/`,
        ]
      : []),
    ...(drifts.some(({leftovers}) => leftovers.some(({kept}) => kept === undefined))
      ? [`${hint}: what is left over from failed revisions goes by: kk drift --prune, which asks first`]
      : []),
  ]
}
