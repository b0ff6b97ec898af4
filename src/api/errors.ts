import {asKkError, ERRORS, type ErrorCode, KkError} from '../base/errors.ts'

/** The body of an error response; codes are kk's own and stable. */
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

/** kk's codes and hints for what fastify and Node reject before a route is reached, by status. */
const REFUSED: Readonly<Record<number, {readonly code: string; readonly hint: string}>> = {
  400: {code: 'KK_USAGE', hint: 'see /docs for the expected request'},
  404: {code: 'KK_NOT_FOUND', hint: 'see /docs for the available routes'},
  408: {code: 'KK_TIMEOUT', hint: 'send the request faster'},
  413: {code: 'KK_TOO_LARGE', hint: 'send a smaller body'},
  414: {code: 'KK_TOO_LARGE', hint: 'use a shorter URL'},
  415: {code: 'KK_USAGE', hint: 'send JSON with "content-type: application/json"'},
  417: {code: 'KK_USAGE', hint: 'omit the header Expect'},
  431: {code: 'KK_TOO_LARGE', hint: 'send smaller headers'},
  429: {code: 'KK_TOO_MANY', hint: 'wait for the duration in the header Retry-After'},
}

export interface Answer {
  readonly status: number
  readonly body: ErrorBody
}

/** Returns the response for an error. Internal errors expose no details. */
export function errorResponse(error: unknown): Answer {
  if (error instanceof KkError) return {status: STATUS[error.code] ?? 500, body: {error: errorBody(error)}}
  const status = (error as {readonly statusCode?: number}).statusCode
  if (status !== undefined && status >= 400 && status < 500) {
    const {code, hint} = REFUSED[status] ?? {code: 'KK_USAGE', hint: 'see /docs'}
    return {status, body: {error: {code, message: refusalMessage(error as Refusal), hint}}}
  }
  return {
    status: 500,
    body: {
      error: {
        code: asKkError(error).code,
        message: 'an internal error occurred',
        hint: 'see the log of kk serve',
      },
    },
  }
}

/** An error of fastify; `validation` has ajv's errors for a body that violates its schema. */
interface Refusal {
  readonly message: string
  readonly validation?: readonly {readonly params: {readonly allowedValues?: readonly unknown[]}}[]
}

function refusalMessage({message, validation}: Refusal): string {
  const allowed = validation?.[0]?.params.allowedValues
  return allowed ? `${message}: ${allowed.join(', ')}` : message
}

/** Returns the body for an error; hides the database's address and user from read-only callers. */
function errorBody({code, message, hint}: KkError): ErrorBody['error'] {
  if (code === 'KK_STORE_DATABASE') return withoutDetails(code)
  return {code, message, ...(hint !== undefined && {hint})}
}

/**
 * Returns an error without details for any caller: the store's address and its database's messages are only
 * logged.
 */
export function withoutDetails(code: string): ErrorBody['error'] {
  const entry = code === 'KK_BUG' ? undefined : ERRORS[code as ErrorCode]
  return {code, message: entry?.meaning ?? 'an internal error occurred', hint: 'see the log of kk serve'}
}
