import {rm, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {writeServiceCharts} from './doctor-charts/service-charts.ts'
import {type Bench, type Result, seconds} from './result.ts'

const CHARTS = 72
const HELMS = 4
/**
 * Relative to the time in which helm renders each chart once, as many in parallel; a chart that may be random
 * is rendered again.
 */
const MOST = 2

/** `kk check` of a cloud of large charts, compared with helm alone on the same charts. */
export async function measureDoctorCharts({kk, toolbox, directory, signal}: Bench): Promise<Result[]> {
  const home = join(directory, 'service-charts')
  const names = await writeServiceCharts(join(home, 'charts'), CHARTS)
  const file = join(home, 'cloud.yaml')
  const sections = Object.fromEntries(names.map((name) => [name, {}]))
  await writeFile(file, JSON.stringify({kk: {charts: ['charts']}, ...sections}))
  const helm = join(toolbox, 'helm4')
  const env = {...process.env, KK_HELM: helm, XDG_CACHE_HOME: join(home, 'cache')}

  // Their library is linked into each, as helm requires.
  for (const name of names)
    await execa(helm, ['dependency', 'build', join(home, 'charts', name)], {env, cancelSignal: signal})
  const alone = await timed(async () => {
    const waiting = [...names]
    const render = async () => {
      for (let name = waiting.pop(); name; name = waiting.pop())
        await execa(helm, ['template', name, join(home, 'charts', name)], {env, cancelSignal: signal})
    }
    await Promise.all(Array.from({length: HELMS}, render))
  })
  const doctor = async () => {
    await execa(kk, ['check', file], {env, cancelSignal: signal, reject: false})
  }
  await rm(env.XDG_CACHE_HOME, {recursive: true, force: true})
  const uncached = await timed(doctor)
  const cached = await timed(doctor)
  return [
    {what: `helm template of ${CHARTS} charts, ${HELMS} at a time`, value: seconds(alone)},
    ratio('nothing cached', uncached, alone),
    ratio('cached', cached, alone),
  ]
}

async function timed(body: () => Promise<void>): Promise<number> {
  const start = performance.now()
  await body()
  return performance.now() - start
}

function ratio(state: string, time: number, alone: number): Result {
  return {
    what: `kk check of the same, ${state}`,
    value: `${seconds(time)}, ${(time / alone).toFixed(1)} × helm`,
    target: {text: `< ${MOST} × helm`, met: time < MOST * alone},
  }
}
