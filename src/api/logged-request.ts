import type {FastifyRequest} from 'fastify'

/** What the log says of a request. Of its parameters only the namespace: a mistyped one may hold anything. */
export function loggedRequest({
  method,
  url,
  host,
  ip,
  socket,
  query,
}: FastifyRequest): Record<string, unknown> {
  const {namespace} = (query ?? {}) as {readonly namespace?: unknown}
  return {
    method,
    url: url.replace(/[?#;].*$/s, ''),
    ...(typeof namespace === 'string' && {namespace}),
    host,
    remoteAddress: ip,
    remotePort: socket?.remotePort,
  }
}
