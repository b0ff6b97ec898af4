import type {ReleaseId} from '../../release.ts'
import type {Palette} from '../colour.ts'
import {list} from '../table.ts'
import {releaseLabels} from '../text/label.ts'
import {counted} from '../text/list.ts'
import type {View} from '../text/view.ts'

/** The dependents of a release. */
export interface Dependents {
  readonly release: ReleaseId
  readonly dependents: readonly {
    readonly release: ReleaseId
    /** The release in between that it requires; undefined when it requires the release directly. */
    readonly through: ReleaseId | undefined
    /** The environment that owns it, when that is known. */
    readonly owner?: string
  }[]
}

/** Returns the dependents of a release. */
export function dependentsText({release, dependents}: Dependents, palette: Palette): View {
  const through = dependents.flatMap((dependent) => dependent.through ?? [])
  const labels = releaseLabels([release, ...through, ...dependents.map((dependent) => dependent.release)])
  if (dependents.length === 0) return `nothing requires ${labels(release)}\n`
  const verb = dependents.length === 1 ? 'requires' : 'require'
  const title = `${counted(dependents.length, 'release')} ${verb} ${palette.strong(labels(release))}`
  const shown = list(dependents, [
    (dependent) => labels(dependent.release),
    ({through}) => palette.quiet(through === undefined ? 'directly' : `through ${labels(through)}`),
    ({owner}) => palette.quiet(owner === undefined ? '' : `of ${owner}`),
  ])
  return [title, shown]
}
