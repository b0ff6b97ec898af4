import {rm} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import type {TestProject} from 'vitest/node'
import {buildWhenOld} from '../../e2e/support/build.ts'
import {toolbox} from '../../support/tools.ts'
import {prepareAio} from './prepare-aio.ts'
import {runAio} from './run-aio.ts'

/** What every test of the all-in-one node is given. */
export interface AioRun {
  /** The built binary. */
  readonly kk: string
  /** The directories of the real binaries, as in PATH. */
  readonly toolbox: string
  /** HOME of the run. */
  readonly home: string
  /** XDG_STATE_HOME of the run, where the node is. */
  readonly state: string
  /** Whether the node was up before the run, and stays up after it. */
  readonly isFound: boolean
}

declare module 'vitest' {
  interface ProvidedContext {
    aio: AioRun
  }
}

const say = (line: string) => process.stderr.write(`${line}\n`)

/**
 * Brings what the node needs; each file of tests starts it, unless it runs, and the end of the run ends it,
 * unless `KK_TEST_KEEP_NODE` is set.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (process.getuid?.() !== 0) throw new Error('the tests of the all-in-one node need root')
  const home = join(tmpdir(), 'kk-aio-test')
  const run = await prepareAio({kk: await buildWhenOld(say), toolbox: await toolbox(), home, say})
  project.provide('aio', run)
  return async () => {
    if (process.env.KK_TEST_KEEP_NODE) return
    const {exitCode, stderr} = await runAio(run, ['aio', 'down'])
    if (exitCode !== 0) throw new Error(`kk aio down failed:\n${stderr}`)
    await rm(home, {recursive: true})
  }
}
