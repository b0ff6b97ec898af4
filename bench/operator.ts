import {writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {setTimeout as wait} from 'node:timers/promises'
import {execa} from 'execa'
import {type CountedHelm, countedHelm} from './measure/counted-helm.ts'
import {highWaterMark} from './measure/peak-memory.ts'
import {processorTime} from './measure/processor-time.ts'
import {onThrowawayCluster} from './measure/throwaway-cluster.ts'
import {chainOf} from './operator/chain.ts'
import {type Hub, type Operator, openHub} from './operator/hub.ts'
import {lags, percentile, readinessDuring, type Watched} from './operator/readiness.ts'
import {measureSites, sitesOf} from './operator/sites.ts'
import {type Bench, memory, milliseconds, type Result, seconds} from './result.ts'

/** The share of all numbers, to try this out. */
const SHARE = Number(process.env['KK_BENCH_SHARE'] ?? 1)
const shareOf = (count: number) => Math.max(2, Math.round(count * SHARE))

const SIZES = [100, 500].map(shareOf)
const CHAIN = shareOf(100)
const ENVIRONMENTS = shareOf(100)
const ROWS = shareOf(100)
const SITES = sitesOf(shareOf(20), SHARE < 1 ? 1 : 3)
const IDLE_SECONDS = 120 * Math.max(SHARE, 0.1)
const SANDBOX = 'kk-bench-operator'
const NOTES = join(import.meta.dirname, 'charts')

const MOST_OF_MAKESPAN = 1.1
const MOST_LAG = 300
const MOST_PASS = 1000
const MOST_CORE = 0.01
const MOST_WRITES = 1
const MOST_BYTES = 1024 ** 3

/**
 * Compares the operator with the command line: a first deployment, from readiness to helm, nothing to do, and
 * its memory.
 */
export async function measureOperator(bench: Bench): Promise<Result[]> {
  const {toolbox, directory, signal} = bench
  const helm = await countedHelm(directory, join(toolbox, 'helm4'))
  const env = {...process.env, KK_TOOLBOX: toolbox, KK_HELM: helm.path}
  const cluster = {name: SANDBOX, nodes: 3, env, signal}
  return onThrowawayCluster(cluster, async (sandbox) => {
    const namespaces = [
      ...SIZES.map((size) => `operator-${size}`),
      byHand(SIZES.at(-1)!),
      'chain-operated',
      'rows',
      ...Object.values(SITES).flat(),
    ]
    const hub = await openHub({bench, env, sandbox, namespaces})
    const watched = {kubectl: join(toolbox, 'kubectl'), kubeconfig: sandbox.kubeconfig, signal}
    const surroundings = {bench, env, hub, helm, watched}
    return [
      ...(await hub.whileOperated([], async (operator) => [
        ...(await measureDeployments(surroundings)),
        ...(await measureLags(surroundings)),
        ...(await measureUnchanged(operator, surroundings)),
      ])),
      await hub.whileOperated([], () => measureSites(SITES, surroundings)),
      await hub.whileOperated(['--role', 'parent', '--shards', 'note'], (parent) =>
        measureMemory(parent, hub),
      ),
    ]
  })
}

interface Surroundings {
  readonly bench: Bench
  readonly env: NodeJS.ProcessEnv
  readonly hub: Hub
  readonly helm: CountedHelm
  readonly watched: Watched
}

/** The Environment that the command line deploys, and the operator takes over later. */
const byHand = (size: number) => `by-hand-${size}`

/** Releases of the smallest chart, below one name. */
function notes(name: string, count: number, namespace = name): object {
  const names = Array.from({length: count}, (_, index) => `${name}-${index}`)
  const releases = Object.fromEntries(names.map((each) => [each, {chart: 'note'}]))
  const sections = Object.fromEntries(names.map((each) => [each, {text: each}]))
  return {kk: {name, namespace, charts: [NOTES], releases}, ...sections}
}

async function deployByHand(
  name: string,
  file: object,
  {bench: {kk, directory, signal}, env}: Surroundings,
): Promise<void> {
  const path = join(directory, `${name}.yaml`)
  await writeFile(path, JSON.stringify(file))
  await execa(kk, ['deploy', path, '--sandbox-name', SANDBOX, '--yes'], {env, cancelSignal: signal})
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/** From the Environment to `Ready`, compared with the whole command, one after the other. */
async function measureDeployments(surroundings: Surroundings): Promise<readonly Result[]> {
  const {hub} = surroundings
  const results: Result[] = []
  for (const size of SIZES) {
    const command = await timed(() => deployByHand(byHand(size), notes(byHand(size), size), surroundings))
    const name = `operator-${size}`
    const operated = await timed(async () => {
      await hub.apply({[name]: notes(name, size)})
      await hub.reach('Ready=True', [name])
    })
    const ratio = operated / command
    results.push({
      what: `first deploy of ${size} releases by the operator, to Ready`,
      value: seconds(operated),
      beside: {what: 'kk deploy', value: seconds(command), ratio: ratio.toFixed(2)},
      target: {text: `<= ${MOST_OF_MAKESPAN.toFixed(2)}`, met: ratio <= MOST_OF_MAKESPAN},
    })
  }
  return results
}

/** A chain of releases with pods. */
async function measureLags(surroundings: Surroundings): Promise<readonly Result[]> {
  const {hub, helm, watched} = surroundings
  const {edges, file: chain} = chainOf(CHAIN)
  const measured = async (namespace: string, work: () => Promise<unknown>) => {
    return lags(edges, {ready: await readinessDuring(watched, work), helm, namespace})
  }
  const hand = await measured('chain-by-hand', () =>
    deployByHand('chain-by-hand', chain('chain-by-hand'), surroundings),
  )
  const operated = await measured('chain-operated', async () => {
    await hub.apply({'chain-operated': chain('chain-operated')})
    await hub.reach('Ready=True', ['chain-operated'])
  })
  const [p99, besides] = [percentile(operated, 99), percentile(hand, 99)]
  return [
    {
      what: `from readiness to the helm of what requires it, ${edges.length} edges: p99`,
      value: milliseconds(p99),
      beside: {what: 'kk deploy', value: milliseconds(besides), ratio: (p99 / besides).toFixed(2)},
      target: {text: `<= ${MOST_LAG} ms`, met: p99 <= MOST_LAG},
    },
    {
      what: '  median',
      value: milliseconds(percentile(operated, 50)),
      beside: {
        what: 'kk deploy',
        value: milliseconds(percentile(hand, 50)),
        ratio: (percentile(operated, 50) / percentile(hand, 50)).toFixed(2),
      },
    },
  ]
}

const PASSES = 'controller_runtime_reconcile_total'
const PASS_SECONDS = 'controller_runtime_reconcile_time_seconds_sum'

/** Two Environments, one deployed by the command line, are reconciled once more; then nothing happens. */
async function measureUnchanged(
  operator: Operator,
  {hub, helm, bench}: Surroundings,
): Promise<readonly Result[]> {
  const size = SIZES.at(-1)!
  const names = [`operator-${size}`, byHand(size)]
  await hub.apply({[byHand(size)]: notes(byHand(size), size)})
  await hub.reach('Ready=True', names)
  await operator.idle()
  const before = {helms: await helm.count(), passes: await operator.metric(PASSES)}
  const tookBefore = await operator.metric(PASS_SECONDS)
  for (const name of names)
    await hub.kubectl(
      ...['annotate', 'environment.kk.openstack.org', name, '--namespace', 'kk-system', '--overwrite'],
      `kk.openstack.org/retry=${Date.now()}`,
    )
  while ((await operator.metric(PASSES)) < before.passes + names.length)
    await wait(100, undefined, {signal: bench.signal})
  await operator.idle()
  const passes = (await operator.metric(PASSES)) - before.passes
  const took = (((await operator.metric(PASS_SECONDS)) - tookBefore) / passes) * names.length * 1000

  const since = Date.now()
  const worked = processorTime(operator.pid)
  await wait(IDLE_SECONDS * 1000, undefined, {signal: bench.signal})
  const core = (processorTime(operator.pid) - worked) / (Date.now() - since)
  const writes = (await hub.writesSince(since)) / (IDLE_SECONDS / 60)
  const helms = (await helm.count()) - before.helms
  return [
    {
      what: `${size * names.length} unchanged releases passed over`,
      value: milliseconds(took),
      target: {text: `<= ${MOST_PASS} ms`, met: took <= MOST_PASS},
    },
    {what: '  helm processes', value: String(helms), target: {text: '0', met: helms === 0}},
    {
      what: `  idle for ${IDLE_SECONDS} s: of a core`,
      value: `${(core * 100).toFixed(2)} %`,
      target: {text: `<= ${MOST_CORE * 100} %`, met: core <= MOST_CORE},
    },
    {
      what: '  writes a minute beside Leases and events',
      value: writes.toFixed(1),
      target: {text: `<= ${MOST_WRITES}`, met: writes <= MOST_WRITES},
    },
  ]
}

/**
 * Environments whose first plan waits for approval: all of their Releases exist, and no helm is needed for
 * them.
 */
async function measureMemory(parent: Operator, hub: Hub): Promise<Result> {
  const names = Array.from({length: ENVIRONMENTS}, (_, index) => `rows-${index}`)
  const files = Object.fromEntries(names.map((name) => [name, notes(name, ROWS, 'rows')]))
  await hub.apply(files, {approval: {required: ['install']}})
  await hub.reach('Approved=False', names)
  await parent.idle()
  const bytes = await highWaterMark(parent.pid)
  return memory(
    `a parent with ${ENVIRONMENTS * ROWS} Releases in ${ENVIRONMENTS} Environments`,
    bytes,
    MOST_BYTES,
  )
}
