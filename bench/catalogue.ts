import {join} from 'node:path'
import {execa} from 'execa'
import {ON_NODE, onFreshNode} from './measure/fresh-node.ts'
import {type Bench, type Result, seconds} from './result.ts'

const ENVIRONMENTS = ['cloud', 'catalogue']
const MINUTES = 30
const MOST = 2

/** Every service of the catalogue on the all-in-one node, with real pods. Needs root, and no node that runs. */
export function measureCatalogue(bench: Bench): Promise<Result[]> {
  return onFreshNode(bench, ENVIRONMENTS, async ({run, timed, phase}) => {
    const deploy = async () => {
      let milliseconds = 0
      for (const name of ENVIRONMENTS) {
        const file = join(import.meta.dirname, `../environments/${name}.yaml`)
        milliseconds += await phase(['deploy', file, '--yes', ...ON_NODE])
      }
      return milliseconds
    }
    const first = await deploy()
    const env = {KUBECONFIG: join(run.state, 'kk/sandboxes/aio/kubeconfig')}
    const listed = await timed(() => execa(join(bench.toolbox, 'helm4'), ['list', '-A'], {env}))
    const nothing = await deploy()
    const ratio = nothing / ENVIRONMENTS.length / listed
    return [
      {
        what: 'environments/cloud.yaml and catalogue.yaml deployed for the first time',
        value: seconds(first),
        target: {text: `< ${MINUTES} min`, met: first < MINUTES * 60_000},
      },
      {
        what: '  each again, nothing to do',
        value: seconds(nothing / ENVIRONMENTS.length),
        beside: {what: '`helm list -A`', value: seconds(listed), ratio: ratio.toFixed(1)},
        target: {text: `<= ${MOST}`, met: ratio <= MOST},
      },
    ]
  })
}
