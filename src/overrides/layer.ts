import type {Position} from '../base/position.ts'
import type {Values} from '../base/values.ts'

/** The layers above a chart's own defaults, from the weakest to the strongest. */
export const LAYERS = ['features', 'system', 'global', 'section', 'user', 'values', 'set'] as const
export type LayerName = (typeof LAYERS)[number]

/** One source of values for one release. */
export interface Layer {
  readonly name: LayerName
  /** The file and its key, for people. */
  readonly source: string
  readonly values: Values
  /** Whether the values are encrypted in the store, because one of them was secret when they were written. */
  readonly sealed?: boolean
  /** Returns the position of a key of `values`, if it is in a file. */
  readonly position?: (path: readonly string[]) => Position | undefined
  /** Returns the source of a key of `values`, if the layer has several. */
  readonly sourceOf?: (path: readonly string[]) => string
}
