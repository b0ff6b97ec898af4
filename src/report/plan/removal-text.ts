import type {DeletedObject, ObjectName, ReleaseRemoval, RemainReason} from '../../plan/removal/objects.ts'
import {type ReleaseId, releaseNamespace} from '../../release.ts'
import type {Palette} from '../colour.ts'
import {list} from '../table.ts'
import {type Labels, releaseLabels} from '../text/label.ts'
import {blocks, type Part} from '../text/view.ts'

const WHY = {
  claim: 'claim of its StatefulSet',
  keep: 'helm.sh/resource-policy',
  hook: 'made by a hook',
  'removal-hook': 'made by a hook of the removal',
  crd: 'from crds/ of its chart',
  earlier: 'of an earlier revision',
} as const satisfies Record<RemainReason, string>

/** Returns two lists for a removal: the objects to be deleted, and those that helm leaves behind. */
export function removalText(releases: readonly ReleaseRemoval[], palette: Palette): readonly Part[] {
  if (releases.length === 0) return []
  const labels = releaseLabels(releases.map(({release}) => release))
  const deletedRows = releases.flatMap((each) => deletedRowsOf(each, labels, palette))
  return blocks([
    [
      palette.strong('to be deleted'),
      list(deletedRows, [
        ([release]) => release,
        ([, kind]) => kind,
        ([, , names]) => names,
        ([, , , effect]) => effect,
      ]),
    ],
    [palette.strong('stays: helm leaves it behind'), leftTable(stayingRows(releases, labels))],
  ])
}

/** Returns the objects that are left after releases have been removed. */
export function objectsLeftText(releases: readonly ReleaseRemoval[], palette: Palette): readonly Part[] {
  if (releases.length === 0) return []
  const labels = releaseLabels(releases.map(({release}) => release))
  const unexpected = releases.flatMap(({release, deleted}) =>
    deleted.map(
      (object): LeftRow => [palette.bad(labels(release)), objectText(object, release), object.with ?? ''],
    ),
  )
  const rows = [...unexpected, ...stayingRows(releases, labels)]
  return [palette.strong('left on the cluster'), leftTable(rows)]
}

/** The objects that a removal deletes or leaves, for programs. */
export interface RemovalDocument {
  readonly goes: readonly (DeletedObject & {readonly release: ReleaseId})[]
  readonly stays: readonly (ObjectName & {readonly release: ReleaseId; readonly why: RemainReason})[]
}

export function removalDocument(releases: readonly ReleaseRemoval[]): RemovalDocument {
  return {
    goes: releases.flatMap(({release, deleted}) => deleted.map((object) => ({release, ...object}))),
    stays: releases.flatMap(({release, stays}) => stays.map((object) => ({release, ...object}))),
  }
}

/** The release is "" in the rows that follow its first; the effect is what is deleted with the object. */
type DeletedRow = readonly [release: string, kind: string, names: string, effect: string]

/** Returns a row for each kind. An object that is deleted with others has a separate row. */
function deletedRowsOf(
  {release, deleted}: ReleaseRemoval,
  labels: Labels,
  palette: Palette,
): readonly DeletedRow[] {
  const plain = Map.groupBy(
    deleted.filter((object) => object.with === undefined),
    ({kind}) => kind,
  )
  const rows = [
    ...[...plain].map(([kind, objects]) => [
      kind,
      objects.map((object) => placedName(object, release)).join(', '),
      '',
    ]),
    ...deleted
      .filter((object) => object.with !== undefined)
      .map((object) => [object.kind, placedName(object, release), object.with!].map(palette.bad)),
  ]
  const all = rows.length === 0 ? [['no objects', '', '']] : rows
  return all.map(([kind = '', names = '', effect = ''], at) => [
    at === 0 ? labels(release) : '',
    kind,
    names,
    effect,
  ])
}

type LeftRow = readonly [release: string, object: string, note: string]

function leftTable(rows: readonly LeftRow[]): Part {
  return list(rows, [([release]) => release, ([, object]) => object, ([, , note]) => note])
}

function stayingRows(releases: readonly ReleaseRemoval[], labels: Labels): readonly LeftRow[] {
  const objects = releases.flatMap(({release, stays}) =>
    stays.map((object): LeftRow => [labels(release), objectText(object, release), WHY[object.why]]),
  )
  const namespaces = [...new Set(releases.map(({release}) => releaseNamespace(release)))].sort()
  const deletedNamespaces = new Set(
    releases.flatMap(({deleted}) => deleted.filter(({kind}) => kind === 'Namespace').map(({name}) => name)),
  )
  return [
    ...objects,
    ...namespaces
      .filter((name) => !deletedNamespaces.has(name))
      .map((name): LeftRow => ['', `Namespace/${name}`, 'helm deletes no namespace']),
  ]
}

function objectText(object: ObjectName, release: ReleaseId): string {
  return `${object.kind}/${placedName(object, release)}`
}

function placedName({name, namespace}: ObjectName, release: ReleaseId): string {
  return namespace === releaseNamespace(release) ? name : `${name} in ${namespace}`
}
