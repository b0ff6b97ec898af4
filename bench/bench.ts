/** `npm run bench [-- --check]`: how fast and how large kk is, as a table; with `--check` a missed target is exit 1. */
import {mkdtemp, rm} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {ensureSystemPackages} from '../scripts/system-packages.ts'
import {buildToolbox} from '../scripts/toolbox.ts'
import {buildWhenOld} from '../test/e2e/support/build.ts'
import {measureDeployment} from './deployment.ts'
import {measurePlan} from './plan.ts'
import {type Result, resultTable} from './result.ts'
import {measureSplit} from './split.ts'
import {measureVersion} from './version.ts'

const MEASUREMENTS = [measureVersion, measureDeployment, measureSplit, measurePlan]

const say = (line: string) => process.stderr.write(`${line}\n`)

async function measureAll(signal: AbortSignal): Promise<Result[]> {
  await ensureSystemPackages(say)
  const toolbox = await buildToolbox(process.env, say)
  const kk = await buildWhenOld(say)
  const directory = await mkdtemp(join(tmpdir(), 'kk-bench-'))
  const results: Result[] = []
  try {
    for (const measure of MEASUREMENTS) {
      signal.throwIfAborted()
      results.push(...(await measure({kk, toolbox, directory, signal})))
    }
    return results
  } finally {
    await rm(directory, {recursive: true, force: true})
  }
}

/** Ctrl-C ends what runs; the sandbox and the files are removed all the same. */
async function main(): Promise<number> {
  const stop = new AbortController()
  // Not `once`: execa ends the process at a signal that nobody else listens to.
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => stop.abort())
  try {
    const results = await measureAll(stop.signal)
    console.log(resultTable(results))
    return process.argv.includes('--check') && results.some(({target}) => target?.met === false) ? 1 : 0
  } catch (error) {
    if (!stop.signal.aborted) throw error
    return 130
  }
}

process.exitCode = await main()
