import {writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {execa} from 'execa'
import type {Node} from '../src/sandbox/node/node.ts'
import {prepareAio} from '../test/aio/support/prepare-aio.ts'
import {pushRandomImage} from '../test/aio/support/random-image.ts'
import {aioEnvironment, runAio} from '../test/aio/support/run-aio.ts'
import {CLOUD, environment, imageName} from './prepull/cloud.ts'
import {slowRegistry} from './prepull/slow-registry.ts'
import {type Bench, type Result, seconds} from './result.ts'

const BYTES_PER_SECOND = 20e6
const ROUNDS = 2
const CHARTS = join(import.meta.dirname, 'charts')

/**
 * A first deploy with `--prepull` and without, alternating, from a registry limited to 20 MB a second. Needs
 * root; uses the node of the tests, and ends it unless it ran before.
 */
export async function measurePrepull({kk, toolbox, signal}: Bench): Promise<Result[]> {
  const say = (line: string) => process.stderr.write(`${line}\n`)
  const home = join(tmpdir(), 'kk-aio-test')
  const run = await prepareAio({kk, toolbox, home, say})
  const ran = (await runAio(run, ['aio', 'status'])).exitCode === 0
  const up = await runAio(run, ['aio', 'up', '--output', 'json'])
  if (up.exitCode !== 0) throw new Error(`kk aio up failed:\n${up.stderr}`)
  const node = JSON.parse(up.stdout) as Node
  const slow = await slowRegistry(Number(node.registry.split(':')[1]), BYTES_PER_SECOND)
  const kubectl = (...args: string[]) =>
    execa('kubectl', args, {env: {...aioEnvironment(run), KUBECONFIG: node.kubeconfig}, extendEnv: false})

  const deploy = async (name: string, flag: string) => {
    const nodeHome = join(home, 'kk/sandboxes/aio')
    for (const service of CLOUD) {
      const reference = `${node.registry}/${imageName(name, service.name)}`
      await pushRandomImage({reference, megabytes: service.megabytes, home: nodeHome})
    }
    const file = join(nodeHome, `${name}.json`)
    await writeFile(file, JSON.stringify(environment(name, {charts: CHARTS, registry: slow.name})))
    signal.throwIfAborted()
    const start = performance.now()
    const {exitCode, stderr} = await runAio(run, [
      'deploy',
      '-e',
      file,
      flag,
      '--sandbox-name',
      'aio',
      '--yes',
    ])
    const took = performance.now() - start
    say(stderr)
    await kubectl('delete', 'namespace', name)
    if (exitCode !== 0) throw new Error(`kk deploy ${flag} failed`)
    return took
  }
  try {
    const off: number[] = []
    const on: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      off.push(await deploy(`bench-off-${process.pid}-${round}`, '--no-prepull'))
      on.push(await deploy(`bench-on-${process.pid}-${round}`, '--prepull'))
    }
    const [without, withIt] = [Math.min(...off), Math.min(...on)]
    return [
      {
        what: 'first deploy, registry at 20 MB/s, --prepull',
        value: seconds(withIt),
        beside: {what: '--no-prepull', value: seconds(without), ratio: (withIt / without).toFixed(2)},
        target: {text: 'faster', met: withIt < without},
      },
    ]
  } finally {
    await slow.close()
    if (!ran) await runAio(run, ['aio', 'down'])
  }
}
