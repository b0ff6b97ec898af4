import {mkdir, writeFile} from 'node:fs/promises'
import {type AddressInfo, createServer} from 'node:net'
import {join} from 'node:path'
import {setTimeout} from 'node:timers/promises'
import {execa} from 'execa'
import {describe, expect, it, onTestFinished} from 'vitest'
import {testDirectory} from '../support/test-directory.ts'
import {useCharts} from './support/charts.ts'
import {find} from './support/objects.ts'

const charts = await useCharts()

/** A port that a member listens on from `open` on; `asked` resolves at its first connection. */
async function memberPort(): Promise<{
  readonly port: number
  open(): Promise<void>
  readonly asked: Promise<void>
}> {
  const reserved = createServer()
  await new Promise<void>((resolve) => reserved.listen(0, '127.0.0.1', resolve))
  const {port} = reserved.address() as AddressInfo
  await new Promise((resolve) => reserved.close(resolve))
  const server = createServer((socket) => socket.destroy())
  onTestFinished(() => void server.close())
  return {
    port,
    open: () => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve)),
    asked: new Promise<void>((resolve) => server.once('connection', () => resolve())),
  }
}

/** A member of RabbitMQ before its first start, beside another one at 127.0.0.1. */
async function firstStart(pod: string, own = '192.0.2.1') {
  const [clients, members] = [await memberPort(), await memberPort()]
  const directory = testDirectory()
  const data = join(directory, 'data')
  await mkdir(data)
  const objects = await charts.render('rabbitmq', {
    values: {endpoints: {oslo_messaging: {port: {amqp: {default: clients.port}}}}},
  })
  const script = join(directory, 'first-start.py')
  await writeFile(script, find(objects, 'ConfigMap', 'rabbitmq-bin').data!['rabbitmq-first-start.py']!)
  const start = () => {
    let hasEnded = false
    const child = execa('python3', [script], {
      env: {
        ...{POD_NAME: pod, POD_IP: own, PEERS: '127.0.0.1'},
        ...{RABBITMQ_MNESIA_BASE: data, RABBITMQ_DIST_PORT: `${members.port}`},
      },
    })
    onTestFinished(() => void child.kill())
    const end = child.then(() => {
      hasEnded = true
    })
    return {end, hasEnded: () => hasEnded}
  }
  return {clients, members, data, start}
}

describe('a member of the message bus without data', () => {
  it('begins the cluster if it is the first, and alone', async () => {
    const {start} = await firstStart('rabbitmq-server-0', '127.0.0.1')

    await start().end
  })

  it('waits for one that serves if it is another one', async () => {
    const {clients, start} = await firstStart('rabbitmq-server-1')

    const run = start()
    await setTimeout(1500)
    expect(run.hasEnded()).toBe(false)
    await clients.open()
    await run.end
  })

  it('waits if it is the first, and another one, which may have a cluster, starts', async () => {
    const {clients, members, start} = await firstStart('rabbitmq-server-0')
    await members.open()

    const run = start()
    await members.asked
    await setTimeout(500)
    expect(run.hasEnded()).toBe(false)
    await clients.open()
    await run.end
  })
})

it('a member of the message bus with data waits for nothing', async () => {
  const {data, start} = await firstStart('rabbitmq-server-1')
  await mkdir(join(data, 'rabbit@rabbitmq-server-1.rabbitmq-server-peers.openstack.svc.cluster.local'))

  await start().end
})
