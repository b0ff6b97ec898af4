import type {ReleaseRecord} from '../../cluster/cluster.ts'
import type {ReleaseId} from '../../release.ts'
import type {ActionKind, Plan} from '../plan.ts'
import type {PlanScope} from '../scope.ts'

/** The form of the file; another number is another form, which this kk does not read. */
export const SAVED_FORMAT = 1

/** Where a file was when the plan was saved; both places are looked at, for a pipeline may put its files elsewhere. */
export interface SavedPath {
  /** As the user wrote it; `-` for standard input. */
  readonly file: string
  readonly absolute: string
  /** From the directory of the saved plan. */
  readonly relative: string
}

/** A plan in a file, with all that it was made of as digests: it holds no values. */
export interface SavedPlan {
  readonly kind: 'kk-plan'
  readonly format: typeof SAVED_FORMAT
  /** The version of kk that saved it. */
  readonly kk: string
  /** Of the digests of inputs: `SCHEMA`. */
  readonly schema: number
  /** ISO 8601. */
  readonly savedAt: string
  /** The verb that does what it shows. */
  readonly verb: 'deploy' | 'upgrade'
  readonly scope: PlanScope
  readonly environment: SavedPath & {readonly name: string}
  /** What `--values` named. What `--set` said is not kept: it holds values. */
  readonly values: readonly (SavedPath & {readonly release: string})[]
  readonly cluster: Plan['cluster']
  /** In the order of the plan. */
  readonly releases: readonly SavedRelease[]
}

/** What is to be done with a release, and what that was decided by. */
export interface SavedRelease {
  readonly release: ReleaseId
  readonly kind: ActionKind
  readonly chart: {readonly name: string; readonly version: string}
  /** Empty for a release that is only used. */
  readonly inputs: string
  /** 12 hex each: of `chart`, `flags` and each layer. */
  readonly layers: Readonly<Record<string, string>>
  /** All its requirements, as `namespace/name:kind`, sorted. */
  readonly requires: readonly string[]
  readonly stated: boolean
  readonly protected: boolean
  /** The record that the plan saw; null when there was none. */
  readonly record: SavedRecord | null
}

/** UID and resource version of the record's Secret; each revision has a Secret of its own. */
export interface SavedRecord {
  readonly uid: string
  readonly resourceVersion: string
  readonly revision: number
  readonly status: string
}

export function savedRecord({secret, revision, status}: ReleaseRecord): SavedRecord {
  return {uid: secret.uid, resourceVersion: secret.resourceVersion, revision, status}
}
