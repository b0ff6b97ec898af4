import {mkdir, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {builtInPlugins} from '../src/overrides/system/plugins.ts'
import {openStore} from '../src/overrides/user/open.ts'
import {startPostgres} from '../test/overrides/user/support/postgres.ts'
import {median, race} from './measure/race.ts'
import {type Load, load} from './overrides/load.ts'
import {onService} from './overrides/served.ts'
import {type Bench, milliseconds, type Result} from './result.ts'

const AT_ONCE = 50
/** Long enough that the start of the connections is less than one request in a hundred. */
const SECONDS = 24
/** Until the service's code is compiled, and its heap has its final size. */
const WARM_UP_SECONDS = 14
const STORED = 10_000
const KEYS = 5_000
/** One chart per concurrent user. */
const CHARTS = (await chartsOfOpenstack()).slice(0, AT_ONCE)

/**
 * The service with 50 concurrent requests and the store with 10,000 overrides, on both databases; and `kk
 * values explain`.
 */
export async function measureOverrides(bench: Bench): Promise<Result[]> {
  const postgres = await startPostgres()
  try {
    return [
      ...(await measureDatabase(
        'SQLite',
        () => join(bench.directory, `${crypto.randomUUID()}.sqlite`),
        bench,
      )),
      ...(await measureDatabase('PostgreSQL', () => postgres.newDatabase(), bench)),
      await measureExplain(bench),
    ]
  } finally {
    await postgres.stop()
  }
}

async function measureDatabase(
  name: string,
  newStore: () => string | Promise<string>,
  {kk, directory, signal}: Bench,
): Promise<Result[]> {
  const facts = join(directory, 'facts.yaml')
  await writeFile(
    facts,
    JSON.stringify({
      charts: Object.fromEntries(CHARTS.map((chart) => [chart, ['openstack']])),
      controllers: 3,
    }),
  )
  const requests = await onService({kk, facts, store: await newStore(), signal}, async ({url, cpu}) => {
    const measured = async (method: Load['method'], most: number): Promise<Result> => {
      const asked = {url, method, charts: CHARTS, atOnce: AT_ONCE, signal}
      await load({...asked, seconds: WARM_UP_SECONDS})
      const before = cpu()
      const {requests, median, p99} = await load({...asked, seconds: SECONDS})
      const each = (cpu() - before) / requests
      return {
        what: `${method} of one chart, ${AT_ONCE} at once, ${name}: p99`,
        value: milliseconds(p99),
        beside: {
          what: 'median; processor time each',
          value: milliseconds(median),
          ratio: `${each.toFixed(2)} ms`,
        },
        target: {text: `< ${most} ms`, met: p99 < most},
      }
    }
    return [await measured('GET', 10), await measured('PATCH', 25)]
  })
  return [...requests, await measureList(name, await newStore())]
}

async function chartsOfOpenstack(): Promise<string[]> {
  const {charts, find} = builtInPlugins()
  const plugins = await Promise.all(charts.map(find))
  return plugins.flatMap((plugin) => (plugin?.namespaces.includes('openstack') ? plugin.chart : []))
}

async function measureList(name: string, location: string): Promise<Result> {
  const store = await openStore({location, env: process.env})
  try {
    const changes = Array.from({length: STORED}, (_, index) => ({
      name: `chart-${index}`,
      namespace: 'openstack',
      userOverrides: `pod:\n  replicas:\n    api: ${index}\n`,
      who: 'bench',
      expected: undefined,
      secret: false,
    }))
    await store.putAll({changes, secrets: [], identity: undefined})
    const times: number[] = []
    for (let round = 0; round < 9; round++) {
      const start = performance.now()
      await store.list()
      times.push(performance.now() - start)
    }
    const value = median(times)
    return {
      what: `${STORED.toLocaleString('en')} stored overrides listed, ${name}`,
      value: milliseconds(value),
      target: {text: '< 200 ms', met: value < 200},
    }
  } finally {
    await store.close()
  }
}

/** A chart with that many keys, half of them overridden. */
async function measureExplain({kk, directory, signal}: Bench): Promise<Result> {
  const chart = join(directory, 'charts', 'many')
  await mkdir(join(chart, 'templates'), {recursive: true})
  await writeFile(
    join(chart, 'Chart.yaml'),
    'apiVersion: v2\nname: many\nversion: 0.1.0\nannotations: {kk.openstack.org/requires: ""}\n',
  )
  const keys = (every: number) =>
    Array.from({length: KEYS}, (_, index) => index)
      .filter((index) => index % every === 0)
      .map((index) => `  key${index}: {size: ${index * every}}\n`)
      .join('')
  await writeFile(join(chart, 'values.yaml'), `conf:\n${keys(1)}`)
  const environment = join(directory, 'many.yaml')
  await writeFile(
    environment,
    `kk: {charts: [charts]}\nmany:\n  conf:\n${keys(2).replaceAll(/^/gm, '  ').trimEnd()}\n`,
  )
  const contenders = [
    {command: [kk, 'values', 'explain', 'many', '-e', environment, '--output', 'json']},
    {command: [kk, 'values', 'show', 'many', '-e', environment, '--computed', '--output', 'json']},
  ] as const
  const [explained = 0, shown = 0] = await race(contenders, {rounds: 9, signal})
  return {
    what: `kk values explain of ${KEYS.toLocaleString('en')} keys`,
    value: milliseconds(explained),
    beside: {
      what: 'kk values show --computed, which is mostly helm',
      value: milliseconds(shown),
      ratio: `${(explained / shown).toFixed(2)} times as long`,
    },
    target: {text: '< 1 s', met: explained < 1000},
  }
}
