import {asKkError} from '../../base/errors.ts'
import {readLock, withLockedVersions} from '../../charts/lock-file.ts'
import {chooseEnvironmentFile, splitArguments} from '../../environment/choose.ts'
import type {Environment} from '../../environment/environment.ts'
import {loadEnvironment} from '../../environment/load.ts'
import type {Cluster} from '../../kubernetes/cluster.ts'
import {documentLayers, type PlaceLayers} from '../../overrides/layers-of-place.ts'
import {parseSetFlag, parseValuesFlag} from '../../overrides/release-flags.ts'
import {builtInPlugins} from '../../overrides/system/plugins.ts'
import type {StoreDocument} from '../../overrides/user/document.ts'
import type {GatherOptions} from '../../prepare/gathering/gather.ts'
import type {InferenceOptions} from '../../prepare/inference/infer-requirements.ts'
import {type Prepared, type PrepareOptions, prepare} from '../../prepare/prepare.ts'
import type {
  AdoptStoreFlags,
  ClusterFlags,
  EnvironmentFlags,
  FactsFlags,
  HelmFlags,
  LockFlags,
  PluginsFlags,
  ValueFlags,
} from '../flags.ts'
import {openFinding, openRendering} from './charts.ts'
import {lazyCluster, namesCluster, type OpenedCluster} from './cluster.ts'
import {placeLayers, systemLayer, type Unstated} from './layers.ts'
import {suppliedBy} from './secrets.ts'

/** An environment that was opened for one command. */
export interface Opened {
  readonly prepared: Prepared
  /** The releases that the command line names. */
  readonly releases: readonly string[]
}

/** Opens the environment that arguments and flags mean, with its graph and values. */
export async function openPrepared(
  flags: EnvironmentFlags & ValueFlags,
  argv: readonly string[],
): Promise<Opened> {
  const {environment, releases} = await openEnvironment(flags, argv)
  return {prepared: await prepareEnvironment(environment, flags), releases}
}

/** Opens an environment to look at its graph: neither facts nor the store of overrides are read. */
export async function openGraph(
  flags: EnvironmentFlags & ValueFlags,
  argv: readonly string[],
): Promise<Opened> {
  const {environment, releases} = await openEnvironment(flags, argv)
  return {prepared: await prepareWith(environment, flags, {}), releases}
}

/** Works out the graph and the values of an environment that was read; without a cluster, facts that nobody states stay unknown. */
export async function prepareEnvironment(
  environment: Environment,
  flags: ValueFlags,
  unstated: Unstated = {},
): Promise<Prepared> {
  return prepareWith(environment, flags, await placeLayers(flags, environment, unstated), {
    inferring: servedBy(unstated),
  })
}

/** Works out the same without the deployer's overrides, for callers who lay them on top themselves. */
export async function prepareBelowUser(
  environment: Environment,
  {helm, ...flags}: FactsFlags & PluginsFlags & HelmFlags,
  unstated: Unstated,
): Promise<Prepared> {
  return prepareWith(environment, {helm}, await systemLayer(flags, environment, unstated), {
    inferring: servedBy(unstated),
  })
}

/**
 * Prepares an environment to look at what its charts render: notes what speaks against the inference instead of throwing
 * it, and lays the secrets that kk keeps, or something in their place, among the values.
 */
export async function prepareTolerantly(
  environment: Environment,
  flags: ValueFlags,
  cluster: Cluster | undefined,
): Promise<Prepared> {
  const unstated = cluster ? {cluster: async () => cluster} : {}
  const inferring = {...servedBy(unstated), isTolerant: true}
  const places = await placeLayers(flags, environment, unstated)
  const supply = suppliedBy(flags, environment, cluster)(places.plugins ?? builtInPlugins())
  return prepareWith(environment, flags, {...places, supply}, {inferring})
}

/** Prepares an environment to look at what is there: also without the charts that are missing or cannot be used. */
export async function prepareUsable(
  environment: Environment,
  flags: ValueFlags,
  unstated: Unstated = {},
): Promise<Prepared> {
  const inferring = {...servedBy(unstated), isTolerant: true}
  const places = await placeLayers(flags, environment, unstated)
  return prepareWith(environment, flags, places, {inferring, unusable: new Map()})
}

async function prepareWith(
  environment: Environment,
  flags: Pick<ValueFlags, 'values' | 'set' | 'set-string' | 'helm'>,
  {supply, ...places}: PlaceLayers & Pick<GatherOptions, 'supply'>,
  {inferring = {}, unusable}: PrepareWith = {},
): Promise<Prepared> {
  const values = (flags.values ?? []).map(parseValuesFlag)
  const sets = [
    ...(flags.set ?? []).map((text) => parseSetFlag('--set', text)),
    ...(flags['set-string'] ?? []).map((text) => parseSetFlag('--set-string', text)),
  ]
  const inference = {...openRendering(flags.helm), ...inferring}
  await using finding = openFinding(flags.helm)
  const inputs = {environment, finding, values, sets, places, inference, unusable}
  return await prepare({...inputs, ...(supply && {supply})})
}

interface PrepareWith extends Pick<PrepareOptions, 'unusable'> {
  readonly inferring?: Pick<InferenceOptions, 'isTolerant' | 'served' | 'identity'>
}

function servedBy({cluster}: Unstated): Pick<InferenceOptions, 'served' | 'identity'> {
  if (!cluster) return {}
  return {
    served: async () => (await cluster()).apiServer.customKinds(),
    identity: async () => (await cluster()).apiServer.identity(),
  }
}

/** Opens the environment that arguments and flags mean; with `--locked` in the versions of charts that are locked. */
export async function openEnvironment(
  flags: EnvironmentFlags & LockFlags,
  argv: readonly string[],
): Promise<{readonly environment: Environment; readonly releases: readonly string[]}> {
  const {file, releases} = splitArguments(argv)
  const chosen = await chooseEnvironmentFile({
    argument: file,
    flag: flags.environment,
    env: process.env,
    cwd: process.cwd(),
  })
  const environment = await loadEnvironment({file: chosen})
  const lock = flags.locked ? await readLock(environment) : undefined
  return {environment: lock ? withLockedVersions(environment, lock) : environment, releases}
}

/** Opens the environment that is named or found; undefined where there is none, or several to choose from. */
export async function openEnvironmentIfAny(
  flags: EnvironmentFlags,
  argv: readonly string[],
): Promise<Environment | undefined> {
  try {
    return (await openEnvironment(flags, argv)).environment
  } catch (error) {
    if (asKkError(error).code === 'KK_NO_ENVIRONMENT') return undefined
    throw error
  }
}

export interface OnCluster extends Opened {
  /** The caller closes it. */
  readonly cluster: OpenedCluster
}

interface OnClusterOptions {
  /** Told how the sandbox is started that does not run; where it is left out, none is started. */
  readonly onStart?: ((line: string) => void) | undefined
  /** Prepares the environment; by default so that nothing may be missing. */
  readonly prepare?: typeof prepareEnvironment
}

/**
 * Opens the environment that arguments and flags mean, and its cluster, which tells the facts that nobody states. Nothing
 * is asked of the cluster before the environment and its charts were read, nor for charts without a plugin.
 */
export async function openOnCluster(
  flags: EnvironmentFlags & ValueFlags & LockFlags,
  argv: readonly string[],
  {onStart, prepare = prepareEnvironment}: OnClusterOptions = {},
): Promise<OnCluster> {
  const {environment, releases} = await openEnvironment(flags, argv)
  await using opening = new AsyncDisposableStack()
  const lazy = opening.use(lazyCluster(flags, environment, onStart))
  const prepared = await prepare(environment, flags, {cluster: lazy.open})
  const cluster = await lazy.open()
  opening.move()
  return {prepared, releases, cluster}
}

/** Prepares an environment with the deployer's overrides in a document, not in a store; the cluster tells the facts. */
export async function prepareWithDocument(
  environment: Environment,
  {identity, overrides}: Pick<StoreDocument, 'identity' | 'overrides'>,
  {cluster, isThrowaway = false, ...flags}: DocumentFlags,
): Promise<Prepared> {
  const unstated = {cluster: async () => cluster}
  const places = {
    ...(await systemLayer(flags, environment, unstated)),
    user: documentLayers(overrides),
    store: {identity, isAdopted: flags['adopt-store'] ?? false, isThrowaway},
  }
  return prepareWith(environment, flags, places, {inferring: servedBy(unstated)})
}

interface DocumentFlags
  extends HelmFlags,
    FactsFlags,
    AdoptStoreFlags,
    Pick<ValueFlags, 'values' | 'set' | 'set-string'> {
  readonly cluster: Cluster
  readonly isThrowaway?: boolean
}

/** Opens an environment to look at its values: a cluster is asked for facts only when the command line names one. */
export async function openValues(
  flags: EnvironmentFlags & ValueFlags,
  argv: readonly string[],
  say: (line: string) => void,
): Promise<Opened & {readonly unknownFacts: readonly string[]}> {
  const {environment, releases} = await openEnvironment(flags, argv)
  await using unstated = namedUnstated(flags, environment, say)
  let unknownFacts: readonly string[] = []
  const {onMissing} = unstated
  const noted: Unstated = onMissing
    ? {
        onMissing: (names) => {
          unknownFacts = names
          onMissing(names)
        },
      }
    : unstated
  return {prepared: await prepareEnvironment(environment, flags, noted), releases, unknownFacts}
}

/**
 * Returns who tells the facts that nobody states: the cluster that the command line names; where it names none, they stay
 * unknown, and it is said which those are.
 */
export function namedUnstated(
  flags: ClusterFlags,
  environment: Environment,
  say: (line: string) => void,
): Unstated & AsyncDisposable {
  if (namesCluster(flags)) {
    const cluster = lazyCluster(flags, environment)
    return {cluster: cluster.open, [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose]()}
  }
  return {
    onMissing: (names) =>
      say(
        `note: system overrides are made without ${names.join(', ')}, which a deploy asks of the cluster: ` +
          'name it with --context or --sandbox, or state them with --facts',
      ),
    async [Symbol.asyncDispose]() {},
  }
}
