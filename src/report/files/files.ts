import {asKkError, KkError} from '../../base/errors.ts'
import {NO_RUN, type RunState} from '../../run/run-state.ts'
import {writeNamedFile} from '../../state/files/write-named-file.ts'
import type {Viz} from '../graph/graph-svg.ts'
import type {RunView} from '../run/run-view.ts'
import {plainLine} from '../text/plain.ts'
import {htmlReport} from './html.ts'
import {jsonReport} from './json.ts'
import {junitReport} from './junit.ts'
import type {ReportKind, ReportRequest} from './request.ts'
import {traceReport} from './trace.ts'

/** A run as files, which are written when its events end, also if it failed or was interrupted. */
export interface ReportFiles extends RunView {
  /** What could not be written; known after `close`, which itself never rejects. */
  readonly problems: readonly KkError[]
}

type Report = (state: RunState, loadViz: () => Promise<Viz>) => string | Promise<string>

const REPORTS = {
  junit: junitReport,
  trace: traceReport,
  html: htmlReport,
  json: jsonReport,
} as const satisfies Record<ReportKind, Report>

/** `loadViz` is called when a page is made. A run that announced nothing leaves no file. */
export function reportFiles(requests: readonly ReportRequest[], loadViz: () => Promise<Viz>): ReportFiles {
  const problems: KkError[] = []
  let state = NO_RUN

  return {
    problems,
    show(_event, shown) {
      state = shown
    },
    async close() {
      if (state === NO_RUN) return
      for (const {kind, file} of requests) {
        try {
          const report: Report = REPORTS[kind]
          await writeNamedFile(file, await report(state, loadViz), {mode: 0o644})
        } catch (error) {
          problems.push(unwritten(kind, file, error))
        }
      }
    },
  }
}

function unwritten(kind: ReportKind, file: string, error: unknown): KkError {
  const why = plainLine(asKkError(error).message)
  return new KkError('KK_REPORT', `the ${kind} report could not be written to ${file}: ${why}`, {
    cause: error,
    hint: 'the run itself is not touched by this: look at it with kk status',
  })
}
