import {hostname} from 'node:os'
import {parseListen} from '../../api/listen-options.ts'
import {KkError} from '../../base/errors.ts'
import {readEnvironment} from '../../environment/read.ts'
import type {Cluster} from '../../kubernetes/cluster.ts'
import type {OperatorPorts} from '../../operator/cluster-connections.ts'
import {type OperatorOptions, type OperatorState, runOperator} from '../../operator/operator.ts'
import {operatorMetrics, serveProbes} from '../../operator/probes.ts'
import {runWorker} from '../../operator/workers/worker.ts'
import {readStoreDocument} from '../../overrides/user/document.ts'
import {builtInFiles, loadBundle} from '../../state/assets.ts'
import {secretsByNamespace} from '../../verbs/secrets/override-secret-store.ts'
import type {ClusterFlags, HelmFlags} from '../flags.ts'
import {openChosenCluster, openUsersHelm} from '../open/cluster.ts'
import {prepareWithDocument} from '../open/open.ts'
import {supplyFrom} from '../open/secrets.ts'

interface RoleFlags {
  readonly role?: 'parent' | 'child' | undefined
  readonly shards?: readonly string[] | undefined
}

const SHARD_PATTERN = /^[a-z0-9*]([-a-z0-9*]*[a-z0-9*])?$/

/**
 * Runs the operator, or a part of it, until a signal; running actions finish first. A second signal ends kk
 * immediately.
 */
export async function serveOperator(
  flags: ClusterFlags & HelmFlags & {readonly listen: string} & RoleFlags,
  say: (line: string) => void,
): Promise<void> {
  const {role, shards = []} = flags
  const isServing = shards.length > 0
  if (role === 'child' ? !isServing : role === undefined && isServing)
    throw new KkError('KK_USAGE', 'a child requires --shards, and a process without a role takes none', {
      hint: 'for example: kk operator run --role child --shards keystone',
    })
  const invalid = shards.find((shard) => !SHARD_PATTERN.test(shard))
  if (invalid !== undefined)
    throw new KkError(
      'KK_USAGE',
      `--shards ${invalid || "''"}: expected the name of a chart, a section or a release`,
      {
        hint: "for example: --shards keystone, or for a child --shards 'nova-*'",
      },
    )
  const listen = parseListen(flags.listen)
  await using cluster = await openChosenCluster(flags, undefined)
  const helm = await openUsersHelm(flags, cluster)
  const state: OperatorState = {
    isLeader: false,
    problem: () => undefined,
    stuck: () => undefined,
    depth: () => 0,
    statuses: () => new Map(),
    shards: () => new Map(),
  }
  const metrics = operatorMetrics(await loadBundle('metrics', () => import('prom-client')), state)
  await using probes = await serveProbes(listen, {state, metrics})
  say(`serving probes at ${probes.address}`)
  const holder = `operator ${hostname()} (process ${process.pid})`
  const rest = {holder, stop: stopBySignals(), state, onReconcile: metrics.onReconcile, say}
  if (role === 'child') return await runWorker({...rest, ports: {cluster, helm}, shards})
  const ports = {cluster, helm, open: environmentOpener(cluster, flags)}
  const connect = connecting(flags)
  await runOperator({
    ...rest,
    files: await builtInFiles(process.env),
    onGate: metrics.onGate,
    ports,
    connect,
    shards: role === 'parent' ? shards : undefined,
  })
}

function stopBySignals(): AbortSignal {
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (stop.signal.aborted) process.exit(signal === 'SIGINT' ? 130 : 143)
      stop.abort()
    })
  }
  return stop.signal
}

/** Returns a function that connects to the cluster of a kubeconfig; all connections use the same helm. */
export function connecting({helm: path}: HelmFlags): OperatorOptions['connect'] {
  return async (kubeconfig, context) => {
    const cluster = await openChosenCluster({kubeconfig, context}, undefined)
    const helm = await openUsersHelm({helm: path}, cluster)
    return {cluster, helm, open: environmentOpener(cluster, {helm: path})}
  }
}

/**
 * Returns a function that reads and prepares the inputs of an Environment, which depend only on its objects
 * and the cluster.
 */
export function environmentOpener(cluster: Cluster, {helm}: HelmFlags): OperatorPorts['open'] {
  return async (name, {file, overrides}) => {
    const environment = readEnvironment({file: `${name}.yaml`, text: file, directory: '/'})
    if (environment.name !== name) {
      throw new KkError(
        'KK_ENVIRONMENT',
        `the Environment is named ${name}, but its file has kk.name: ${environment.name}`,
        {hint: 'remove kk.name from the file, or rename the Environment'},
      )
    }
    const document =
      overrides === undefined
        ? {identity: undefined, overrides: [], secrets: []}
        : readStoreDocument(overrides, `the overrides of ${name}`)
    const prepared = await prepareWithDocument(environment, document, {helm, cluster})
    return supplyFrom(prepared, cluster, async () => secretsByNamespace(document.secrets))
  }
}
