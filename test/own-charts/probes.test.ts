import {mkdirSync, readdirSync, utimesSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {execa} from 'execa'
import {describe, expect, it} from 'vitest'
import {testDirectory} from '../support/test-directory.ts'
import {CHARTS, SERVICES, useCharts, valuesOf, withAllObjects} from './support/charts.ts'
import {containers, find, type KubernetesObject, pods, variable, workloads} from './support/objects.ts'

const charts = await useCharts()
const nova = await charts.render('nova')
const aodh = await charts.render('aodh')

/** The commands of the probes of a component's container. */
function commands(objects: readonly KubernetesObject[], component: string) {
  const container = pods(workloads(objects))
    .flatMap(containers)
    .find(({name}) => name === component)
  const of = (probe: unknown) => (probe as {exec?: {command: string[]}} | undefined)?.exec?.command
  return {
    startup: of(container?.startupProbe),
    readiness: of(container?.readinessProbe),
    liveness: of(container?.livenessProbe),
  }
}

const files = (objects: readonly KubernetesObject[], name: string) => find(objects, 'ConfigMap', name).data!

describe('the probes of a worker', () => {
  it('ask its RPC server for an answer, and restart it only if the bus works and it does not answer', () => {
    const ping = ['python3', '/scripts/rpc-ping.py', '/etc/nova/nova.conf', 'conductor.{DEFAULT.host}']

    expect(commands(nova, 'conductor')).toEqual({
      startup: ping,
      readiness: ping,
      liveness: ['test', '!', '-e', '/tmp/rpc-unanswered'],
    })
    expect(files(nova, 'nova-bin')).toHaveProperty(['rpc-ping.py'])
    expect(files(nova, 'nova-etc')['nova.conf']).toContain('rpc_ping_enabled = true')
  })

  it('give a start half an hour, which may wait for the bus and the database', async () => {
    const neutron = await charts.render('neutron')
    const patience = (objects: readonly KubernetesObject[], component: string) => {
      const {startupProbe} = pods(workloads(objects))
        .flatMap(containers)
        .find(({name}) => name === component)!
      const {periodSeconds, failureThreshold} = startupProbe as Readonly<Record<string, number>>
      return periodSeconds! * failureThreshold!
    }

    expect(patience(nova, 'compute')).toBe(1800)
    expect(patience(aodh, 'evaluator')).toBe(1800)
    expect(patience(aodh, 'notifier')).toBe(1800)
    expect(patience(neutron, 'periodic-workers')).toBe(1800)
    expect(patience(nova, 'api')).toBe(300)
  })

  it('check the age of the heartbeat if it has no RPC server', async () => {
    const values = {conf: {aodh: {evaluator: {evaluation_interval: 240}}}}

    const slower = await charts.render('aodh', {values})

    expect(commands(aodh, 'evaluator').readiness).toEqual(['bash', '/scripts/heartbeat.sh', '75'])
    expect(commands(slower, 'evaluator').readiness).toEqual(['bash', '/scripts/heartbeat.sh', '255'])
    expect(JSON.parse(files(aodh, 'aodh-etc')['evaluator.json']!).command).toMatch(
      /^python3 \/scripts\/heartbeat\.py aodh\.evaluator:\S+ aodh-evaluator$/,
    )
  })

  it.each(['ovn-maintenance-worker', 'ovn-metadata-agent'])(
    'expect a heartbeat of %s no sooner than an idle connection to OVN is probed',
    async (component) => {
      const neutron = await charts.render('neutron')

      const [, , age] = commands(neutron, component).liveness!
      const interval = files(neutron, 'neutron-etc')['ml2_conf.ini']!.match(
        /ovsdb_probe_interval = (\d+)/,
      )![1]
      expect(Number(age)).toBeGreaterThan(Number(interval) / 1000)
    },
  )

  it('check the consumers of its queue, and the loop of the listener', () => {
    const {readiness, liveness} = commands(aodh, 'notifier')

    expect(liveness).toEqual(['bash', '/scripts/heartbeat.sh', '45'])
    expect(readiness).toEqual([
      ...liveness!,
      'python3',
      '/scripts/rpc-ping.py',
      '/etc/aodh/aodh.conf',
      '=alarming.sample',
    ])
  })

  it('check only its processes if its configuration is imported, whose intervals are not known', async () => {
    const kolla = {evaluator: {command: 'aodh-evaluator', config_files: [], files: {}}}

    const objects = await charts.render('aodh', {values: {kolla}})

    expect(commands(objects, 'evaluator').liveness).toEqual(['bash', '/scripts/heartbeat.sh', 'any'])
  })

  it.each(SERVICES.filter((chart) => chart !== 'murano'))(
    'of %s ask more than whether it exists',
    async (chart) => {
      if (valuesOf(chart).components === undefined) return
      const probes = pods(workloads(await charts.render(chart, {values: withAllObjects(chart)})))
        .flatMap(containers)
        .flatMap(({startupProbe, readinessProbe, livenessProbe}) => [
          startupProbe,
          readinessProbe,
          livenessProbe,
        ])

      expect(JSON.stringify(probes)).not.toMatch(/"pgrep"|\["true"\]/)
    },
  )
})

describe('a ping', () => {
  const {'rpc-ping.py': script} = files(nova, 'nova-bin')

  /** The library of the bus, with these queues: whether each consumer answers. */
  const bus = (queues: Readonly<Record<string, readonly boolean[]>>) => `
import signal, types
class AMQPError(Exception): pass
class NotFound(AMQPError): pass
QUEUES = ${JSON.stringify(queues).replaceAll('true', 'True').replaceAll('false', 'False')}
class Message:
    def __init__(self, body, **properties): self.body = body
class Channel:
    def __init__(self, connection): self.connection = connection
    def queue_declare(self, queue="reply", passive=False, exclusive=False):
        if passive and queue not in QUEUES: raise NotFound(queue)
        return types.SimpleNamespace(queue=queue, consumer_count=len(QUEUES.get(queue, [])))
    def basic_consume(self, queue, no_ack, callback): self.callback = callback
    def basic_publish(self, message, routing_key, mandatory):
        if QUEUES[routing_key].pop(): self.connection.replies.append((self, message))
class Connection:
    def __init__(self, address, **options):
        print("connects with ssl=%s" % options["ssl"])
        self.replies = []
    def connect(self): pass
    def channel(self): return Channel(self)
    def drain_events(self):
        if not self.replies: signal.pause()
        channel, message = self.replies.pop()
        channel.callback(message)
    def close(self): pass
`

  async function ping(conf: string, queues: Readonly<Record<string, readonly boolean[]>>, queue: string) {
    const root = testDirectory()
    mkdirSync(join(root, 'tmp'))
    writeFileSync(join(root, 'amqp.py'), bus(queues))
    writeFileSync(
      join(root, 'service.conf'),
      `[DEFAULT]\ntransport_url = rabbit://user:word@bus:5672/\n${conf}`,
    )
    const program = script!.replace('SECONDS = 8', 'SECONDS = 1').replaceAll('"/tmp/', `"${root}/tmp/`)
    const {exitCode, stdout, stderr} = await execa(
      'python3',
      ['-c', program.replace('"/proc"', `"${root}/tmp"`), join(root, 'service.conf'), queue],
      {reject: false, env: {PYTHONPATH: root}},
    )
    return {exitCode, stdout, stderr, isHung: readdirSync(join(root, 'tmp')).includes('rpc-unanswered')}
  }

  it('that all consumers answer passes', async () => {
    const {exitCode, stderr} = await ping('host = a\n', {'engine.a': [true, true]}, 'engine.{DEFAULT.host}')

    expect(exitCode, stderr).toBe(0)
  })

  it('that none answers is a reason to restart, and one that others answer is not', async () => {
    const none = await ping('host = a\n', {'engine.a': [false]}, 'engine.{DEFAULT.host}')
    const some = await ping('host = a\n', {'engine.a': [true, false, true]}, 'engine.{DEFAULT.host}')

    expect(none).toMatchObject({
      exitCode: 1,
      isHung: true,
      stderr: 'no answer within 1 s from engine.a (1 of 1)',
    })
    expect(some).toMatchObject({
      exitCode: 1,
      isHung: false,
      stderr: 'no answer within 1 s from engine.a (1 of 3)',
    })
  })

  it('finds the queue of a backend with a host of its own', async () => {
    const conf = 'host = a\nenabled_backends = one, two\n[one]\nbackend_host = rbd:pool\n[two]\n'
    const queues = {'volume.rbd:pool@one': [true], 'volume.a@two': [true]}

    const {exitCode, stderr} = await ping(conf, queues, 'volume.{DEFAULT.host}@{DEFAULT.enabled_backends}')

    expect(exitCode, stderr).toBe(0)
  })

  it('uses TLS without a file of authorities, too', async () => {
    const conf = 'host = a\n[oslo_messaging_rabbit]\nssl = true\n'

    const {stdout} = await ping(conf, {'engine.a': [true]}, 'engine.{DEFAULT.host}')

    expect(stdout).toBe('connects with ssl=True')
  })
})

describe('the end of nova', () => {
  it.each(['compute', 'conductor', 'scheduler'])(
    'gives %s the time of graceful_shutdown_timeout',
    async (component) => {
      const values = {conf: {nova: {DEFAULT: {graceful_shutdown_timeout: 600}}}}
      const grace = (objects: readonly KubernetesObject[]) =>
        pods(workloads(objects)).find(({spec}) => spec.containers[0]!.name === component)!.spec
          .terminationGracePeriodSeconds

      expect(grace(nova)).toBe(210)
      expect(grace(await charts.render('nova', {values}))).toBe(630)
    },
  )

  it('waits for the tasks of the host, and no longer', () => {
    const container = pods(workloads(nova))
      .flatMap(containers)
      .find(({name}) => name === 'compute')!

    expect(container.lifecycle).toEqual({preStop: {exec: {command: ['python3', '/scripts/nova-drain.py']}}})
    expect(variable(container, 'DRAIN_SECONDS')).toBe('180')
  })

  it('sets manager_shutdown_timeout only in a release that has it', async () => {
    const next = await charts.render('nova', {files: [join(CHARTS, 'values_overrides/nova/2026.1.yaml')]})

    expect(files(nova, 'nova-etc')['nova.conf']).not.toContain('manager_shutdown_timeout')
    expect(files(next, 'nova-etc')['nova.conf']).toContain('manager_shutdown_timeout = 0')
  })
})

describe('a heartbeat', () => {
  const {'heartbeat.py': start, 'heartbeat.sh': check} = files(aodh, 'aodh-bin')

  /** A directory in place of / for the scripts, with processes and the ages of their heartbeats. */
  function machine(ages: Readonly<Record<number, number>>, state = 'S (sleeping)') {
    const root = testDirectory()
    mkdirSync(join(root, 'tmp'))
    for (const [pid, age] of Object.entries(ages)) {
      mkdirSync(join(root, 'proc', pid), {recursive: true})
      writeFileSync(join(root, 'proc', pid, 'status'), `Name:\tservice\nState:\t${state}\n`)
      const file = join(root, 'tmp', `heartbeat.${pid}`)
      writeFileSync(file, '')
      const time = Date.now() / 1000 - age
      utimesSync(file, time, time)
    }
    return root
  }
  const inside = (script: string, root: string) => script.replaceAll(/\/(proc|tmp)\//g, `${root}/$1/`)
  const checked = async (root: string, ...args: string[]) => {
    const {exitCode, stdout} = await execa('bash', ['-c', inside(check!, root), 'check', ...args], {
      reject: false,
    })
    return {exitCode, stdout}
  }

  it('that is young passes, and the rest of the command runs', async () => {
    expect(await checked(machine({7: 5, 8: 20}), '60', 'echo', 'asked')).toEqual({
      exitCode: 0,
      stdout: 'asked',
    })
  })

  it('that is old fails, though another process has a young one', async () => {
    const {exitCode, stdout} = await checked(machine({7: 5, 8: 90}), '60')

    expect(exitCode).toBe(1)
    expect(stdout).toMatch(/^no heartbeat for 9\d s: 8$/)
  })

  it('that is missing is as old as the start of the service', async () => {
    const root = machine({})
    expect(await checked(root, '60')).toMatchObject({exitCode: 1})

    writeFileSync(join(root, 'tmp/heartbeat.start'), '')
    expect(await checked(root, '60')).toMatchObject({exitCode: 0})

    const time = Date.now() / 1000 - 90
    utimesSync(join(root, 'tmp/heartbeat.start'), time, time)
    expect((await checked(root, '60')).stdout).toMatch(/^no heartbeat for 9\d s: start$/)
  })

  it.each(['60', 'any'])('of a stopped process fails with the age %s', async (age) => {
    const {exitCode, stdout} = await checked(machine({7: 5}, 'T (stopped)'), age)

    expect(exitCode).toBe(1)
    expect(stdout).toMatch(/^stopped: .*\/proc\/7\/status$/)
  })

  it('is left by each call of the function, which works as before', async () => {
    const root = machine({})
    writeFileSync(
      join(root, 'worker.py'),
      'class Worker:\n    def turn(self, number):\n        return number + 1\n',
    )
    const program = 'import os, sys, worker\nprint(sys.argv[1:], worker.Worker().turn(1), os.getpid())\n'
    writeFileSync(join(root, 'service'), program, {mode: 0o755})
    const args = ['-c', inside(start!, root), 'worker:Worker.turn', join(root, 'service'), 'an argument']

    const {stdout} = await execa('python3', args, {env: {PYTHONPATH: root}})

    const pid = stdout.match(/^\['an argument'\] 2 (\d+)$/)?.[1]
    expect(readdirSync(join(root, 'tmp')).toSorted()).toEqual([`heartbeat.${pid}`, 'heartbeat.start'])
  })
})
