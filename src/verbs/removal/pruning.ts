import type {ReleaseId} from '../../release.ts'
import type {Leftover} from '../observation/leftovers.ts'

/** What failed revisions of one release have left behind. */
export interface Pruning {
  readonly release: ReleaseId
  /** Its last revision. */
  readonly revision: number
  readonly leftovers: readonly Leftover[]
  /** Why nothing of it is deleted now. */
  readonly skipped?: string
}

/** What would be deleted, of the releases that have such. */
export function goingOf<T extends Pruning>(prunings: readonly T[]): readonly T[] {
  return prunings
    .filter(({skipped}) => skipped === undefined)
    .map((pruning) => ({...pruning, leftovers: pruning.leftovers.filter(({kept}) => kept === undefined)}))
    .filter(({leftovers}) => leftovers.length > 0)
}
