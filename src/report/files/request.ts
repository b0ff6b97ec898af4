import {join, parse, resolve} from 'node:path'
import {KkError} from '../../base/errors.ts'
import {suggest} from '../../base/suggest.ts'

const REPORT_KINDS = ['junit', 'trace', 'html', 'json'] as const

export type ReportKind = (typeof REPORT_KINDS)[number]

/** A requested report: `--report junit=out/kk.xml`. */
export interface ReportRequest {
  readonly kind: ReportKind
  /** The path as specified. */
  readonly file: string
}

/** Reads the values of `--report`. Throws `KK_USAGE`. */
export function parseReportRequests(texts: readonly string[]): readonly ReportRequest[] {
  const requests = texts.map(parseRequest)
  const files = new Map<string, ReportRequest>()
  for (const request of requests) {
    const other = files.get(resolve(request.file))
    if (other)
      throw refused(`two reports, ${other.kind} and ${request.kind}, were given one file: ${request.file}`)
    files.set(resolve(request.file), request)
  }
  return requests
}

/** Returns the request with a word before the extension: `out/kk.xml` becomes `out/kk.rollback.xml`. */
export function suffixedRequest({kind, file}: ReportRequest, word: string): ReportRequest {
  const {dir, name, ext} = parse(file)
  return {kind, file: join(dir, `${name}.${word}${ext}`)}
}

function parseRequest(text: string): ReportRequest {
  const [word = '', ...rest] = text.split('=')
  const kind = REPORT_KINDS.find((known) => known === word)
  const file = rest.join('=')
  if (kind === undefined) {
    const close = suggest(word, REPORT_KINDS)
    const hint = close === undefined ? undefined : `did you mean ${close}?`
    throw refused(
      `--report expects one of ${REPORT_KINDS.join(', ')}, then = and a file, but got ${text}`,
      hint,
    )
  }
  if (file === '') throw refused(`--report ${kind} needs a file, but got ${text}`)
  if (file === '-')
    throw refused(`the ${kind} report goes to a file, but got -`, 'for standard output: --output json')
  return {kind, file}
}

function refused(message: string, hint = 'for example --report junit=kk.xml'): KkError {
  return new KkError('KK_USAGE', message, {hint})
}
