import type {ExitCode} from '../../base/errors.ts'
import {errorText} from '../../report/error-text.ts'
import type {ReportFiles} from '../../report/files/files.ts'
import type {Idle} from '../../report/files/nothing-done.ts'
import {watchRun} from '../../report/run/run-view.ts'
import {loadBundle} from '../../state/assets.ts'
import {type Console, tell} from '../console.ts'

/**
 * The files that `--report` asks for; none costs nothing. Call it before anything else is done: a kind that kk does not
 * know is `KK_USAGE`, a place that cannot be written `KK_FILE`.
 */
export async function openReportFiles(texts: readonly string[] = []): Promise<ReportFiles | undefined> {
  if (texts.length === 0) return undefined
  const [{parseReportRequests}, {expectWritable}, {reportFiles}] = await Promise.all([
    import('../../report/files/request.ts'),
    import('../../state/files/write-named-file.ts'),
    import('../../report/files/files.ts'),
  ])
  const requests = parseReportRequests(texts)
  for (const {file} of requests) await expectWritable(file)
  return reportFiles(requests, loadViz)
}

/**
 * Opens the files of a run that follows from another, as a rollback from a failure: each stands beside that of the
 * other, with the word before its extension; what went to a device goes there, too. Says where.
 */
export async function openReportFilesBeside(
  texts: readonly string[] = [],
  word: string,
): Promise<ReportFiles | undefined> {
  if (texts.length === 0) return undefined
  const [{besideRequest, parseReportRequests}, {isPlainFile}, {reportFiles}] = await Promise.all([
    import('../../report/files/request.ts'),
    import('../../state/files/write-named-file.ts'),
    import('../../report/files/files.ts'),
  ])
  const requests = await Promise.all(
    parseReportRequests(texts).map(async (request) =>
      (await isPlainFile(request.file)) ? besideRequest(request, word) : request,
    ),
  )
  tell('stderr', `reports of the ${word}: ${requests.map(({file}) => file).join(', ')}\n`)
  return reportFiles(requests, loadViz)
}

async function loadViz() {
  return (await loadBundle('viz', () => import('@viz-js/viz'))).instance()
}

/** Says on standard error which reports could not be written; true when all were. */
export function sayReported({problems}: ReportFiles, console: Console): boolean {
  for (const problem of problems) tell('stderr', errorText(problem, console.palette('stderr')))
  return problems.length === 0
}

/** The reports of a run that had nothing to do; resolves with the exit code. */
export async function reportNothingDone(
  idle: Idle,
  reports: ReportFiles | undefined,
  console: Console,
): Promise<ExitCode> {
  if (!reports) return 0
  const {nothingDone} = await import('../../report/files/nothing-done.ts')
  await watchRun(nothingDone(idle, Date.now()), [reports])
  return sayReported(reports, console) ? 0 : 1
}
