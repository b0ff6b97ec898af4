import {join} from 'node:path'
import {execa} from 'execa'
import {peakMemory} from './measure/peak-memory.ts'
import {race} from './measure/race.ts'
import {onThrowawayCluster} from './measure/throwaway-cluster.ts'
import {type Bench, memory, milliseconds, type Result} from './result.ts'

const ROUNDS = 31
const MOST_TIME = 4
const MOST_BYTES = 200e6
const SANDBOX = 'kk-bench'
const ROOT = join(import.meta.dirname, '..')
const DEPLOY = ['deploy', join(ROOT, 'environments/all-in-one.yaml'), '--sandbox-name', SANDBOX, '--yes']

/**
 * The six releases on a sandbox of the bench's own: memory of the first deployment, then time and memory of one that
 * has nothing to do, beside one `helm list --all-namespaces`.
 */
export async function measureDeployment(bench: Bench): Promise<Result[]> {
  const {kk, toolbox, signal} = bench
  const env = {...process.env, KK_TOOLBOX: toolbox, KK_HELM: join(toolbox, 'helm4')}
  return onThrowawayCluster({name: SANDBOX, nodes: 3, env, signal}, async ({kubeconfig}) => {
    const deploy = {command: [kk, ...DEPLOY] as const, env}
    const first = await peakMemory(deploy, signal)
    await requireNothingToDo(kk, env)
    const again = await peakMemory(deploy, signal)
    const list = [env.KK_HELM, 'list', '--all-namespaces', '--kubeconfig', kubeconfig] as const
    const [time = 0, helm = 0] = await race([deploy, {command: list}], {rounds: ROUNDS, signal})
    return [
      nothingToDo(time, helm),
      memory('first', first, MOST_BYTES),
      memory('with nothing to do', again, MOST_BYTES),
    ]
  })
}

async function requireNothingToDo(kk: string, env: NodeJS.ProcessEnv): Promise<void> {
  const [, ...args] = DEPLOY.filter((each) => each !== '--yes')
  await execa(kk, ['plan', ...args, '--detailed-exitcode'], {env})
}

function nothingToDo(time: number, helm: number): Result {
  const ratio = time / helm
  return {
    what: 'kk deploy of the six releases, nothing to do',
    value: milliseconds(time),
    beside: {what: 'helm list -A', value: milliseconds(helm), ratio: ratio.toFixed(2)},
    target: {text: `<= ${MOST_TIME}`, met: ratio <= MOST_TIME},
  }
}
