import {writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import type {RunEvent} from '../src/run/events.ts'
import {onThrowawayCluster} from './measure/throwaway-cluster.ts'
import {type Cloud, environmentOf, levelByLevel, longestPathSeconds} from './openstack/cloud.ts'
import {CLOUD} from './openstack/releases.ts'
import {type Bench, type Result, seconds} from './result.ts'

const MOST = 1.05
const SANDBOX = 'kk-bench-openstack'

/**
 * A cloud with OpenStack's graph whose releases take a set time: the run compared with its longest path, and
 * level by level.
 */
export async function measureOpenStack(bench: Bench): Promise<Result[]> {
  const {toolbox, signal} = bench
  const env = {...process.env, KK_TOOLBOX: toolbox, KK_HELM: join(toolbox, 'helm4')}
  return onThrowawayCluster({name: SANDBOX, nodes: 3, env, signal}, async () => {
    const run = await deploy('openstack', CLOUD, {bench, env})
    const barriers = await deploy('levels', levelByLevel(CLOUD), {bench, env})
    return [besidePath(run), besideLevels(run, barriers)]
  })
}

interface Surroundings {
  readonly bench: Bench
  readonly env: NodeJS.ProcessEnv
}

/**
 * Deploys a cloud for the first time; returns the milliseconds of the run, from the first action to the end
 * of the last.
 */
async function deploy(name: string, cloud: Cloud, {bench, env}: Surroundings): Promise<number> {
  const {kk, directory, signal} = bench
  const file = join(directory, `${name}.yaml`)
  await writeFile(file, JSON.stringify(environmentOf(name, cloud)))
  const words = ['--sandbox-name', SANDBOX, '--yes', '--output', 'ndjson']
  const {stdout} = await execa(kk, ['deploy', file, ...words], {env, cancelSignal: signal})
  const events = stdout.split('\n').map((line) => JSON.parse(line) as RunEvent)
  return events.at(-1)!.at - events[0]!.at
}

function besidePath(run: number): Result {
  const path = longestPathSeconds(CLOUD) * 1000
  const ratio = run / path
  return {
    what: `kk deploy of ${Object.keys(CLOUD).length} releases of OpenStack's shape`,
    value: seconds(run),
    beside: {what: 'its longest path', value: seconds(path), ratio: ratio.toFixed(3)},
    target: {text: `<= ${MOST.toFixed(2)}`, met: ratio <= MOST},
  }
}

function besideLevels(run: number, barriers: number): Result {
  return {
    what: '',
    value: '',
    beside: {what: 'level by level', value: seconds(barriers), ratio: (run / barriers).toFixed(3)},
  }
}
