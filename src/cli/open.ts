import {join} from 'node:path'
import type {ChartFinding} from '../charts/find-chart.ts'
import type {Cluster} from '../cluster/cluster.ts'
import {chooseEnvironmentFile, splitArguments} from '../environment/choose.ts'
import type {Environment} from '../environment/environment.ts'
import {loadEnvironment} from '../environment/load.ts'
import {findHelm} from '../helm/find.ts'
import type {Helm} from '../helm/helm.ts'
import {openHelm} from '../helm/open.ts'
import {helmPackages, type Packages} from '../helm/pull.ts'
import {helmVersion} from '../helm/version.ts'
import {parseSetFlag, parseValuesFlag} from '../overrides/release-flags.ts'
import {builtInPlugins} from '../overrides/system/plugins.ts'
import {childEnvironment} from '../sandbox/child-environment.ts'
import {findTool} from '../sandbox/tools.ts'
import {builtInFiles} from '../state/assets.ts'
import {cacheDirectory} from '../state/directories.ts'
import {type TemporaryDirectory, temporaryDirectory} from '../state/files/temporary-directory.ts'
import type {PlaceLayers} from '../verbs/overrides/layers-of-place.ts'
import type {GatherOptions} from '../verbs/preparation/gathering/gather.ts'
import type {Rendering} from '../verbs/preparation/inference/facts-of-releases.ts'
import type {InferenceWorld} from '../verbs/preparation/inference/infer-requirements.ts'
import {type Prepared, type PrepareOptions, prepare} from '../verbs/preparation/prepare.ts'
import {type ClusterFlags, chooseCluster} from './open/choose-cluster.ts'
import type {FactsFlags} from './open/facts.ts'
import {type AdoptStoreFlag, placeLayers, systemLayer, type Unstated} from './open/place-layers.ts'
import type {PluginsFlags} from './open/plugins.ts'
import {suppliedBy} from './open/secrets.ts'
import type {StoreFlags} from './open/store.ts'

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
  readonly inferring?: Pick<InferenceWorld, 'isTolerant' | 'served'>
}

function servedBy({cluster}: Unstated): Pick<InferenceWorld, 'served'> {
  return cluster ? {served: async () => (await cluster()).customKinds()} : {}
}

/** What finding charts needs; what was fetched for it is removed afterwards. */
export async function withFinding<T>(
  helm: string | undefined,
  body: (finding: ChartFinding) => Promise<T>,
): Promise<T> {
  const fetched = fetchedPackages(helm)
  return body(chartFinding(fetched.packages)).finally(fetched.remove)
}

/** What rendering charts without a cluster needs; helm is looked for when something is to be rendered. */
export function openRendering(helm: string | undefined): Rendering {
  return {helm: () => openUsersHelm({helm}), cache: cacheDirectory(process.env)}
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

/** The cluster that the flags and the environment mean; imported on use, for it costs what many commands need not pay. */
export async function openChosenCluster(
  flags: ClusterFlags,
  environment: Environment | undefined,
  options: {readonly start: boolean; readonly say: (line: string) => void},
): Promise<Cluster> {
  const access = await chooseCluster(flags, environment, options)
  const {openCluster} = await import('../cluster/open.ts')
  return openCluster({...access, env: process.env, readiness: environment?.readiness})
}

/** The user's helm, or the toolbox's in a sandbox. On `cluster` when one is given; otherwise it can only render. */
export async function openUsersHelm(
  flags: ClusterFlags & {readonly helm?: string | undefined},
  cluster?: Cluster,
): Promise<Helm> {
  const path = helmPath(flags.helm)
  const kubeconfig = cluster?.kubeconfig
  const isSandbox = flags.sandbox || flags['sandbox-name'] !== undefined
  return openHelm({
    path,
    version: await helmVersion(path, process.env),
    env: isSandbox && kubeconfig !== undefined ? childEnvironment(kubeconfig, process.env) : process.env,
    ...(kubeconfig !== undefined && {kubeconfig}),
    ...(cluster && {context: cluster.context}),
  })
}

function helmPath(flag: string | undefined): string {
  const ours = findTool('helm4', process.env)
  return findHelm({
    ...(flag !== undefined && {flag}),
    env: process.env,
    candidates: ours === undefined ? [] : [ours],
  })
}

function chartFinding(packages: Packages): ChartFinding {
  return {
    builtIn: async () => join(await builtInFiles(process.env), 'charts'),
    cache: cacheDirectory(process.env),
    packages,
  }
}

/** Charts in repositories and registries are fetched by helm, which is looked for only when there are any. */
function fetchedPackages(helm: string | undefined): {
  readonly packages: Packages
  readonly remove: () => Promise<void>
} {
  let opened: Promise<{readonly packages: Packages; readonly directory: TemporaryDirectory}> | undefined
  const open = async () => {
    const directory = await temporaryDirectory('kk-charts-')
    const options = {path: helmPath(helm), env: process.env, directory: directory.path}
    return {directory, packages: helmPackages(options)}
  }
  const use = async <T>(body: (packages: Packages) => Promise<T>): Promise<T> => {
    opened ??= open()
    const {packages, directory} = await opened
    return directory.fill(() => body(packages))
  }
  return {
    packages: {
      pull: (request, directory) => use((packages) => packages.pull(request, directory)),
      names: (source) => use((packages) => packages.names(source)),
    },
    remove: async () => {
      const used = await opened?.catch(() => undefined)
      await used?.directory.remove()
    },
  }
}
