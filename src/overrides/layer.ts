import type {Position, Values} from '../release.ts'

/** The layers above a chart's own defaults, from the weakest to the strongest. */
export const LAYERS = ['features', 'system', 'global', 'section', 'user', 'values', 'set'] as const
export type LayerName = (typeof LAYERS)[number]

/** One source of values for one release. */
export interface Layer {
  readonly name: LayerName
  /** For people: the file, and the key in it. */
  readonly source: string
  readonly values: Values
  /** Whether they are encrypted where they are kept: something among them was secret when they were written. */
  readonly sealed?: boolean
  /** Where a key of `values` was written, when that is a place in a file. */
  readonly position?: (path: readonly string[]) => Position | undefined
  /** What wrote a key of `values`, when the layer has several sources. */
  readonly sourceOf?: (path: readonly string[]) => string
}
