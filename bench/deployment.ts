import {join} from 'node:path'
import {execa} from 'execa'
import {writeOpenStackCharts} from './measure/openstack-charts.ts'
import {withOtherCaches} from './measure/other-caches.ts'
import {peakMemory} from './measure/peak-memory.ts'
import {race} from './measure/race.ts'
import {onThrowawayCluster} from './measure/throwaway-cluster.ts'
import {type Bench, memory, milliseconds, type Result} from './result.ts'

const ROUNDS = 31
const MOST_TIME = 1.5
const MOST_BYTES = 200e6
const SANDBOX = 'kk-bench'
const ROOT = join(import.meta.dirname, '..')
const ENVIRONMENT = join(ROOT, 'environments/all-in-one.yaml')
const DEPLOY = ['deploy', ENVIRONMENT, '--sandbox-name', SANDBOX, '--yes']

/**
 * The six releases on the bench's own sandbox: memory of the first deployment, then time and memory of one
 * with nothing to do, compared with one `helm list --all-namespaces`; and the effect of V8's caches on it,
 * with those of kk and those that it would have if the build also ran a deploy.
 */
export async function measureDeployment(bench: Bench): Promise<Result[]> {
  return [...(await measureOwn(bench)), await measureOthers(bench)]
}

async function measureOthers({kk, toolbox, directory, signal}: Bench): Promise<Result> {
  const env = {...process.env, KK_TOOLBOX: toolbox, KK_HELM: join(toolbox, 'helm4')}
  const file = await writeOpenStackCharts(join(directory, 'openstack'))
  return onThrowawayCluster({name: SANDBOX, nodes: 3, env, signal}, async ({kubeconfig}) => {
    const deploy = {command: [kk, 'deploy', file, '--sandbox-name', SANDBOX, '--yes'] as const, env}
    await execa(deploy.command[0], deploy.command.slice(1), {env, cancelSignal: signal})
    const list = [env.KK_HELM, 'list', '--all-namespaces', '--kubeconfig', kubeconfig] as const
    const [time = 0, helm = 0] = await race([deploy, {command: list}], {rounds: ROUNDS, signal})
    return nothingToDo('fourteen charts of openstack-helm', time, helm)
  })
}

async function measureOwn(bench: Bench): Promise<Result[]> {
  const {kk, toolbox, directory, signal} = bench
  const env = {...process.env, KK_TOOLBOX: toolbox, KK_HELM: join(toolbox, 'helm4')}
  return onThrowawayCluster({name: SANDBOX, nodes: 3, env, signal}, async ({kubeconfig}) => {
    const deploy = {command: [kk, ...DEPLOY] as const, env}
    const first = await peakMemory(deploy, signal)
    await requireNothingToDo(kk, env)
    const again = await peakMemory(deploy, signal)
    const list = [env.KK_HELM, 'list', '--all-namespaces', '--kubeconfig', kubeconfig] as const
    const words = ['deploy', ENVIRONMENT, '--kubeconfig', kubeconfig, '--helm', env.KK_HELM, '--yes']
    const other = await withOtherCaches(directory, words)
    const [time = 0, helm = 0, more = 0, none = 0] = await race(
      [
        deploy,
        {command: list},
        {command: [other.more, ...DEPLOY], env},
        {command: [other.none, ...DEPLOY], env},
      ],
      {rounds: ROUNDS, signal},
    )
    return [
      nothingToDo('the six releases', time, helm),
      besideOwn("  if V8's caches were of a deploy, too", more, time),
      besideOwn("  without V8's caches", none, time),
      memory('first', first, MOST_BYTES),
      memory('with nothing to do', again, MOST_BYTES),
    ]
  })
}

async function requireNothingToDo(kk: string, env: NodeJS.ProcessEnv): Promise<void> {
  const [, ...args] = DEPLOY.filter((each) => each !== '--yes')
  await execa(kk, ['plan', ...args, '--detailed-exitcode'], {env})
}

function besideOwn(what: string, value: number, own: number): Result {
  const ratio = (value / own).toFixed(2)
  return {
    what,
    value: milliseconds(value),
    beside: {what: 'with those that kk has', value: milliseconds(own), ratio},
  }
}

function nothingToDo(which: string, time: number, helm: number): Result {
  const ratio = time / helm
  return {
    what: `kk deploy of ${which}, nothing to do`,
    value: milliseconds(time),
    beside: {what: 'helm list -A', value: milliseconds(helm), ratio: ratio.toFixed(2)},
    target: {text: `<= ${MOST_TIME}`, met: ratio <= MOST_TIME},
  }
}
