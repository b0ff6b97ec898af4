import {join} from 'node:path'
import {bringImages, deployedImages} from '../../scripts/cloud/images.ts'
import {prepareAio} from '../../test/aio/support/prepare-aio.ts'
import {aioEnvironment, runAio} from '../../test/aio/support/run-aio.ts'
import type {AioRun} from '../../test/aio/support/setup.ts'
import type {Bench} from '../result.ts'

/** The flags that make a command use the node. */
export const ON_NODE: readonly string[] = ['--sandbox-name', 'aio']
/** The HOME with the image cache: images are built before the measurement. */
export const CACHES = {HOME: process.env['HOME'] ?? '/root'}
/** The same with PATH: builds missing images, which needs Go. */
const BUILDER = {...CACHES, PATH: process.env['PATH'] ?? ''}

export interface FreshNode {
  readonly run: AioRun
  /** The environment of other programs than kk. */
  readonly env: Readonly<Record<string, string>>
  /** Milliseconds until it was up, and then until its registry had the images. */
  readonly up: number
  readonly pushed: number
  /** Resolves with the duration of the work, in milliseconds. */
  timed(work: () => Promise<unknown>): Promise<number>
  /** The same for a command of kk; rejects with its output if it fails. */
  phase(args: readonly string[]): Promise<number>
}

/**
 * Measures on an all-in-one node with the images of `environments/NAME.yaml` in its registry; takes the node
 * down afterwards.
 */
export async function onFreshNode<T>(
  {kk, toolbox, directory, signal}: Bench,
  environments: readonly string[],
  measure: (node: FreshNode) => Promise<T>,
): Promise<T> {
  const say = (line: string) => process.stderr.write(`${line}\n`)
  const run = await prepareAio({kk, toolbox, home: join(directory, 'aio'), say})
  const timed = async (work: () => Promise<unknown>) => {
    signal.throwIfAborted()
    const start = performance.now()
    await work()
    return performance.now() - start
  }
  const phase = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    timed(async () => {
      const {exitCode, stdout, stderr} = await runAio(run, args, env)
      if (exitCode !== 0) throw new Error(`kk ${args.join(' ')} failed:\n${stdout}\n${stderr}`)
    })
  const images = (await Promise.all(environments.map((name) => deployedImages(name)))).flat()
  const env = {...aioEnvironment(run), KUBECONFIG: join(run.state, 'kk/sandboxes/aio/kubeconfig')}
  const names = [...new Set(images.map(({name}) => name))]
  await phase(['images', 'build', ...names], BUILDER)
  const up = await phase(['aio', 'up'])
  try {
    const pushed = await timed(() => bringImages({kk, names, stdio: ['ignore', 'pipe', 'pipe']}))
    return await measure({run, env, up, pushed, timed, phase})
  } finally {
    await runAio(run, ['aio', 'down'])
  }
}
