import type {ReleaseId} from '../../../release.ts'
import type {RunState} from '../../../run/run-state.ts'
import type {Labels} from '../../text/label.ts'

/** What every section of the page is made of. */
export interface SectionOptions {
  readonly state: RunState
  readonly labels: Labels
  /** The anchor of a release's row. */
  readonly rowOf: (release: ReleaseId) => string
  /** The anchor of a release's failure. */
  readonly failureOf: (release: ReleaseId) => string
}
