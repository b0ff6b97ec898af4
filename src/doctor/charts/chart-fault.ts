import type {ReleaseId} from '../../release.ts'
import type {Finding} from '../finding.ts'

/** A fault of a chart as deployed in this environment. */
export interface ChartFault extends Finding {
  readonly release: ReleaseId
  /** `Job/keystone-db-sync`; undefined for the chart as a whole. */
  readonly object?: string
  /** The file of the chart that creates the object: `keystone/templates/job.yaml`. */
  readonly file?: string
  /** The faulty key of the object, if known: `DB_CONNECTION`. */
  readonly key?: string
  /** The key of another object that contradicts it. */
  readonly other?: {
    readonly release: ReleaseId
    readonly object: string
    readonly file: string
    readonly key: string
  }
}
