import {asKkError, ERRORS, type ErrorCode, KkError} from '../base/errors.ts'

/** The body of an answer with an error; codes are kk's own and stable. */
export interface ErrorBody {
  readonly error: {readonly code: string; readonly message: string; readonly hint?: string}
}

const STATUS: Partial<Record<ErrorCode, number>> = {
  KK_USAGE: 400,
  KK_YAML: 400,
  KK_VALUES: 400,
  KK_FILE: 400,
  KK_UNKNOWN_CHART: 404,
  KK_UNKNOWN_NAMESPACE: 404,
  KK_UNKNOWN_RELEASE: 404,
  KK_STORE_CONFLICT: 409,
  KK_SECRET: 403,
  KK_UNCONFIRMED: 403,
  KK_STORE: 409,
  KK_STORE_DATABASE: 503,
  KK_STORE_KEY: 503,
  KK_STORE_VERSION: 503,
}

/** The words of kk for what fastify and Node refuse before a route is reached, by status. */
const REFUSED: Readonly<Record<number, {readonly code: string; readonly hint: string}>> = {
  400: {code: 'KK_USAGE', hint: 'see /docs for what the request should be'},
  404: {code: 'KK_NOT_FOUND', hint: 'see /docs for what there is'},
  408: {code: 'KK_TIMEOUT', hint: 'send the request faster'},
  413: {code: 'KK_TOO_LARGE', hint: 'send less at once'},
  414: {code: 'KK_TOO_LARGE', hint: 'send less in the address'},
  415: {code: 'KK_USAGE', hint: 'send JSON with "content-type: application/json"'},
  417: {code: 'KK_USAGE', hint: 'leave the header Expect out'},
  431: {code: 'KK_TOO_LARGE', hint: 'send less in the headers'},
  429: {code: 'KK_TOO_MANY', hint: 'wait as long as the header Retry-After says'},
}

export interface Answer {
  readonly status: number
  readonly body: ErrorBody
}

/** Returns an error as an answer. An error of kk's own shows nothing of itself. */
export function answerTo(error: unknown): Answer {
  if (error instanceof KkError) return {status: STATUS[error.code] ?? 500, body: {error: bodyOf(error)}}
  const status = (error as {readonly statusCode?: number}).statusCode
  if (status !== undefined && status >= 400 && status < 500) {
    const {code, hint} = REFUSED[status] ?? {code: 'KK_USAGE', hint: 'see /docs'}
    return {status, body: {error: {code, message: messageOf(error as Refusal), hint}}}
  }
  return {
    status: 500,
    body: {
      error: {code: asKkError(error).code, message: 'something went wrong inside kk', hint: 'see its log'},
    },
  }
}

/** An error of fastify; `validation` is what ajv says of a body that its schema does not allow. */
interface Refusal {
  readonly message: string
  readonly validation?: readonly {readonly params: {readonly allowedValues?: readonly unknown[]}}[]
}

function messageOf({message, validation}: Refusal): string {
  const allowed = validation?.[0]?.params.allowedValues
  return allowed ? `${message}: ${allowed.join(', ')}` : message
}

/** Who may only read must not learn where the database is, and as whom kk uses it. */
function bodyOf({code, message, hint}: KkError): ErrorBody['error'] {
  if (code === 'KK_STORE_DATABASE') return withoutDetails(code)
  return {code, message, ...(hint !== undefined && {hint})}
}

/** Returns an error as anybody may see it: where the store is, and what its database says, is in the log alone. */
export function withoutDetails(code: string): ErrorBody['error'] {
  const known = code === 'KK_BUG' ? undefined : ERRORS[code as ErrorCode]
  return {code, message: known?.meaning ?? 'something went wrong inside kk', hint: 'see the log of kk serve'}
}
