import {writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {type CountedHelm, countedHelm} from './measure/counted-helm.ts'
import {peakMemory} from './measure/peak-memory.ts'
import {race} from './measure/race.ts'
import {onThrowawayCluster} from './measure/throwaway-cluster.ts'
import {type Bench, memory, milliseconds, type Result, seconds} from './result.ts'

const RELEASES = 200
const CONCURRENCY = 16
const ROUNDS = 11
const MOST_MILLISECONDS = 2000
const MOST_BYTES = 300e6
const SANDBOX = 'kk-bench-many'
const CHARTS = join(import.meta.dirname, 'charts')

/**
 * 200 releases of the smallest chart: the first deployment, then one with nothing to do, compared with `helm
 * list`.
 */
export async function measureManyReleases({kk, toolbox, directory, signal}: Bench): Promise<Result[]> {
  const file = await writeEnvironment(directory)
  const helm = await countedHelm(directory, join(toolbox, 'helm4'))
  const env = {...process.env, KK_TOOLBOX: toolbox, KK_HELM: helm.path}
  return onThrowawayCluster({name: SANDBOX, nodes: 1, env, signal}, async ({kubeconfig}) => {
    const words = ['--sandbox-name', SANDBOX, '--yes', '--concurrency', String(CONCURRENCY)]
    const deploy = {command: [kk, 'deploy', file, ...words] as const, env}
    const start = performance.now()
    const first = await peakMemory(deploy, signal)
    const installation = performance.now() - start
    const installs = await helm.count()

    const again = await peakMemory(deploy, signal)
    const list = [join(toolbox, 'helm4'), 'list', '--all-namespaces', '--max', '0'] as const
    const contenders = [deploy, {command: [...list, '--kubeconfig', kubeconfig] as const}]
    const [time = 0, listed = 0] = await race(contenders, {rounds: ROUNDS, signal})
    return [
      {
        what: `first kk deploy of ${RELEASES} releases, --concurrency ${CONCURRENCY}`,
        value: seconds(installation),
      },
      memory('first', first, MOST_BYTES),
      nothingToDo(time, listed),
      await started(helm, installs),
      memory('with nothing to do', again, MOST_BYTES),
    ]
  })
}

async function writeEnvironment(directory: string): Promise<string> {
  const names = Array.from({length: RELEASES}, (_, index) => `note-${index}`)
  const releases = Object.fromEntries(names.map((name) => [name, {chart: 'note'}]))
  const sections = Object.fromEntries(names.map((name) => [name, {text: name}]))
  const file = join(directory, 'many.yaml')
  await writeFile(file, JSON.stringify({kk: {charts: [CHARTS], releases}, ...sections}))
  return file
}

function nothingToDo(time: number, listed: number): Result {
  return {
    what: `kk deploy of ${RELEASES} releases, nothing to do`,
    value: milliseconds(time),
    beside: {what: 'helm list -A', value: milliseconds(listed), ratio: (time / listed).toFixed(2)},
    target: {text: `< ${MOST_MILLISECONDS} ms`, met: time < MOST_MILLISECONDS},
  }
}

async function started(helm: CountedHelm, before: number): Promise<Result> {
  const more = (await helm.count()) - before
  return {what: '  helm processes', value: String(more), target: {text: '0', met: more === 0 && before > 0}}
}
