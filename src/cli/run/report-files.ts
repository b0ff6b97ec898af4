import type {ExitCode} from '../../base/errors.ts'
import {errorText} from '../../report/error-text.ts'
import type {ReportFiles} from '../../report/files/files.ts'
import type {Idle} from '../../report/files/nothing-done.ts'
import {watchRun} from '../../report/run/run-view.ts'
import {loadBundle} from '../../state/assets.ts'
import {type Console, writeView} from '../console.ts'

/**
 * Opens the files of `--report`; undefined without any. Throws `KK_USAGE` for an unknown kind, and `KK_FILE`
 * for a file that cannot be written. `word` is for a run that follows another, such as a rollback: its files
 * have the names of the other run's files with the word before the extension, and their names are printed; a
 * device is used again.
 */
export async function openReportFiles(
  texts: readonly string[] = [],
  word?: string,
): Promise<ReportFiles | undefined> {
  if (texts.length === 0) return undefined
  const [{suffixedRequest, parseReportRequests}, {expectWritable, isPlainFile}, {reportFiles}] =
    await Promise.all([
      import('../../report/files/request.ts'),
      import('../../state/files/write-named-file.ts'),
      import('../../report/files/files.ts'),
    ])
  const requested = parseReportRequests(texts)
  if (word === undefined) {
    for (const {file} of requested) await expectWritable(file)
    return reportFiles(requested, loadViz)
  }
  const requests = await Promise.all(
    requested.map(async (each) => ((await isPlainFile(each.file)) ? suffixedRequest(each, word) : each)),
  )
  writeView('stderr', `reports of the ${word}: ${requests.map(({file}) => file).join(', ')}`)
  return reportFiles(requests, loadViz)
}

async function loadViz() {
  return (await loadBundle('viz', () => import('@viz-js/viz'))).instance()
}

/** Prints which reports could not be written on standard error; returns true if all were written. */
export function printReportProblems({problems}: ReportFiles, console: Console): boolean {
  for (const problem of problems) writeView('stderr', errorText(problem, console.palette('stderr')))
  return problems.length === 0
}

/** Writes the reports of a run that had nothing to do; resolves with the exit code. */
export async function reportNothingDone(
  idle: Idle,
  reports: ReportFiles | undefined,
  console: Console,
): Promise<ExitCode> {
  if (!reports) return 0
  const {nothingDone} = await import('../../report/files/nothing-done.ts')
  await watchRun(nothingDone(idle, Date.now()), [reports])
  return printReportProblems(reports, console) ? 0 : 1
}
