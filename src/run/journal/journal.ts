import type {ReleaseId} from '../../release.ts'

/** A step of a run that is on disk before the next one is taken. Holds no values and no texts of other programs. */
export type Transition =
  | {
      readonly type: 'run-started'
      readonly run: string
      readonly environment: string
      readonly verb: string
      readonly context: string
      readonly actions: readonly {
        readonly release: ReleaseId
        readonly kind: string
        /** The last revision that the plan saw. */
        readonly revision: number
        readonly inputs: string
      }[]
    }
  | {
      readonly type: 'helm-starting'
      readonly release: ReleaseId
      readonly verb: string
      /** The revision that helm is to make; of a test the one that it tests. */
      readonly revision: number
      /** Milliseconds since the epoch. */
      readonly deadline: number
    }
  | {readonly type: 'helm-started'; readonly release: ReleaseId; readonly pid: number}
  /** `error` is a code; undefined when helm ended well. */
  | {readonly type: 'helm-ended'; readonly release: ReleaseId; readonly error?: string}
  /** E.g. `ConfigMap/extra`. */
  | {readonly type: 'object-deleting'; readonly release: ReleaseId; readonly object: string}
  | {readonly type: 'gate-passed'; readonly release: ReleaseId; readonly revision: number}
  | {readonly type: 'release-ended'; readonly release: ReleaseId; readonly error?: string}
  | {readonly type: 'run-ended'; readonly outcome: string}

/** The account that a run keeps on its own machine. */
export interface Journal {
  /** Resolves when the step is on disk, or cannot be brought there: a run that is under way goes on. Never rejects. */
  note(transition: Transition): Promise<void>
}
