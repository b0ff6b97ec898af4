import {mergeValues} from '../../base/merge.ts'
import type {Values} from '../../base/values.ts'

/** Values for one release, and separately its secret values. */
export interface ReleaseValues {
  readonly release: string
  readonly values: Values
  readonly secrets: Values
}

/** Merges the values of each release; later ones win. */
export function joinedValues(parts: readonly ReleaseValues[]): readonly ReleaseValues[] {
  return [...Map.groupBy(parts, ({release}) => release)].map(([release, of]) => ({
    release,
    values: mergeValues(...of.map(({values}) => values)),
    secrets: mergeValues(...of.map(({secrets}) => secrets)),
  }))
}
