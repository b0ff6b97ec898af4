import {expect, it} from 'vitest'
import {KkError} from '../../../src/base/errors.ts'
import {refusal} from '../../../src/kubernetes/api/api-error.ts'
import type {ContainerLog, LoggedLine, Logs} from '../../../src/kubernetes/logs.ts'
import type {Prepared} from '../../../src/prepare/prepare.ts'
import {palette} from '../../../src/report/colour.ts'
import {logLineText} from '../../../src/report/logs-text.ts'
import {type LogOptions, readLogs} from '../../../src/verbs/observation/logs.ts'

const REQUEST = 'req-6f1c0d52-3a3e-4a53-9d0c-0f7f2b6f9c11'
const RELEASES = ['openstack/nova', 'openstack/neutron', 'openstack/heat-api'] as const
const PREPARED = {
  environment: {
    ...{file: 'cloud.yaml', namespace: 'openstack', releases: new Map()},
    parts: new Map([['heat-api', {section: 'heat'}]]),
  },
  releases: new Map(RELEASES.map((release) => [release, {}])),
  graph: {releases: RELEASES, requirements: new Map(RELEASES.map((release) => [release, []]))},
} as unknown as Pick<Prepared, 'environment' | 'graph' | 'releases'>

const at = (second: number, text: string): LoggedLine => ({
  time: `2026-11-30T01:00:0${second}.123456789Z`,
  text,
})

const LOGS: readonly (readonly [Partial<ContainerLog>, readonly LoggedLine[]])[] = [
  [
    {release: 'nova', pod: 'nova-api', container: 'api'},
    [at(1, `INFO nova [${REQUEST}] accepted`), at(4, 'ERROR nova [-] no host\u001b[2J')],
  ],
  [
    {release: 'neutron', pod: 'neutron-server', container: 'server'},
    [at(2, `INFO neutron [${REQUEST}] port`), at(3, 'DEBUG neutron the word ERRORS')],
  ],
  [{release: 'nova', pod: 'nova-api', container: 'api', isPrevious: true}, [at(0, 'CRITICAL nova it ends')]],
  [{release: 'heat', pod: 'heat-api', container: 'api'}, [at(5, 'INFO heat')]],
  [{release: 'other', pod: 'other', container: 'other'}, [at(6, 'ERROR of another environment')]],
]

function fakeLogs(failing: (log: ContainerLog) => boolean = () => false): Logs & {readonly tails: unknown[]} {
  const all = LOGS.map(
    ([log]) => ({namespace: 'openstack', node: log.pod, isPrevious: false, ...log}) as ContainerLog,
  )
  const tails: unknown[] = []
  return {
    tails,
    list: async () => all,
    async *lines(log, {tail}) {
      tails.push(tail)
      if (!failing(log)) yield* LOGS[all.indexOf(log)]![1]
      else if (log.isPrevious)
        throw refusal({context: 'c', server: 's'}, {summary: 'read', status: 404, body: {}})
      else throw new KkError('KK_API_SERVER', 'the kubelet does not answer')
    },
  }
}

const read = (options: Partial<LogOptions> = {}, logs = fakeLogs()) =>
  readLogs({logs}, PREPARED, {releases: [], seconds: 3600, errors: false, ...options})

it('the lines of all pods of an environment are in order of time, those before a restart too', async () => {
  const {lines, notRead} = await read()

  expect(lines.map(({pod, text}) => `${pod}: ${text.split(' ', 1)[0]}`)).toEqual([
    ...['nova-api: CRITICAL', 'nova-api: INFO', 'neutron-server: INFO', 'neutron-server: DEBUG'],
    ...['nova-api: ERROR', 'heat-api: INFO'],
  ])
  expect(notRead).toEqual([])
  expect(logLineText(lines[4]!, palette(0))).toBe(
    '2026-11-30T01:00:04.123Z nova-api/api  ERROR nova [-] no host',
  )
})

it('a request is followed through all services', async () => {
  const {lines} = await read({request: REQUEST})

  expect(lines.map(({release}) => release)).toEqual(['nova', 'neutron'])
})

it('errors are lines of that level', async () => {
  const {lines} = await read({errors: true})

  expect(lines.map(({text}) => text.slice(0, 8))).toEqual(['CRITICAL', 'ERROR no'])
})

it('only the given releases are read, and those of a section that is several', async () => {
  expect((await read({releases: ['neutron']})).lines).toHaveLength(2)
  expect((await read({releases: ['heat-api']})).lines).toHaveLength(1)
  await expect(read({releases: ['glance']})).rejects.toMatchObject({
    ...{code: 'KK_UNKNOWN_RELEASE', hint: 'it has: nova, neutron, heat-api'},
  })
})

it('a log that cannot be read is named, unless it is of a former container', async () => {
  const {lines, notRead} = await read(
    {},
    fakeLogs(({pod}) => pod === 'nova-api'),
  )

  expect(lines).toHaveLength(3)
  expect(notRead).toEqual([
    {pod: 'openstack/nova-api', container: 'api', reason: 'the kubelet does not answer'},
  ])
})

it('of a node that does not answer, only the first log is awaited', async () => {
  const logs = fakeLogs(({isPrevious}) => !isPrevious)
  const all = (await logs.list('openstack')).map((log) => ({...log, node: 'dead', isPrevious: false}))

  const {notRead} = await read({}, {...logs, list: async () => Array(9).fill(all[0])})

  expect(notRead).toHaveLength(9)
  expect(notRead.at(-1)!.reason).toBe('node dead does not answer')
})
