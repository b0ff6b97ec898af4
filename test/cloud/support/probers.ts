import {waitFor} from '../../e2e/support/cluster.ts'
import {inClient} from './client.ts'
import {podsOf, succeed} from './cloud.ts'
import {changedEnvironment} from './environment.ts'

/** The seconds after which the prober gives up the creation of a server. */
export const CREATION_TIMEOUT = 120

/** What one probe recorded in a time range. */
export interface Losses {
  readonly tried: number
  readonly failed: number
  readonly longestGapSeconds: number
  readonly longestGapBegan: string
  readonly slowestSeconds: number
  readonly firstFailures: readonly {readonly time: string; readonly text: string}[]
  readonly lastFailures: readonly {readonly time: string; readonly text: string}[]
}

type LossesByProbe = Readonly<Record<string, Losses>>

/** Adds the chart `probers` to the cloud, with guests by name, and waits until it has created a server. */
export async function deployProbers(guests: Readonly<Record<string, string>>): Promise<void> {
  const conf = {
    guests,
    server: {image: 'guest', flavor: 'kk-less', timeout: CREATION_TIMEOUT, every: 30},
    // A login with a password costs keystone a quarter of a second of a processor.
    login: {every: 2},
    lists: Object.fromEntries(['servers', 'ports', 'volumes', 'images'].map((name) => [name, {every: 5}])),
  }
  const file = await changedEnvironment({values: {probers: {conf: {probers: conf}}}})
  await succeed(['deploy', file, '--yes'])
  const deleted = async () => (await losses(0))['server delete']
  await waitFor(() => deleted().catch(() => undefined), {
    until: 'the prober has created and deleted a server',
    seconds: 300,
  })
}

/** Removes the chart with its account and project, after its pod has deleted what it has in the cloud. */
export async function removeProbers(): Promise<void> {
  await succeed(['remove', await changedEnvironment({values: {probers: {}}}), 'probers', '--yes'])
  await waitFor(async () => (await podsOf('probers')).length === 0, {
    until: 'the prober is gone',
    seconds: 120,
  })
  await inClient('openstack user delete probers; openstack project delete probers')
}

/** Returns the results of each probe since a time, and until one: milliseconds since the epoch. */
export async function losses(since: number, until?: number): Promise<LossesByProbe> {
  const range = [`since=${since / 1000}`, ...(until === undefined ? [] : [`until=${until / 1000}`])]
  const url = `http://probers-prober:9310/record?${range.join('&')}`
  return JSON.parse(await inClient(`curl --silent --show-error --fail '${url}'`)).probes as LossesByProbe
}

/** Prints a table of what users lost, with the first failures of each probe. */
export function printLosses(title: string, record: LossesByProbe): void {
  const row = (...cells: readonly (string | number)[]) =>
    cells.map((cell, index) => (index === 0 ? `${cell}`.padEnd(20) : `${cell}`.padStart(13))).join('')
  const rows = Object.entries(record).flatMap(([name, each]) => [
    row(name, each.tried, each.failed, `${each.longestGapSeconds} s`, `${each.slowestSeconds} s`),
    ...each.firstFailures.map(({time, text}) => `    ${time} ${text}`),
  ])
  const head = row('probe', 'tried', 'failed', 'longest gap', 'slowest')
  process.stderr.write(`\n${title}\n${[head, ...rows].join('\n')}\n\n`)
}
