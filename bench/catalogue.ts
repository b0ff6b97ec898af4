import {availableParallelism, loadavg} from 'node:os'
import {join} from 'node:path'
import {setTimeout as delay} from 'node:timers/promises'
import {ON_NODE, onFreshNode} from './measure/fresh-node.ts'
import {race} from './measure/race.ts'
import {type Bench, milliseconds, type Result, seconds} from './result.ts'

const ENVIRONMENTS = ['cloud', 'catalogue']
const MINUTES = 30
const MOST = 2
const ROUNDS = 11
const MOST_WAIT = 5 * 60_000

/** Every service of the catalogue on the all-in-one node, with real pods. Needs root, and no running node. */
export function measureCatalogue(bench: Bench): Promise<Result[]> {
  return onFreshNode(bench, ENVIRONMENTS, async ({env, phase}) => {
    const words = ENVIRONMENTS.map((name) => {
      const file = join(import.meta.dirname, `../environments/${name}.yaml`)
      return ['deploy', file, '--yes', ...ON_NODE]
    })
    let first = 0
    for (const each of words) first += await phase(each)
    await atRest(bench)
    const list = {command: [join(bench.toolbox, 'helm4'), 'list', '-A'] as const, env}
    const deploys = words.map((each) => ({command: [bench.kk, ...each] as const, env}))
    const [listed = 0, ...times] = await race([list, ...deploys], {rounds: ROUNDS, signal: bench.signal})
    const nothing = Math.max(...times)
    const ratio = nothing / listed
    return [
      {
        what: 'environments/cloud.yaml and catalogue.yaml deployed for the first time',
        value: seconds(first),
        target: {text: `< ${MINUTES} min`, met: first < MINUTES * 60_000},
      },
      {
        what: '  the slower of them again, nothing to do',
        value: milliseconds(nothing),
        beside: {what: '`helm list -A`', value: milliseconds(listed), ratio: ratio.toFixed(1)},
        target: {text: `<= ${MOST}`, met: ratio <= MOST},
      },
    ]
  })
}

/**
 * Waits until the load is below the number of processors, because services keep starting after their gates;
 * five minutes at most.
 */
async function atRest({signal}: Bench): Promise<void> {
  const end = Date.now() + MOST_WAIT
  while (loadavg()[0]! > availableParallelism() && Date.now() < end) await delay(5_000, undefined, {signal})
}
