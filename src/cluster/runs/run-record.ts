import type {ReleaseId} from '../../release.ts'

/** The outcome of a run; a killed run stays `running`. */
export type RunOutcome = 'running' | 'succeeded' | 'failed' | 'interrupted'

/** The result of a run for one release. */
export interface RunRelease {
  readonly release: ReleaseId
  /** The action, e.g. `upgrade`. */
  readonly kind: string
  /** The last revision when the run began; 0 when there was none. */
  readonly before: number
  /** The last of the revisions before whose gate had passed; 0 when helm keeps none. */
  readonly gatedBefore: number
  /** The last revision when the action ended; undefined before that. */
  readonly after?: number
  /** The inputs digest that was planned. */
  readonly inputs: string
  /** The revision to return to, of a rollback. */
  readonly target?: number
  /** Objects that kk deleted, not helm: `ConfigMap/extra`. */
  readonly deleted?: readonly string[]
  /** Claims that were to be deleted once helm had removed the release, each only with this UID. */
  readonly claims?: readonly {readonly namespace: string; readonly name: string; readonly uid: string}[]
  readonly outcome: 'waiting' | 'running' | 'succeeded' | 'failed' | 'skipped'
  /** The code of the error that it failed with. */
  readonly code?: string
}

/** The record of a run in the cluster. Holds no values and no texts of other programs. */
export interface RunRecord {
  readonly id: string
  readonly environment: string
  /** The environment file as the user wrote it. */
  readonly file: string
  readonly verb: string
  /**
   * The releases that the command line named, whether they might be new, and whether drift was to be corrected: for `kk
   * resume`.
   */
  readonly scope: {
    readonly names: readonly string[]
    readonly install: boolean
    readonly correctDrift?: {readonly forceConflicts: boolean}
  }
  /** `user@host`. */
  readonly who: string
  readonly process: {readonly host: string; readonly pid: number; readonly started?: string}
  /** The reason that the user gave. */
  readonly message?: string
  /** The run that this one resumes or undoes. */
  readonly of?: string
  /** The time of its start, ISO 8601 by the clock of the machine that ran it. */
  readonly startedAt: string
  readonly endedAt?: string
  readonly outcome: RunOutcome
  /** The releases that the run was to act on, in the order of its plan; unchanged ones are left out. */
  readonly releases: readonly RunRelease[]
}

/** The records of runs: ConfigMaps in `kk-system`. Every function throws as `Cluster`'s do. */
export interface RunRecords {
  /** Creates the record, or replaces it. */
  write(record: RunRecord): Promise<void>
  read(id: string): Promise<RunRecord | undefined>
  /** Returns the records of one environment, or of all, newest first. */
  list(environment?: string): Promise<readonly RunRecord[]>
  /** Deletes the oldest records of an environment, so that no more than `keep` remain. */
  prune(environment: string, keep: number): Promise<void>
}
