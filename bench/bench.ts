/**
 * `npm run bench [-- PART… --long --check]`: prints a table of how fast and how large kk is. Runs all parts
 * unless some are named; those that take minutes only if named, or with `--long`. With `--check` a missed
 * target is exit 1. `KK_BENCH_SHARE=0.05` runs `operator` with a twentieth of its releases, to try it: its
 * targets are for all of them.
 */
import {mkdtemp, rm} from 'node:fs/promises'
import {availableParallelism, cpus, loadavg, tmpdir} from 'node:os'
import {join} from 'node:path'
import {ensureSystemPackages} from '../scripts/system-packages.ts'
import {buildToolbox} from '../scripts/toolbox.ts'
import {buildWhenOld} from '../test/e2e/support/build.ts'
import {measureAio} from './aio.ts'
import {measureCatalogue} from './catalogue.ts'
import {measureDeployment} from './deployment.ts'
import {measureDoctorCharts} from './doctor-charts.ts'
import {measureInference} from './inference.ts'
import {measureManyReleases} from './many-releases.ts'
import {measureOpenStack} from './openstack.ts'
import {measureOperator} from './operator.ts'
import {measureOverrides} from './overrides.ts'
import {measurePlan} from './plan.ts'
import {measurePrepull} from './prepull.ts'
import {type Bench, type Result, resultTable} from './result.ts'
import {measureScheduler} from './scheduler.ts'
import {measureSplit} from './split.ts'
import {measureVersion} from './version.ts'

type Measure = (bench: Bench) => Promise<Result[]>

const PARTS: Readonly<Record<string, Measure>> = {
  version: measureVersion,
  deployment: measureDeployment,
  split: measureSplit,
  plan: measurePlan,
  inference: measureInference,
  scheduler: measureScheduler,
  many: measureManyReleases,
  overrides: measureOverrides,
}
/** Takes minutes. */
const LONG_PARTS: Readonly<Record<string, Measure>> = {
  openstack: measureOpenStack,
  'doctor-charts': measureDoctorCharts,
  operator: measureOperator,
}

/** Only if named: they need root, and except for `prepull` a machine without a node. */
const NODE_PARTS: Readonly<Record<string, Measure>> = {
  aio: measureAio,
  catalogue: measureCatalogue,
  prepull: measurePrepull,
}

const say = (line: string) => process.stderr.write(`${line}\n`)

async function measureAll(parts: readonly Part[], signal: AbortSignal): Promise<Result[]> {
  await ensureSystemPackages(say, 'bench')
  const toolbox = await buildToolbox(process.env, say)
  const kk = await buildWhenOld(say)
  const directory = await mkdtemp(join(tmpdir(), 'kk-bench-'))
  const results: Result[] = []
  try {
    for (const [name, measure] of parts) {
      signal.throwIfAborted()
      say(`measuring ${name}`)
      results.push(...(await measure({kk, toolbox, directory, signal})))
    }
    return results
  } finally {
    await rm(directory, {recursive: true, force: true})
  }
}

type Part = readonly [name: string, measure: Measure]

const ALL_PARTS: Readonly<Record<string, Measure>> = {...PARTS, ...LONG_PARTS, ...NODE_PARTS}

/** Undefined if there is no part with a name. */
function chosenParts(words: readonly string[]): readonly Part[] | undefined {
  const named = words.filter((word) => !word.startsWith('--'))
  if (named.length === 0) return Object.entries(words.includes('--long') ? {...PARTS, ...LONG_PARTS} : PARTS)
  return named.every((name) => ALL_PARTS[name]) ? named.map((name) => [name, ALL_PARTS[name]!]) : undefined
}

/** The conditions on which all figures depend. */
function machine(): string {
  const [minute = 0] = loadavg()
  return `${availableParallelism()} cores (${cpus()[0]?.model}), load ${minute.toFixed(1)}`
}

/** Ctrl-C ends the running part; the sandbox and the files are removed in any case. */
async function main(): Promise<number> {
  const parts = chosenParts(process.argv.slice(2))
  if (!parts) {
    say(`the parts are ${Object.keys(ALL_PARTS).join(', ')}`)
    return 2
  }
  const stop = new AbortController()
  // Not `once`: execa ends the process at a signal without another listener.
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => stop.abort())
  try {
    const before = machine()
    const results = await measureAll(parts, stop.signal)
    console.log(`${resultTable(results)}\n\n${before} at the start, ${machine()} at the end`)
    return process.argv.includes('--check') && results.some(({target}) => target?.met === false) ? 1 : 0
  } catch (error) {
    if (!stop.signal.aborted) throw error
    return 130
  }
}

process.exitCode = await main()
