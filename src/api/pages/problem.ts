import {asKkError} from '../../base/errors.ts'
import {type Markup, markup} from '../../report/files/markup.ts'
import {plainLines} from '../../report/text/plain.ts'
import {errorResponse} from '../errors.ts'

export interface Problem {
  readonly status: number
  readonly shown: Markup
}

/**
 * Returns an error as part of a page, with its code, hint and the log of the program that failed. Internal
 * errors expose no details.
 */
export function problem(error: unknown): Problem {
  const {status, body} = errorResponse(error)
  const {code, message, hint} = body.error
  const {log} = asKkError(error)
  const lines = code === 'KK_BUG' ? [] : log.flatMap(plainLines)
  return {
    status,
    shown: markup`<div role="alert" class="problem"><p><strong>${code}</strong>: ${plainLines(message).map(
      (line, at) => markup`${at === 0 ? markup`` : markup`<br>`}${line}`,
    )}</p>${hint === undefined ? markup`` : markup`<p><strong>What to do next</strong>: ${hint}</p>`}${
      lines.length === 0
        ? markup``
        : markup`<pre role="region" aria-label="Log" tabindex="0">${lines.join('\n')}</pre>`
    }</div>`,
  }
}
