import {once} from 'node:events'
import {type AddressInfo, createServer, type Socket} from 'node:net'
import {join} from 'node:path'
import {execa} from 'execa'
import {describe, expect, it, onTestFinished, vi} from 'vitest'
import {READ_RECORD} from '../../src/verbs/change/noticed.ts'
import {writeFiles} from '../charts/support/write-files.ts'
import {useCharts} from './support/charts.ts'
import {find} from './support/objects.ts'

const charts = await useCharts()
const objects = await charts.render('probers')
const script = find(objects, 'ConfigMap', 'probers-bin').data!['probers.py']!
const conf = find(objects, 'ConfigMap', 'probers-etc').data!['probers.json']!

/** Runs Python after the definitions of the prober; returns what it prints, as JSON. */
async function run(
  program: string,
  parse: (line: string) => unknown = (line) => JSON.parse(line),
): Promise<unknown> {
  const file = join(writeFiles({'probers.json': conf}), 'probers.json')
  const own = script.replace('/var/lib/kolla/config_files/probers.json', file)
  const {stdout} = await execa('python3', ['-', file], {
    input: `${own.replace('if __name__ == "__main__":', 'if False:')}\n${program}`,
    env: {POD_IP: '127.0.0.1'},
  })
  return parse(stdout)
}

/** A server that greets as SSH servers do; `receive` gets each connection with all that it has sent. */
async function sshServer(receive: (connection: Socket, text: string) => void): Promise<number> {
  const server = createServer((connection) => {
    let text = ''
    connection.write('SSH-2.0-test\r\n')
    connection.setEncoding('latin1').on('data', (chunk) => {
      text += chunk
      receive(connection, text)
    })
    connection.on('error', () => undefined)
  })
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return (server.address() as AddressInfo).port
}

it('asks for a server once a second at the end, too', async () => {
  const asked = await run(`
seconds = 0
now = lambda: seconds
def sleep(each):
    global seconds
    seconds += each
time.sleep = sleep
STOP.set()
servers = Servers({"timeout": 5})
servers.state = lambda server: {}
asked = [server for _, server in zip(range(5), servers.states("a"))]
print(json.dumps([len(asked), seconds]))`)

  expect(asked).toEqual([5, 4])
})

describe('the record of a probe', () => {
  it('has the failures of a time range, and the longest time without a success in it', async () => {
    const summary = await run(`
record = Record()
record.began = 100
for ended, error in ((101, None), (102, None), (105, "lost"), (109, None), (110, None)):
    record.results.append((ended, 1, error))
print(json.dumps([record.summary(0, 112), record.summary(103, 108), record.summary(110.5, 120)]))`)

    expect(summary).toMatchObject([
      {tried: 5, failed: 1, longestGapSeconds: 7, firstFailures: [{text: 'lost'}], slowestSeconds: 1},
      {tried: 2, failed: 1, longestGapSeconds: 5},
      {tried: 0, failed: 0, longestGapSeconds: 9.5, firstFailures: []},
    ])
  })

  it('has what hung for longer than the time range', async () => {
    const summary = await run(`
record = Record()
record.began = 100
record.results.append((130, 20, "timed out"))
print(json.dumps(record.summary(112, 118)))`)

    expect(summary).toMatchObject({tried: 1, failed: 1, longestGapSeconds: 6})
  })

  it('is read by kk for the times of its actions, by whatever clock', async () => {
    const answers = await run(
      `
import sys
server = Server(("", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
RECORDS["token"].results.append((now() - 10, 1, "HTTP 503"))
BEGAN = now() - 60
program = ${JSON.stringify(READ_RECORD)}.replace("9310", str(server.server_address[1]))
for skew in (0, 3600):
    ago = [[15, 5], [5, 0], [90, 30]]
    kk = time.time() + skew
    sys.argv = ["-", json.dumps([[kk - since, kk - until] for since, until in ago]), str(kk)]
    exec(program)
print(json.dumps(None))`,
      (text) => text.split('\n').map((line) => JSON.parse(line)),
    )

    const failed = (answer: unknown) =>
      (answer as {probes: {token: {failed: number}}; isWhole: boolean}[]).map(({probes, isWhole}) => [
        probes.token.failed,
        isWhole,
      ])
    const expected = [
      [1, true],
      [0, true],
      [0, false],
    ]
    expect((answers as unknown[]).slice(0, 2).map(failed)).toEqual([expected, expected])
  })

  it('is in the metrics with the name of its probe', async () => {
    const text = await run(`
RECORDS["ping web"].add(now(), "no answer")
print(json.dumps(metrics()))`)

    expect(text).toContain('kk_probe_tried_total{probe="ping web"} 1\n')
    expect(text).toContain('kk_probe_failed_total{probe="ping web"} 1\n')
  })
})

describe('a held SSH connection', () => {
  /** Exchanges messages while a condition holds. */
  const exchanges = (port: number, hold: number, condition: string) => `
RECORD = RECORDS["ssh web"]
def repeat(every, ask):
    while ${condition}:
        try:
            ask()
        except ConnectionError:
            pass
hold("web", "127.0.0.1", 0, ${port}, ${hold}, 5)
print(json.dumps(RECORD.summary(0, now())))`
  const six = 'RECORD.tried < 6'

  it('stays the same one as long as it works', async () => {
    const connections = new Set<Socket>()
    const port = await sshServer((connection) => connections.add(connection))

    expect(await run(exchanges(port, 100, six))).toMatchObject({tried: 6, failed: 0})
    await vi.waitFor(() => expect(connections.size).toBe(1))
  })

  it('is replaced without a failure before a server ends it', async () => {
    const connections = new Set<Socket>()
    const port = await sshServer((connection) => connections.add(connection))

    expect(await run(exchanges(port, -1, six))).toMatchObject({tried: 6, failed: 0})
    await vi.waitFor(() => expect(connections.size).toBe(6))
  })

  it('counts as failed when it is lost, and is opened again', async () => {
    const firstExchange = 'SSH-2.0-probers\r\n'.length + 16
    const port = await sshServer((connection, text) => {
      if (text.length > firstExchange) connection.resetAndDestroy()
    })

    const summary = (await run(exchanges(port, 100, 'RECORD.failed < 2'))) as {readonly tried: number}

    expect(summary).toMatchObject({failed: 2})
    expect(summary.tried).toBeGreaterThan(2)
  })
})

describe('a created server', () => {
  it('in ERROR is a failed creation, and no failed call', async () => {
    const record = await run(`
import types
states = iter([{"status": "BUILD"}, {"status": "ERROR", "fault": {"message": "No valid host was found."}}])
def ask(method, service, path, body=None):
    return {"server": {"id": "one"} if method == "POST" else next(states)}
USER = types.SimpleNamespace(ask=ask)
STOP.wait = lambda seconds: None
try:
    tried("server create", lambda: Servers(CONF["server"]).create("network", "image", "flavor"))
except RuntimeError:
    pass
print(json.dumps({name: record.summary(0, now()) for name, record in RECORDS.items()}))`)

    expect(record).toMatchObject({
      'server create': {
        tried: 1,
        failed: 1,
        firstFailures: [{text: 'RuntimeError: ERROR: No valid host was found.'}],
      },
      'server calls': {tried: 3, failed: 0},
    })
  })
})

it('the prober ends if one of its probes cannot run', async () => {
  const ended = run('threading.excepthook = end_all\nstart(lambda: 1 / 0).join()\nprint("{}")')

  await expect(ended).rejects.toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('ZeroDivisionError'),
  })
})

it('the prober pings without a capability, by a setting of its own network', () => {
  const {template} = find(objects, 'Deployment', 'probers-prober').spec as unknown as {
    readonly template: {
      readonly spec: {
        readonly hostNetwork?: boolean
        readonly securityContext: object
        readonly containers: readonly {readonly securityContext: object}[]
      }
    }
  }

  expect(template.spec.hostNetwork).toBeUndefined()
  expect(template.spec.securityContext).toMatchObject({
    sysctls: [{name: 'net.ipv4.ping_group_range', value: '0 2147483647'}],
  })
  expect(template.spec.containers[0]!.securityContext).toMatchObject({
    ...{allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: {drop: ['ALL']}},
  })
  expect(template.spec.containers[0]!.securityContext).not.toHaveProperty('capabilities.add')
})
