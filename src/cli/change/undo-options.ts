import type {Cluster} from '../../cluster/cluster.ts'
import type {Environment} from '../../environment/environment.ts'
import type {RunFlags} from '../run-flags.ts'

export type OnFailure = 'keep' | 'rollback-failed' | 'rollback-run'

/** What is known when a failed run is to be undone. */
export interface UndoOptions {
  readonly flags: RunFlags & {
    readonly 'on-failure'?: OnFailure | undefined
    readonly 'keep-schema'?: boolean | undefined
    readonly 'remove-new'?: boolean | undefined
  }
  readonly words: readonly string[]
  readonly environment: Environment
  readonly cluster: Cluster
}
