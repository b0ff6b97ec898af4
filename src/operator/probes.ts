import {createServer, type Server} from 'node:http'
import type {AddressInfo} from 'node:net'
import type * as prometheus from 'prom-client'
import {asKkError, KkError} from '../base/errors.ts'
import type {OperatorOptions, OperatorState} from './operator.ts'

/** The HTTP server for kubelet probes and Prometheus metrics. */
export interface Probes extends AsyncDisposable {
  /** Its address, such as `http://127.0.0.1:8080`. */
  readonly address: string
}

interface Probed {
  readonly state: OperatorState
  readonly metrics: Pick<OperatorMetrics, 'text' | 'contentType'>
}

/** Serves `/healthz`, `/readyz` and `/metrics`. Rejects with `KK_USAGE` if it cannot listen. */
export async function serveProbes(
  {host, port}: {readonly host: string; readonly port: number},
  probed: Probed,
): Promise<Probes> {
  const server = createServer(async (request, response) => {
    const {status, text, type = 'text/plain'} = await answerTo(request.url ?? '', probed)
    response.writeHead(status, {'content-type': type}).end(text)
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
          hint: 'choose another address with --listen',
        }),
      ),
    )
    server.listen(port, host, resolve)
  })
}

interface Answer {
  readonly status: number
  readonly text: string
  readonly type?: string
}

async function answerTo(path: string, {state, metrics}: Probed): Promise<Answer> {
  switch (path.split('?', 1)[0]) {
    case '/healthz': {
      const stuck = state.stuck()
      return verdict(
        stuck === undefined ? undefined : `the reconciliation of ${stuck} is stuck: its heartbeat is overdue`,
      )
    }
    case '/readyz':
      // A standby is ready.
      return verdict(state.isLeader ? state.problem() : undefined)
    case '/metrics':
      return metrics.text().then(
        (text) => ({status: 200, text, type: metrics.contentType}),
        (error: unknown) => ({status: 500, text: `${asKkError(error).message}\n`}),
      )
    default:
      return {status: 404, text: 'see /healthz, /readyz or /metrics\n'}
  }
}

function verdict(problem: string | undefined): Answer {
  return problem === undefined ? {status: 200, text: 'ok\n'} : {status: 503, text: `${problem}\n`}
}

interface OperatorMetrics extends Pick<OperatorOptions, 'onReconcile' | 'onGate'> {
  readonly contentType: string
  text(): Promise<string>
}

/**
 * Returns metrics of the operator and its process, with the names of controller-runtime, for its dashboards.
 */
export function operatorMetrics(
  {Registry, Gauge, Counter, Histogram, collectDefaultMetrics}: typeof prometheus,
  state: Pick<OperatorState, 'isLeader' | 'depth' | 'statuses' | 'shards'>,
): OperatorMetrics {
  const registry = new Registry()
  const registers = [registry]
  // The default of 10 ms takes more than half a percent of a core in an idle process.
  collectDefaultMetrics({register: registry, eventLoopMonitoringPrecision: 100})
  new Gauge({
    name: 'leader_election_master_status',
    help: 'Whether this process is the leader (1) or not (0).',
    labelNames: ['name'],
    registers,
    collect() {
      this.set({name: 'kk-operator'}, Number(state.isLeader))
    },
  })
  new Gauge({
    name: 'workqueue_depth',
    help: 'Number of Environments that are queued or being reconciled.',
    labelNames: ['name'],
    registers,
    collect() {
      this.set({name: 'environment'}, state.depth())
    },
  })
  new Gauge({
    name: 'kk_environments',
    help: 'Number of Environments by condition type and status.',
    labelNames: ['type', 'status'],
    registers,
    collect() {
      this.reset()
      for (const {conditions = []} of state.statuses().values())
        for (const {type, status} of conditions) this.inc({type, status})
    },
  })
  new Gauge({
    name: 'kk_plan_actions',
    help: 'Number of pending or running actions in the plan of an Environment, by kind.',
    labelNames: ['environment', 'kind'],
    registers,
    collect() {
      this.reset()
      for (const [environment, {plan}] of state.statuses())
        for (const action of plan?.actions ?? []) this.inc({environment, kind: action.split(' ', 1)[0]!})
    },
  })
  new Gauge({
    name: 'kk_releases',
    help: 'Number of releases by shard.',
    labelNames: ['shard'],
    registers,
    collect() {
      this.reset()
      for (const [shard, count] of state.shards()) this.set({shard}, count)
    },
  })
  const reconciles = new Counter({
    name: 'controller_runtime_reconcile_total',
    help: 'Total number of reconciliations of Environments, by result.',
    labelNames: ['controller', 'result'],
    registers,
  })
  const duration = new Histogram({
    name: 'controller_runtime_reconcile_time_seconds',
    help: 'Duration of reconciliations of Environments, including their runs.',
    labelNames: ['controller'],
    buckets: [0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3600],
    registers,
  })
  const gates = new Histogram({
    name: 'kk_release_gate_seconds',
    help: 'Duration of release gates after helm has ended, by chart and result.',
    labelNames: ['chart', 'result'],
    buckets: [0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3600],
    registers,
  })
  const controller = 'environment'
  for (const result of ['success', 'error']) reconciles.inc({controller, result}, 0)
  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    onReconcile(result, seconds) {
      reconciles.inc({controller, result})
      duration.observe({controller}, seconds)
    },
    onGate: (chart, result, seconds) => gates.observe({chart, result}, seconds),
  }
}
