import {createServer, type Server} from 'node:http'
import type {AddressInfo} from 'node:net'
import {KkError} from '../errors.ts'
import type {OperatorState} from './operator.ts'

/** The answers to what kubelets and Prometheus ask. */
export interface Probes extends AsyncDisposable {
  /** Where it listens, as `http://127.0.0.1:8080`. */
  readonly address: string
}

/** Serves `/healthz`, `/readyz` and `/metrics`. Rejects with `KK_USAGE` where it cannot listen. */
export async function serveProbes(
  {host, port}: {readonly host: string; readonly port: number},
  state: OperatorState,
): Promise<Probes> {
  const server = createServer((request, response) => {
    const answer = answerTo(request.url ?? '', state)
    response.writeHead(answer.status, {'content-type': 'text/plain; version=0.0.4'}).end(answer.text)
  })
  await listen(server, host, port)
  const {port: bound} = server.address() as AddressInfo
  return {
    address: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    [Symbol.asyncDispose]: async () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) =>
      reject(
        new KkError('KK_USAGE', `cannot listen on ${host}:${port}: ${cause.code}`, {
          cause,
          hint: 'name another place with --listen',
        }),
      ),
    )
    server.listen(port, host, resolve)
  })
}

function answerTo(path: string, state: OperatorState): {readonly status: number; readonly text: string} {
  switch (path.split('?', 1)[0]) {
    case '/healthz':
      return {status: 200, text: 'ok\n'}
    case '/readyz':
      // A standby is ready to lead.
      return state.isSynced || !state.isLeader
        ? {status: 200, text: 'ok\n'}
        : {status: 503, text: 'the Environments have not been listed yet\n'}
    case '/metrics':
      return {status: 200, text: metricsText(state)}
    default:
      return {status: 404, text: 'see /healthz, /readyz or /metrics\n'}
  }
}

/** Names as controller-runtime has them, so that dashboards for it fit. */
function metricsText({isLeader, depth, passes}: OperatorState): string {
  const {heapUsed, rss} = process.memoryUsage()
  return [
    metric('leader_election_master_status', 'gauge', [['name="kk-operator"', Number(isLeader)]]),
    metric('workqueue_depth', 'gauge', [['name="environment"', depth()]]),
    metric('controller_runtime_reconcile_total', 'counter', [
      ['controller="environment",result="success"', passes.succeeded],
      ['controller="environment",result="error"', passes.failed],
    ]),
    metric('process_resident_memory_bytes', 'gauge', [['', rss]]),
    metric('nodejs_heap_size_used_bytes', 'gauge', [['', heapUsed]]),
  ].join('')
}

function metric(
  name: string,
  type: 'gauge' | 'counter',
  samples: readonly (readonly [labels: string, value: number])[],
): string {
  const lines = samples.map(([labels, value]) => `${name}${labels && `{${labels}}`} ${value}\n`)
  return `# TYPE ${name} ${type}\n${lines.join('')}`
}
