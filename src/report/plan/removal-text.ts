import type {GoingObject, ObjectName, ReleaseRemoval, StayReason} from '../../plan/removal/objects.ts'
import {type ReleaseId, releaseNamespace} from '../../release.ts'
import type {Palette} from '../colour.ts'
import {table} from '../table.ts'
import {type Labels, releaseLabels} from '../text/label.ts'

const WHY = {
  claim: 'claim of its StatefulSet',
  keep: 'helm.sh/resource-policy',
  hook: 'made by a hook',
  'removal-hook': 'made by a hook of the removal',
  crd: 'from crds/ of its chart',
  earlier: 'of an earlier revision',
} as const satisfies Record<StayReason, string>

/** Returns two lists for a removal: the objects that go, and those that helm leaves behind. */
export function removalText(releases: readonly ReleaseRemoval[], palette: Palette): string {
  if (releases.length === 0) return ''
  const labels = releaseLabels(releases.map(({release}) => release))
  const goes = releases.flatMap((each) => goingRows(each, labels, palette))
  return `${[
    palette.strong('goes'),
    ...table(goes, {indent: '  '}),
    '',
    palette.strong('stays: helm leaves it behind'),
    ...table(stayingRows(releases, labels), {indent: '  '}),
  ].join('\n')}\n`
}

/** Returns the objects that are left after releases have been removed. */
export function leftText(releases: readonly ReleaseRemoval[], palette: Palette): string {
  if (releases.length === 0) return ''
  const labels = releaseLabels(releases.map(({release}) => release))
  const unexpected = releases.flatMap(({release, goes}) =>
    goes.map((object) => [palette.bad(labels(release)), objectText(object, release), object.with ?? '']),
  )
  return `${[
    palette.strong('left on the cluster'),
    ...table([...unexpected, ...stayingRows(releases, labels)], {indent: '  '}),
  ].join('\n')}\n`
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

/** Returns a row for each kind. An object that takes others with it has a row of its own. */
function goingRows({release, goes}: ReleaseRemoval, labels: Labels, palette: Palette) {
  const plain = Map.groupBy(
    goes.filter((object) => object.with === undefined),
    ({kind}) => kind,
  )
  const rows = [
    ...[...plain].map(([kind, objects]) => [
      kind,
      objects.map((object) => placedName(object, release)).join(', '),
      '',
    ]),
    ...goes
      .filter((object) => object.with !== undefined)
      .map((object) => [object.kind, placedName(object, release), object.with!].map(palette.bad)),
  ]
  const [first = ['no objects', '', ''], ...more] = rows
  return [[labels(release), ...first], ...more.map((row) => ['', ...row])]
}

function stayingRows(releases: readonly ReleaseRemoval[], labels: Labels): readonly (readonly string[])[] {
  const objects = releases.flatMap(({release, stays}) =>
    stays.map((object) => [labels(release), objectText(object, release), WHY[object.why]]),
  )
  const namespaces = [...new Set(releases.map(({release}) => releaseNamespace(release)))].sort()
  const going = new Set(
    releases.flatMap(({goes}) => goes.filter(({kind}) => kind === 'Namespace').map(({name}) => name)),
  )
  return [
    ...objects,
    ...namespaces
      .filter((name) => !going.has(name))
      .map((name) => ['', `Namespace/${name}`, 'helm deletes no namespace']),
  ]
}

function objectText(object: ObjectName, release: ReleaseId): string {
  return `${object.kind}/${placedName(object, release)}`
}

function placedName({name, namespace}: ObjectName, release: ReleaseId): string {
  return namespace === releaseNamespace(release) ? name : `${name} in ${namespace}`
}
