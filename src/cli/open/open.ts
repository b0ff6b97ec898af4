import {asKkError} from '../../base/errors.ts'
import {chartNames} from '../../charts/find-chart.ts'
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
import {openFinding, openOptions, openRendering} from './charts.ts'
import {lazyCluster, namesCluster, type OpenedCluster} from './cluster.ts'
import {placeLayers, systemLayer, type UnstatedFacts} from './layers.ts'
import {secretsLayer} from './secrets.ts'

/** An environment opened for one command. */
export interface Opened {
  readonly prepared: Prepared
  /** The releases named on the command line. */
  readonly releases: readonly string[]
}

/** Opens the environment that arguments and flags select, with its graph and values. */
export async function openPrepared(
  flags: EnvironmentFlags & ValueFlags,
  argv: readonly string[],
): Promise<Opened> {
  const {environment, releases} = await openEnvironment(flags, argv)
  return {prepared: await prepareEnvironment(environment, flags), releases}
}

/** Opens an environment for its graph only: reads neither facts nor the override store. */
export async function openGraph(
  flags: EnvironmentFlags & ValueFlags,
  argv: readonly string[],
): Promise<Opened> {
  const {environment, releases} = await openEnvironment(flags, argv)
  return {prepared: await prepareForGraph(environment, flags), releases}
}

/** Prepares an environment for its graph only. */
export async function prepareForGraph(environment: Environment, flags: ValueFlags): Promise<Prepared> {
  return prepareWith(environment, flags, {})
}

/**
 * Computes the graph and the values of an environment; without a cluster, facts that are not set stay
 * unknown.
 */
export async function prepareEnvironment(
  environment: Environment,
  flags: ValueFlags,
  unstated: UnstatedFacts = {},
): Promise<Prepared> {
  return prepareWith(environment, flags, await placeLayers(flags, environment, unstated), {
    inferring: clusterKinds(unstated),
  })
}

/** Computes the same without the deployer's overrides, for callers that merge them themselves. */
export async function prepareBelowUser(
  environment: Environment,
  {helm, ...flags}: FactsFlags & PluginsFlags & HelmFlags,
  unstated: UnstatedFacts,
): Promise<Prepared> {
  return prepareWith(environment, {helm}, await systemLayer(flags, environment, unstated), {
    inferring: clusterKinds(unstated),
  })
}

/**
 * Prepares an environment for inspecting its rendered charts: collects problems of the inference as notes
 * instead of throwing them, and adds the secrets that kk stores, or placeholders, to the values.
 */
export async function prepareTolerantly(
  environment: Environment,
  flags: ValueFlags,
  cluster: Cluster | undefined,
  {unusable}: Pick<PrepareWith, 'unusable'> = {},
): Promise<Prepared> {
  const unstated = cluster ? {cluster: async () => cluster} : {}
  const inferring = {...clusterKinds(unstated), isTolerant: true}
  const places = await placeLayers(flags, environment, unstated)
  const supply = secretsLayer(flags, environment, cluster)(places.plugins ?? builtInPlugins())
  return prepareWith(environment, flags, {...places, supply}, {inferring, unusable})
}

/**
 * Prepares an environment for inspecting the cluster; tolerates charts that are missing or cannot be used.
 */
export async function prepareUsable(
  environment: Environment,
  flags: ValueFlags,
  unstated: UnstatedFacts = {},
): Promise<Prepared> {
  const inferring = {...clusterKinds(unstated), isTolerant: true}
  const places = await placeLayers(flags, environment, unstated)
  return prepareWith(environment, flags, places, {inferring, unusable: new Map()})
}

/**
 * Prepares an environment for the `crds/` of its charts; undefined without one, or if it cannot be prepared:
 * `kk drift` works without.
 */
export async function prepareIfUsable(
  environment: Environment | undefined,
  flags: ValueFlags,
  say: (text: string) => void,
): Promise<Prepared | undefined> {
  if (!environment) return undefined
  try {
    return await prepareEnvironment(environment, flags)
  } catch (error) {
    say(`crds/ of the charts are not checked, only those of the records: ${asKkError(error).message}`)
    return undefined
  }
}

/**
 * Prepares the sections whose charts are on this machine, for checks of values that need no helm: infers
 * nothing, and skips charts that cannot be used.
 */
export async function prepareLocal(environment: Environment): Promise<Prepared> {
  await using finding = openFinding(undefined)
  const charts = environment.charts.filter(({kind}) => kind === 'directory' || kind === 'built-in')
  const names = new Set(await chartNames(charts, finding))
  const sections = [...environment.sections].filter(([name]) =>
    names.has(environment.releases.get(name)?.chart ?? name),
  )
  return await prepare({
    environment: {...environment, charts, sections: new Map(sections)},
    ...{finding, values: [], sets: [], unusable: new Map(), optionLists: openOptions()},
  })
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
  const inputs = {environment, finding, values, sets, places, inference, unusable, optionLists: openOptions()}
  return await prepare({...inputs, ...(supply && {supply})})
}

interface PrepareWith extends Pick<PrepareOptions, 'unusable'> {
  readonly inferring?: Pick<InferenceOptions, 'isTolerant' | 'served' | 'identity'>
}

function clusterKinds({cluster}: UnstatedFacts): Pick<InferenceOptions, 'served' | 'identity'> {
  if (!cluster) return {}
  return {
    served: async () => (await cluster()).apiServer.customKinds(),
    identity: async () => (await cluster()).apiServer.identity(),
  }
}

/**
 * Opens the environment that arguments and flags select; with `--locked`, with the locked versions of charts.
 */
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

/** Opens the specified or default environment; undefined if there is none, or if the default is ambiguous. */
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
  /** Receives the progress of starting a sandbox. If omitted, no sandbox is started. */
  readonly onStart?: ((line: string) => void) | undefined
  /** Prepares the environment. Defaults to `prepareEnvironment`, which tolerates no missing input. */
  readonly prepare?: typeof prepareEnvironment
}

/**
 * Opens the environment that arguments and flags select, and its cluster, which provides the facts that are
 * not set. The cluster is not accessed before the environment and its charts are read, nor for charts without
 * a plugin.
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

/**
 * Prepares an environment with the deployer's overrides from a document instead of a store; the cluster
 * provides the facts.
 */
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
  return prepareWith(environment, flags, places, {inferring: clusterKinds(unstated)})
}

interface DocumentFlags
  extends HelmFlags,
    FactsFlags,
    AdoptStoreFlags,
    Pick<ValueFlags, 'values' | 'set' | 'set-string'> {
  readonly cluster: Cluster
  readonly isThrowaway?: boolean
}

/** Opens an environment for its values; a cluster is read for facts only if the command line names one. */
export async function openValues(
  flags: EnvironmentFlags & ValueFlags,
  argv: readonly string[],
  say: (line: string) => void,
): Promise<Opened & {readonly unknownFacts: readonly string[]}> {
  const {environment, releases} = await openEnvironment(flags, argv)
  await using unstated = unstatedFacts(flags, environment, say)
  let unknownFacts: readonly string[] = []
  const {onMissing} = unstated
  const recording: UnstatedFacts = onMissing
    ? {
        onMissing: (names) => {
          unknownFacts = names
          onMissing(names)
        },
      }
    : unstated
  return {prepared: await prepareEnvironment(environment, flags, recording), releases, unknownFacts}
}

/**
 * Returns the source of facts that are not set: the cluster that the command line names. Without one, they
 * stay unknown, and `say` receives their names.
 */
export function unstatedFacts(
  flags: ClusterFlags,
  environment: Environment,
  say: (line: string) => void,
): UnstatedFacts & AsyncDisposable {
  if (namesCluster(flags)) {
    const cluster = lazyCluster(flags, environment)
    return {cluster: cluster.open, [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose]()}
  }
  return {
    onMissing: (names) =>
      say(
        `note: system overrides are generated without ${names.join(', ')}, which a deploy reads from the cluster: ` +
          'specify it with --context or --sandbox, or set them with --facts',
      ),
    async [Symbol.asyncDispose]() {},
  }
}
