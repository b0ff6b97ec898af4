import {mkdir, writeFile} from 'node:fs/promises'
import {type AddressInfo, createServer} from 'node:net'
import {join} from 'node:path'
import {execa} from 'execa'
import {describe, expect, it, onTestFinished} from 'vitest'
import {testDirectory} from '../support/test-directory.ts'
import {useCharts} from './support/charts.ts'
import {find} from './support/objects.ts'

const charts = await useCharts()

/** Another member: nothing listens on its ports until they are opened. */
const OTHER = '127.0.0.1'

async function memberPort(): Promise<{readonly port: number; open(): Promise<void>}> {
  const reserved = createServer()
  await new Promise<void>((resolve) => reserved.listen(0, OTHER, resolve))
  const {port} = reserved.address() as AddressInfo
  await new Promise((resolve) => reserved.close(resolve))
  const server = createServer((socket) => socket.destroy())
  onTestFinished(() => void server.close())
  return {port, open: () => new Promise<void>((resolve) => server.listen(port, OTHER, resolve))}
}

interface Start {
  readonly pod: string
  readonly peers?: string
  readonly patience?: number
}

/** A member of RabbitMQ before its first start, at 127.0.0.2. */
async function firstStart({pod, peers = OTHER, patience = 600}: Start) {
  const ports = {clients: await memberPort(), members: await memberPort(), waiting: await memberPort()}
  const directory = testDirectory()
  const data = join(directory, 'data')
  await mkdir(data)
  const objects = await charts.render('rabbitmq', {
    values: {endpoints: {oslo_messaging: {port: {amqp: {default: ports.clients.port}}}}},
  })
  const script = join(directory, 'first-start.py')
  await writeFile(script, find(objects, 'ConfigMap', 'rabbitmq-bin').data!['rabbitmq-first-start.py']!)
  return {
    ...ports,
    data,
    run() {
      const child = execa('python3', [script], {
        env: {
          ...{POD_NAME: pod, POD_IP: '127.0.0.2', PEERS: peers, RABBITMQ_MNESIA_BASE: data},
          ...{RABBITMQ_DIST_PORT: `${ports.members.port}`, WAITING_PORT: `${ports.waiting.port}`},
          PATIENCE_SECONDS: `${patience}`,
        },
      })
      onTestFinished(() => void child.kill())
      const lines = child.iterable()
      return {
        /** What it says first; it then waits. */
        says: async () => (await lines.next()).value as string,
        end: async () => {
          for await (const _ of lines);
          await child
        },
      }
    },
  }
}

describe('a member of the message bus without data', () => {
  it('begins the cluster if it is the first, and alone', async () => {
    const {run} = await firstStart({pod: 'rabbitmq-server-0', peers: '127.0.0.2'})

    await run().end()
  })

  it('begins the cluster if it is the first, and the others have no data either', async () => {
    const {waiting, run} = await firstStart({pod: 'rabbitmq-server-0'})
    await waiting.open()

    await run().end()
  })

  it.each([
    [
      'it is not the first',
      'rabbitmq-server-1',
      'no member serves clients yet, and this is not the first one',
    ],
    [
      'it is the first, and others may have a cluster',
      'rabbitmq-server-0',
      'other members may have data, and do not run yet',
    ],
  ])('waits for a member that serves if %s', async (_, pod, why) => {
    const {clients, run} = await firstStart({pod})

    const {says, end} = run()
    expect(await says()).toBe(`waits: ${why}`)
    await clients.open()
    await end()
  })

  it('begins the cluster after a time if the others stay away', async () => {
    const {says, end} = (await firstStart({pod: 'rabbitmq-server-0', patience: 0})).run()

    expect(await says()).toBe('waits: other members may have data, and do not run yet')
    await end()
  })

  it('starts after a time if another one runs, but waits for a majority', async () => {
    const {members, run} = await firstStart({pod: 'rabbitmq-server-1', patience: 0})
    await members.open()

    const {says, end} = run()
    expect(await says()).toBe('waits: another member does not serve clients yet')
    await end()
  })

  it('waits while names cannot be resolved', async () => {
    const {run} = await firstStart({pod: 'rabbitmq-server-0', peers: 'peers.invalid', patience: 0})

    expect(await run().says()).toMatch(/^waits: the names of the members are not known: /)
  })
})

it('a member of the message bus with data waits for nothing', async () => {
  const {data, run} = await firstStart({pod: 'rabbitmq-server-1'})
  await mkdir(join(data, 'rabbit@rabbitmq-server-1.rabbitmq-server-peers.openstack.svc.cluster.local'))

  await run().end()
})

it('a member of the message bus waits although there are data of another', async () => {
  const {data, run} = await firstStart({pod: 'rabbitmq-server-1'})
  await mkdir(join(data, 'rabbit@rabbitmq-server-10.rabbitmq-server-peers.openstack.svc.cluster.local'))

  expect(await run().says()).toMatch(/^waits: /)
})
