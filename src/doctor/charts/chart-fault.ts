import type {ReleaseId} from '../../release.ts'
import type {Finding} from '../finding.ts'

/** A fault of a chart, as it would be deployed here. */
export interface ChartFault extends Finding {
  readonly release: ReleaseId
  /** `Job/keystone-db-sync`; left out for the chart as a whole. */
  readonly object?: string
  /** The file of the chart that makes the object: `keystone/templates/job.yaml`. */
  readonly file?: string
  /** The key of the object that is at fault, where it can be named: `DB_CONNECTION`. */
  readonly key?: string
  /** The key of another object that contradicts it. */
  readonly other?: {
    readonly release: ReleaseId
    readonly object: string
    readonly file: string
    readonly key: string
  }
}
