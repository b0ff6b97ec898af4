import type {Values} from '../../base/values.ts'
import {mergeValues} from '../../overrides/merge.ts'

/** Values for one release, and apart from them those that nobody is to see. */
export interface ReleaseValues {
  readonly release: string
  readonly values: Values
  readonly secrets: Values
}

/** One for each release: of several, later ones win. */
export function joinedValues(parts: readonly ReleaseValues[]): readonly ReleaseValues[] {
  return [...Map.groupBy(parts, ({release}) => release)].map(([release, of]) => ({
    release,
    values: mergeValues(...of.map(({values}) => values)),
    secrets: mergeValues(...of.map(({secrets}) => secrets)),
  }))
}
