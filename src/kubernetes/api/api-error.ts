import type * as meta from 'kubernetes-types/meta/v1.js'
import {asKkError, KkError} from '../../base/errors.ts'
import type {DeepReadonly} from './served.ts'

/** The API server's reason for an error. */
export type Status = DeepReadonly<meta.Status>

/**
 * One of the causes of an error, e.g. `FieldManagerConflict` with the field, and the manager in its message.
 */
export type StatusCause = DeepReadonly<meta.StatusCause>

/**
 * The context and address that an error is about. Every message names them, because a wrong context is the
 * most common cause.
 */
export interface Server {
  readonly context: string
  readonly server: string
}

/** A response of the API server with an error status. */
export class ApiError extends KkError {
  readonly status: number
  /** The API server's message. */
  readonly serverMessage: string | undefined
  readonly causes: readonly StatusCause[]
  /** The seconds after which the API server accepts a retry. */
  readonly retryAfter: number | undefined

  constructor(
    code: 'KK_API' | 'KK_FORBIDDEN' | 'KK_API_SERVER',
    message: string,
    answer: {
      status: number
      serverMessage?: string | undefined
      causes?: readonly StatusCause[]
      hint?: string
      retryAfter?: number | undefined
    },
  ) {
    super(code, message, answer.hint === undefined ? {} : {hint: answer.hint})
    this.status = answer.status
    this.serverMessage = answer.serverMessage
    this.causes = answer.causes ?? []
    this.retryAfter = answer.retryAfter
  }
}

export function isApiError(error: unknown, ...statuses: readonly number[]): error is ApiError {
  return error instanceof ApiError && (statuses.length === 0 || statuses.includes(error.status))
}

/** Whether the API server did not answer a request, or could not serve it: a repetition may succeed. */
export function isUnserved(error: unknown): boolean {
  const {code} = asKkError(error)
  return code === 'KK_UNREACHABLE' || code === 'KK_API_SERVER'
}

/** Whether a PodDisruptionBudget does not permit an eviction now. */
export function isRefusedByBudget(error: unknown): error is ApiError {
  return isApiError(error, 429) && error.causes.some(({reason}) => reason === 'DisruptionBudget')
}

/** Returns an error with the API server's message masked. The names of fields and of their managers stay. */
export function maskedError(error: ApiError, redact: (text: string) => string): ApiError {
  const {status, causes, hint, retryAfter, serverMessage} = error
  if (serverMessage === undefined || serverMessage === '') return error
  const masked = redact(serverMessage)
  return new ApiError(
    error.code as 'KK_API',
    error.message.replace(serverMessage, () => masked),
    {
      ...{status, serverMessage: masked, causes, retryAfter},
      ...(hint !== undefined && {hint}),
    },
  )
}

interface Refused {
  /** The request as a verb and its object, e.g. `list secrets`. */
  readonly summary: string
  readonly status: number
  readonly body: Status
  /** The seconds to wait before the next attempt. */
  readonly retryAfter?: number | undefined
}

/** Returns the error of a response whose status is 400 or more. */
export function refusal(server: Server, {summary, status, body, retryAfter}: Refused): ApiError {
  const serverMessage = body.message?.trim()
  if (status === 401) {
    return new ApiError(
      'KK_FORBIDDEN',
      `${server.server} does not accept the credentials of context "${server.context}" (to ${summary})`,
      {
        status,
        serverMessage,
        hint: 'log in again, or repair the user of this context in the kubeconfig',
      },
    )
  }
  if (status === 403) {
    return new ApiError(
      'KK_FORBIDDEN',
      `context "${server.context}" may not ${summary}: ${serverMessage ?? 'forbidden'}`,
      {
        status,
        serverMessage,
        hint: 'ask for a role that allows it, or use another context',
      },
    )
  }
  return new ApiError(
    status >= 500 ? 'KK_API_SERVER' : 'KK_API',
    `the API server of context "${server.context}" could not ${summary}: ${serverMessage ?? 'no reason given'} (${status})`,
    {status, serverMessage, causes: body.details?.causes ?? [], retryAfter},
  )
}

/** Returns the error of a request without a response. */
export function unreachable(server: Server, error: unknown): KkError {
  return new KkError(
    'KK_UNREACHABLE',
    `the cluster of context "${server.context}" does not answer at ${server.server}: ${networkReason(error)}`,
    {
      cause: error,
      hint: 'check that the cluster runs and that this is the context you mean (--context)',
    },
  )
}

const NETWORK_REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was cut',
  EPIPE: 'the connection was cut',
  ENOTFOUND: 'its host name does not resolve',
  EAI_AGAIN: 'its host name cannot be resolved at the moment',
  EHOSTUNREACH: 'no route to its host',
  ENETUNREACH: 'no network',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is not signed by the authority of the kubeconfig',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not signed by the authority of the kubeconfig',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not signed by the authority of the kubeconfig',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is not signed by the authority of the kubeconfig',
  CERT_SIGNATURE_FAILURE: 'its certificate is not signed by the authority of the kubeconfig',
  CERT_HAS_EXPIRED: 'its certificate has expired',
}

function networkReason(error: unknown): string {
  const {code, message, errors} = error as {code?: string; message?: string; errors?: readonly unknown[]}
  const reason = code && NETWORK_REASONS[code]
  if (reason) return reason
  if (errors && errors.length > 0) return networkReason(errors[0])
  return message || code || String(error)
}
