import {rm, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {writeLargeCharts} from './inference/large-charts.ts'
import {inOwnProcess} from './measure/own-process.ts'
import {onThrowawayCluster} from './measure/throwaway-cluster.ts'
import {type Bench, milliseconds, type Result, seconds} from './result.ts'

const ROUNDS = 5
const PLANNED = 40
const MOST_INFERENCE = 1000
const MOST_UNCACHED = 6000
const MOST_CACHED = 1000
const SANDBOX = 'kk-bench-inference'
const MEASURED = new URL('inference/measured.ts', import.meta.url)

/** Requirements of charts that state none: inference alone, and `kk plan` with nothing cached and cached. */
export async function measureInference(bench: Bench): Promise<Result[]> {
  const rounds = []
  for (let round = 0; round < ROUNDS; round++) rounds.push(await inOwnProcess(MEASURED, [], bench.signal))
  const time = Math.min(...rounds.map((each) => each.milliseconds))
  return [
    {
      what: 'requirements of 80 rendered charts of 100 objects, processor time',
      value: milliseconds(time),
      target: {text: `< ${MOST_INFERENCE} ms`, met: time < MOST_INFERENCE},
    },
    ...(await measurePlans(bench)),
  ]
}

async function measurePlans({kk, toolbox, directory, signal}: Bench): Promise<Result[]> {
  const charts = join(directory, 'large-charts')
  const names = await writeLargeCharts(charts, PLANNED)
  const file = join(directory, 'large-cloud.yaml')
  const sections = Object.fromEntries(names.map((name) => [name, {}]))
  await writeFile(file, JSON.stringify({kk: {charts: [charts]}, ...sections}))
  const cache = join(directory, 'cache')
  const tools = {...process.env, KK_TOOLBOX: toolbox, KK_HELM: join(toolbox, 'helm4')}
  return onThrowawayCluster({name: SANDBOX, nodes: 1, env: tools, signal}, async () => {
    const env = {...tools, XDG_CACHE_HOME: cache}
    const plan = async () => {
      const start = performance.now()
      await execa(kk, ['plan', file, '--sandbox-name', SANDBOX], {env, cancelSignal: signal})
      return performance.now() - start
    }
    const uncached = []
    const cached = []
    for (let round = 0; round < ROUNDS; round++) {
      await rm(cache, {recursive: true, force: true})
      uncached.push(await plan())
      cached.push(await plan())
    }
    return [
      result('nothing cached', Math.min(...uncached), MOST_UNCACHED),
      result('cached', Math.min(...cached), MOST_CACHED),
    ]
  })
}

function result(state: string, time: number, most: number): Result {
  return {
    what: `kk plan of ${PLANNED} such charts, ${state}`,
    value: seconds(time),
    target: {text: `< ${seconds(most)}`, met: time < most},
  }
}
