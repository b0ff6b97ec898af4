import type {ReleaseRecord} from '../../kubernetes/records/release-record.ts'
import type {ReleaseId} from '../../release.ts'
import type {ActionKind, Plan} from '../plan.ts'
import type {PlanScope} from '../scope.ts'

/** The version of the file format. This version of kk reads no other. */
export const SAVED_FORMAT = 1

/**
 * The path of a file when the plan was saved. Both paths are tried, because a pipeline may move its files.
 */
export interface SavedPath {
  /** The name as the user wrote it; `-` for standard input. */
  readonly file: string
  readonly absolute: string
  /** The path from the directory of the saved plan. */
  readonly relative: string
}

/** A plan in a file, with the digests of all its inputs. It holds no values. */
export interface SavedPlan {
  readonly kind: 'kk-plan'
  readonly format: typeof SAVED_FORMAT
  /** The version of kk that saved it. */
  readonly kk: string
  /** The version of the digests of inputs: `SCHEMA`. */
  readonly schema: number
  /** The time of the save, in ISO 8601. */
  readonly savedAt: string
  /** The verb that makes the changes of the plan. */
  readonly verb: 'deploy' | 'upgrade'
  readonly scope: PlanScope
  readonly environment: SavedPath & {readonly name: string}
  /** The files of `--values`. The values of `--set` are not stored, because a saved plan holds no values. */
  readonly values: readonly (SavedPath & {readonly release: string})[]
  readonly cluster: Plan['cluster']
  /** The releases in the order of the plan. */
  readonly releases: readonly SavedRelease[]
}

/** The action on a release, and the data that decided it. */
export interface SavedRelease {
  readonly release: ReleaseId
  readonly kind: ActionKind
  readonly chart: {readonly name: string; readonly version: string}
  /** The inputs digest; empty for a release that is only used. */
  readonly inputs: string
  /** The digests of `chart`, `flags` and each layer, 12 hex digits each. */
  readonly layers: Readonly<Record<string, string>>
  /** The requirements as `namespace/name:kind`, sorted. */
  readonly requires: readonly string[]
  readonly stated: boolean
  readonly protected: boolean
  /** The record that the plan saw; null if there was none. */
  readonly record: SavedRecord | null
}

/** The UID and resource version of the record's Secret. Each revision has a separate Secret. */
export interface SavedRecord {
  readonly uid: string
  readonly resourceVersion: string
  readonly revision: number
  readonly status: string
}

export function savedRecord({secret, revision, status}: ReleaseRecord): SavedRecord {
  return {uid: secret.uid, resourceVersion: secret.resourceVersion, revision, status}
}
