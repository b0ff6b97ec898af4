import type {PlannedRemoval, RemovalContext} from '../../verbs/removal/planned.ts'
import type {ChangingRunFlags} from '../run-flags.ts'

export interface RemovalFlags extends ChangingRunFlags {
  readonly 'delete-data': boolean
  readonly 'confirm-data'?: readonly string[] | undefined
  readonly 'ignore-record'?: readonly string[] | undefined
  readonly confirm?: readonly string[] | undefined
  readonly 'with-dependents'?: boolean | undefined
}

export interface RemovalCommand {
  readonly verb: string
  readonly flags: RemovalFlags
  /** Arguments: the environment file and releases. */
  readonly argv: readonly string[]
  /** Words of the command line, for colour. */
  readonly words: readonly string[]
  readonly plan: (context: RemovalContext, names: readonly string[]) => Promise<PlannedRemoval>
  /** Confirms what is to be confirmed by name; throws `KK_UNCONFIRMED`. True when nothing more need be asked. */
  readonly confirm: (planned: PlannedRemoval, context: RemovalContext, mayAsk: boolean) => Promise<boolean>
}
