import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import type {Values} from '../../../src/base/values.ts'
import {kubectl} from '../../aio/support/node.ts'
import {waitFor} from '../../e2e/support/cluster.ts'
import {imageOf} from '../support/images.ts'
import {inServer} from '../support/in-server.ts'
import {linesOf, makeCloud, startClient} from '../support/own-cloud.ts'
import {series} from '../support/prometheus.ts'

/** Prints each alert that it gets, as `NAME firing RELEASE`. */
const RECEIVER = `exec python3 -u - <<'END'
import http.server, json
class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        for alert in json.loads(self.rfile.read(int(self.headers["Content-Length"])))["alerts"]:
            print(alert["labels"]["alertname"], alert["status"], alert["labels"].get("release", ""), flush=True)
        self.send_response(200)
        self.end_headers()
    def log_message(self, *_):
        pass
http.server.HTTPServer(("", 8080), Receiver).serve_forever()
END`
const WATCHED = ['up', 'kk_service_state', 'kube_pod_status_ready', 'node_memory_MemAvailable_bytes']

let namespace: string
let cloud: Awaited<ReturnType<typeof makeCloud>>
beforeAll(async () => {
  cloud = await makeCloud(
    ...['rabbitmq', 'toolbox', 'prometheus-server', 'prometheus-alertmanager'],
    ...['node', 'mysqld', 'memcached', 'libvirt'].map((what) => `prometheus-${what}-exporter`),
    'kube-state-metrics',
  )
  namespace = cloud.namespace
  await startClient({namespace, name: 'receiver', image: imageOf('toolbox'), script: RECEIVER})
}, 900_000)
afterAll(() => cloud.remove())

async function sections(): Promise<Values> {
  const address = await kubectl([
    ...['get', 'pod', 'receiver', '--namespace', namespace, '--output', 'jsonpath={.status.podIP}'],
  ])
  return {
    rabbitmq: {storage: {size: '1Gi'}},
    monitoring: {
      conf: {
        prometheus: {global: {scrape_interval: '5s', evaluation_interval: '5s'}},
        alertmanager: {
          route: {receiver: 'team', group_wait: '1s', group_interval: '5s'},
          receivers: {team: {webhook_configs: [{url: `http://${address}:8080/`}]}},
        },
        alerts: {services: {ServiceUnknown: {for: '10s'}}},
      },
      storage: {size: '1Gi'},
    },
  }
}

/** Waits for an alert that the receiver gets after what it has got. */
async function received(line: string, work: () => Promise<unknown>): Promise<void> {
  const before = (await linesOf(namespace, 'receiver')).length
  await work()
  await waitFor(async () => (await linesOf(namespace, 'receiver')).slice(before).includes(line), {
    until: `the receiver gets "${line}"`,
    seconds: 180,
  })
}

const scale = (replicas: number) =>
  kubectl(['scale', '--namespace', namespace, 'statefulset/rabbitmq-server', `--replicas=${replicas}`])

describe('monitoring: Prometheus beside a message bus', {timeout: 600_000}, () => {
  it('measures what is deployed, and its tests pass', async () => {
    await cloud.run('deploy', await sections())
    await cloud.run('test', await sections(), 'monitoring')

    for (const name of WATCHED) expect(await series(namespace, name), name).not.toEqual([])
    expect(await series(namespace, 'up == 0')).toEqual([])
    const [state] = await series(namespace, 'kk_service_state{state="healthy"} == 1')
    expect(state?.metric).toMatchObject({release: 'rabbitmq', component: 'status', namespace})
    // Its series are of the pods that it shows.
    const [ready] = await series(
      namespace,
      'kube_pod_status_ready{pod="rabbitmq-server-0",condition="true"} == 1',
    )
    expect(ready?.metric).toMatchObject({namespace, component: 'objects'})
  })

  it('sends an alert when RabbitMQ has no memory left, and when it has some again', async () => {
    const limit = (share: number) =>
      inServer(namespace, 'rabbitmq-server-0', 'rabbitmqctl', 'set_vm_memory_high_watermark', String(share))

    await received('RabbitMQMemoryAlarm firing rabbitmq', () => limit(0.000001))
    await received('RabbitMQMemoryAlarm resolved rabbitmq', () => limit(0.6))
  })

  it('sends an alert when a service cannot be asked, and when it can again', async () => {
    await received('ServiceUnknown firing rabbitmq', () => scale(0))
    await received('ServiceUnknown resolved rabbitmq', () => scale(1))
  })

  it('sends Watchdog as long as alerts are delivered', async () => {
    expect(await linesOf(namespace, 'receiver')).toContain('Watchdog firing ')
  })
})
