import type {Redact} from '../../redact/redact.ts'
import {isApiError, maskedError} from './api-error.ts'
import type {ApiClient, ApiRequest} from './client.ts'

/** Returns a client whose errors are masked: the API server quotes values of an object that it refuses. */
export function maskedClient(client: ApiClient, redact: Redact): ApiClient {
  const masked = (error: unknown): never => {
    throw isApiError(error) ? maskedError(error, redact) : error
  }
  return {
    ...client,
    json: <T>(request: ApiRequest) => client.json<T>(request).catch(masked),
    text: (request) => client.text(request).catch(masked),
    lines: (request) => client.lines(request).catch(masked),
  }
}
