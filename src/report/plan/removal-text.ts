import type {GoingObject, ObjectName, ReleaseRemoval, StayReason} from '../../plan/removal/objects.ts'
import {type ReleaseId, releaseNamespace} from '../../release.ts'
import type {Palette} from '../colour.ts'
import {type Column, table} from '../table.ts'
import {type Labels, releaseLabels} from '../text/label.ts'
import {blocks, type Part} from '../text/view.ts'

const WHY = {
  claim: 'claim of its StatefulSet',
  keep: 'helm.sh/resource-policy',
  hook: 'made by a hook',
  'removal-hook': 'made by a hook of the removal',
  crd: 'from crds/ of its chart',
  earlier: 'of an earlier revision',
} as const satisfies Record<StayReason, string>

/** Returns two lists for a removal: the objects that go, and those that helm leaves behind. */
export function removalText(releases: readonly ReleaseRemoval[], palette: Palette): readonly Part[] {
  if (releases.length === 0) return []
  const labels = releaseLabels(releases.map(({release}) => release))
  const goes = releases.flatMap((each) => goingRows(each, labels, palette))
  const columns: readonly Column<GoingRow>[] = [
    {cell: ({release}) => release},
    {cell: ({kind}) => kind},
    {cell: ({names}) => names},
    {cell: ({effect}) => effect},
  ]
  return blocks([
    [palette.strong('goes'), table(goes, columns, {indent: '  '})],
    [palette.strong('stays: helm leaves it behind'), leftTable(stayingRows(releases, labels))],
  ])
}

/** Returns the objects that are left after releases have been removed. */
export function leftText(releases: readonly ReleaseRemoval[], palette: Palette): readonly Part[] {
  if (releases.length === 0) return []
  const labels = releaseLabels(releases.map(({release}) => release))
  const unexpected = releases.flatMap(({release, goes}) =>
    goes.map((object) => ({
      release: palette.bad(labels(release)),
      object: objectText(object, release),
      note: object.with ?? '',
    })),
  )
  const rows = [...unexpected, ...stayingRows(releases, labels)]
  return [palette.strong('left on the cluster'), leftTable(rows)]
}

/** The objects that a removal deletes or leaves, for programs. */
export interface RemovalDocument {
  readonly goes: readonly (GoingObject & {readonly release: ReleaseId})[]
  readonly stays: readonly (ObjectName & {readonly release: ReleaseId; readonly why: StayReason})[]
}

export function removalDocument(releases: readonly ReleaseRemoval[]): RemovalDocument {
  return {
    goes: releases.flatMap(({release, goes}) => goes.map((object) => ({release, ...object}))),
    stays: releases.flatMap(({release, stays}) => stays.map((object) => ({release, ...object}))),
  }
}

interface GoingRow {
  /** "" in the rows that follow the first of a release. */
  readonly release: string
  readonly kind: string
  readonly names: string
  /** What is deleted with the object. */
  readonly effect: string
}

/** Returns a row for each kind. An object that is deleted with others has a separate row. */
function goingRows({release, goes}: ReleaseRemoval, labels: Labels, palette: Palette): readonly GoingRow[] {
  const plain = Map.groupBy(
    goes.filter((object) => object.with === undefined),
    ({kind}) => kind,
  )
  const rows = [
    ...[...plain].map(([kind, objects]) => ({
      kind,
      names: objects.map((object) => placedName(object, release)).join(', '),
      effect: '',
    })),
    ...goes
      .filter((object) => object.with !== undefined)
      .map((object) => ({
        kind: palette.bad(object.kind),
        names: palette.bad(placedName(object, release)),
        effect: palette.bad(object.with!),
      })),
  ]
  const all = rows.length === 0 ? [{kind: 'no objects', names: '', effect: ''}] : rows
  return all.map((row, at) => ({release: at === 0 ? labels(release) : '', ...row}))
}

interface LeftRow {
  readonly release: string
  readonly object: string
  readonly note: string
}

function leftTable(rows: readonly LeftRow[]): Part {
  const columns: readonly Column<LeftRow>[] = [
    {cell: ({release}) => release},
    {cell: ({object}) => object},
    {cell: ({note}) => note},
  ]
  return table(rows, columns, {indent: '  '})
}

function stayingRows(releases: readonly ReleaseRemoval[], labels: Labels): readonly LeftRow[] {
  const objects = releases.flatMap(({release, stays}) =>
    stays.map((object) => ({
      release: labels(release),
      object: objectText(object, release),
      note: WHY[object.why],
    })),
  )
  const namespaces = [...new Set(releases.map(({release}) => releaseNamespace(release)))].sort()
  const going = new Set(
    releases.flatMap(({goes}) => goes.filter(({kind}) => kind === 'Namespace').map(({name}) => name)),
  )
  return [
    ...objects,
    ...namespaces
      .filter((name) => !going.has(name))
      .map((name) => ({release: '', object: `Namespace/${name}`, note: 'helm deletes no namespace'})),
  ]
}

function objectText(object: ObjectName, release: ReleaseId): string {
  return `${object.kind}/${placedName(object, release)}`
}

function placedName({name, namespace}: ObjectName, release: ReleaseId): string {
  return namespace === releaseNamespace(release) ? name : `${name} in ${namespace}`
}
