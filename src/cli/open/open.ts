import type {Cluster} from '../../cluster/cluster.ts'
import {chooseEnvironmentFile, splitArguments} from '../../environment/choose.ts'
import type {Environment} from '../../environment/environment.ts'
import {loadEnvironment} from '../../environment/load.ts'
import {asKkError} from '../../errors.ts'
import {parseSetFlag, parseValuesFlag} from '../../overrides/release-flags.ts'
import {builtInPlugins} from '../../overrides/system/plugins.ts'
import type {PlaceLayers} from '../../verbs/overrides/layers-of-place.ts'
import type {GatherOptions} from '../../verbs/preparation/gathering/gather.ts'
import type {InferenceOptions} from '../../verbs/preparation/inference/infer-requirements.ts'
import {type Prepared, type PrepareOptions, prepare} from '../../verbs/preparation/prepare.ts'
import {openRendering, withFinding} from './charts.ts'
import {type ClusterFlags, lazyCluster, namesCluster, openChosenCluster} from './cluster.ts'
import {
  type AdoptStoreFlag,
  type FactsFlags,
  type PluginsFlags,
  placeLayers,
  systemLayer,
  type Unstated,
} from './layers.ts'
import {suppliedBy} from './secrets.ts'
import type {StoreFlags} from './store.ts'

export interface EnvironmentFlags {
  readonly environment?: string | undefined
  readonly values?: readonly string[] | undefined
  readonly set?: readonly string[] | undefined
  readonly helm?: string | undefined
}

/** What of the command line decides the values of an environment; what it does not have, it cannot be given. */
export type ValueFlags = Pick<EnvironmentFlags, 'values' | 'set' | 'helm'> &
  StoreFlags &
  FactsFlags &
  PluginsFlags &
  AdoptStoreFlag

/** What is opened for one command, and closed when it ends. */
export interface Opened {
  readonly prepared: Prepared
  /** The releases that the command line names. */
  readonly releases: readonly string[]
}

/** The environment that arguments and flags mean, with its graph and values. */
export async function openPrepared(
  flags: EnvironmentFlags & ValueFlags,
  argv: readonly string[],
): Promise<Opened> {
  const {environment, releases} = await openEnvironment(flags, argv)
  return {prepared: await prepareEnvironment(environment, flags), releases}
}

/** The same for those who only look at the graph: neither facts nor the store of overrides are read. */
export async function openGraph(flags: EnvironmentFlags, argv: readonly string[]): Promise<Opened> {
  const {environment, releases} = await openEnvironment(flags, argv)
  return {prepared: await prepareWith(environment, flags, {}), releases}
}

/** An environment that was read, with its graph and values; without a cluster, facts that nobody states stay unknown. */
export async function prepareEnvironment(
  environment: Environment,
  flags: ValueFlags,
  unstated: Unstated = {},
): Promise<Prepared> {
  return prepareWith(environment, flags, await placeLayers(flags, environment, unstated), {
    inferring: servedBy(unstated),
  })
}

/** The same without the deployer's overrides, for those who lay them on top themselves. */
export async function prepareBelowUser(
  environment: Environment,
  {helm, ...flags}: FactsFlags & PluginsFlags & Pick<EnvironmentFlags, 'helm'>,
  unstated: Unstated,
): Promise<Prepared> {
  return prepareWith(environment, {helm}, await systemLayer(flags, environment, unstated), {
    inferring: servedBy(unstated),
  })
}

/**
 * The same as `prepareEnvironment` for those who only look at what charts render: with what speaks against the inference
 * instead of an error, and with the secrets that kk keeps, or something in their place.
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

/** The same, also without the charts that are missing or cannot be used: for those who look at what is there. */
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
  flags: Pick<EnvironmentFlags, 'values' | 'set' | 'helm'>,
  {supply, ...places}: PlaceLayers & Pick<GatherOptions, 'supply'>,
  {inferring = {}, unusable}: PrepareWith = {},
): Promise<Prepared> {
  const values = (flags.values ?? []).map(parseValuesFlag)
  const sets = (flags.set ?? []).map(parseSetFlag)
  const inference = {...openRendering(flags.helm), ...inferring}
  return withFinding(flags.helm, (finding) =>
    prepare({environment, finding, values, sets, places, inference, unusable, ...(supply && {supply})}),
  )
}

interface PrepareWith extends Pick<PrepareOptions, 'unusable'> {
  readonly inferring?: Pick<InferenceOptions, 'isTolerant' | 'served'>
}

function servedBy({cluster}: Unstated): Pick<InferenceOptions, 'served'> {
  return cluster ? {served: async () => (await cluster()).customKinds()} : {}
}

export async function openEnvironment(
  flags: EnvironmentFlags,
  argv: readonly string[],
): Promise<{readonly environment: Environment; readonly releases: readonly string[]}> {
  const {file, releases} = splitArguments(argv)
  const chosen = await chooseEnvironmentFile({
    argument: file,
    flag: flags.environment,
    env: process.env,
    cwd: process.cwd(),
  })
  return {environment: await loadEnvironment({file: chosen}), releases}
}

/** The environment that is named or found; undefined where there is none, or several to choose from. */
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

interface OnCluster extends Opened {
  /** Whoever asked for it closes it. */
  readonly cluster: Cluster
}

interface OpenOptions {
  /** Start the sandbox when it does not run. */
  readonly start: boolean
  readonly say: (line: string) => void
  /** How the environment is prepared; without what is missing nothing is, unless another way is given. */
  readonly prepare?: typeof prepareEnvironment
}

/**
 * The environment that arguments and flags mean, and its cluster, which tells the facts that nobody states. Nothing is
 * asked of the cluster before the environment and its charts were read, nor for charts without a plugin.
 */
export async function openOnCluster(
  flags: EnvironmentFlags & ValueFlags,
  argv: readonly string[],
  options: OpenOptions,
): Promise<OnCluster> {
  const {environment, releases} = await openEnvironment(flags, argv)
  const cluster = lazyCluster(flags, environment, options)
  try {
    const {prepare = prepareEnvironment} = options
    const prepared = await prepare(environment, flags, {cluster: cluster.open})
    return {prepared, releases, cluster: await cluster.open()}
  } catch (error) {
    await cluster.close()
    throw error
  }
}

/** The same for those who only look at values: a cluster is asked for facts only when the command line names one. */
export async function openValues(
  flags: EnvironmentFlags & ValueFlags,
  argv: readonly string[],
  say: (line: string) => void,
): Promise<Opened> {
  const {environment, releases} = await openEnvironment(flags, argv)
  const prepared = await withUnstated(flags, {environment, say}, (unstated) =>
    prepareEnvironment(environment, flags, unstated),
  )
  return {prepared, releases}
}

interface NamedOptions {
  readonly argv: readonly string[]
  readonly say: (line: string) => void
}

/** Does something with an environment and, if the command line names one, its cluster. */
export async function openOnNamedCluster<T>(
  flags: EnvironmentFlags & ClusterFlags,
  {argv, say}: NamedOptions,
  body: (environment: Environment, cluster: Cluster | undefined) => Promise<T>,
): Promise<T> {
  const {environment} = await openEnvironment(flags, argv)
  if (!namesCluster(flags)) return body(environment, undefined)
  const cluster = await openChosenCluster(flags, environment, {start: false, say})
  return body(environment, cluster).finally(() => cluster.close())
}

/**
 * Does something with the one who tells the facts that nobody states: the cluster that the command line names; where it
 * names none, they stay unknown, and it is said which those are.
 */
export async function withUnstated<T>(
  flags: ClusterFlags,
  {environment, say}: {readonly environment: Environment; readonly say: (line: string) => void},
  body: (unstated: Unstated) => Promise<T>,
): Promise<T> {
  if (!namesCluster(flags)) {
    const onMissing = (names: readonly string[]) =>
      say(
        `note: system overrides are made without ${names.join(', ')}, which a deploy asks of the cluster: ` +
          'name it with --context or --sandbox, or state them with --facts',
      )
    return body({onMissing})
  }
  const cluster = lazyCluster(flags, environment, {start: false, say})
  try {
    return await body({cluster: cluster.open})
  } finally {
    await cluster.close()
  }
}
