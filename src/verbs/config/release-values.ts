import type {Values} from '../../release.ts'

/** Values for one release, and apart from them those that nobody is to see. */
export interface ReleaseValues {
  readonly release: string
  readonly values: Values
  readonly secrets: Values
}
