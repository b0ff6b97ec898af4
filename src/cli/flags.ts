import {Flags, type Interfaces} from '@oclif/core'
import {KkError} from '../base/errors.ts'
import {isFile} from '../environment/choose.ts'
import {DEFAULT_SANDBOX} from '../sandbox/sandbox.ts'
import {argument} from './argument.ts'

/** The values of flags, as oclif infers them. */
export type FlagValues<T> = {
  readonly [Name in Exclude<keyof Interfaces.InferredFlags<T>, 'json'>]: Unchanged<
    Interfaces.InferredFlags<T>[Name]
  >
}

type Unchanged<Value> = Value extends readonly (infer Each)[] ? readonly Each[] : Value

/** The values of flags of which a command may have none: a flag that it lacks was not given. */
export type Given<T> = Partial<FlagValues<T>>

/** Which environment file: also the argument that ends in .yaml, KK_ENVIRONMENT, ./kk.yaml, the only file in ./environments/. */
export const environmentFlags = {
  environment: Flags.string({
    char: 'e',
    summary: 'The environment file; - reads standard input.',
    helpValue: 'FILE',
  }),
}
export type EnvironmentFlags = Given<typeof environmentFlags>

/** The environment by name, for commands that need no file: the cluster knows its runs and releases. */
export const ownerFlags = {
  owner: Flags.string({
    summary: 'The environment by its name; no file is needed.',
    helpValue: 'NAME',
  }),
}
export type OwnerFlags = EnvironmentFlags & Given<typeof ownerFlags>

/**
 * Which cluster. Of two flags that exclude each other one says so, and none is said to exclude a third that another has
 * named already: oclif's usage line joins each flag to one other, and leaves a gap where a second time is.
 */
export const clusterFlags = {
  sandbox: Flags.boolean({
    summary: 'Use the throwaway cluster of this machine.',
    helpGroup: 'CLUSTER',
    exclusive: ['kubeconfig', 'context'],
  }),
  'sandbox-name': Flags.string({
    summary: 'Use the throwaway cluster of this name.',
    helpValue: 'NAME',
    helpGroup: 'CLUSTER',
  }),
  kubeconfig: Flags.string({
    summary: 'The kubeconfig file.',
    helpValue: 'FILE',
    helpGroup: 'CLUSTER',
    exclusive: ['sandbox-name'],
  }),
  context: Flags.string({
    summary: 'The context of the kubeconfig.',
    helpValue: 'NAME',
    helpGroup: 'CLUSTER',
    exclusive: ['sandbox-name'],
  }),
}
export type ClusterFlags = Given<typeof clusterFlags>

export const helmFlags = {
  helm: Flags.string({summary: 'The helm binary (also KK_HELM).', helpValue: 'PATH', helpGroup: 'CLUSTER'}),
}
export type HelmFlags = Given<typeof helmFlags>

/** Facts about the cloud beside those that its cluster tells. */
export const factsFlags = {
  facts: Flags.string({
    summary: 'A file of facts about the cloud (also KK_FACTS); - reads standard input.',
    helpValue: 'FILE',
    helpGroup: 'VALUES',
  }),
}
export type FactsFlags = Given<typeof factsFlags>

/** Plugins that make system overrides, beside kk's own. */
export const pluginsFlags = {
  plugins: Flags.string({
    summary: 'A directory of plugins that generate system overrides (also KK_PLUGINS).',
    helpValue: 'DIR',
    helpGroup: 'VALUES',
  }),
}
export type PluginsFlags = Given<typeof pluginsFlags>

/** Where the deployer's overrides are kept. */
const storeFlags = {
  store: Flags.string({
    summary: 'The store of overrides: a file, or a URL of PostgreSQL (also KK_STORE).',
    helpValue: 'FILE|URL',
    helpGroup: 'VALUES',
  }),
}
/** The context that names the cluster names its store, too. */
export type StoreFlags = ClusterFlags & Given<typeof storeFlags>

/** Where the deployer's overrides are kept, and what those of the system are made from. */
export const overrideFlags = {
  ...storeFlags,
  ...factsFlags,
  ...pluginsFlags,
}

/** How a store of overrides takes the place of the one that the cloud was deployed with. */
export const adoptStoreFlags = {
  'adopt-store': Flags.boolean({
    summary:
      'Let the store of overrides here, or none, take the place of the one that releases were deployed with.',
    helpGroup: 'VALUES',
  }),
}
export type AdoptStoreFlags = Given<typeof adoptStoreFlags>

/** Returns a flag that may be given several times. */
export function repeated(helpValue: string, summary: string, more: {readonly helpGroup?: string} = {}) {
  return Flags.string({summary, helpValue, multiple: true, multipleNonGreedy: true, ...more})
}

/** Values on top of those of the environment. */
const valueFlags = {
  ...overrideFlags,
  values: repeated('RELEASE=FILE', 'Values for one release, on top of the environment; may be repeated.', {
    helpGroup: 'VALUES',
  }),
  set: repeated('RELEASE:KEY=VALUE', 'One value of one release, on top of everything; may be repeated.', {
    helpGroup: 'VALUES',
  }),
  'set-string': repeated('RELEASE:KEY=VALUE', 'The same, but every value is a text; on top of --set.', {
    helpGroup: 'VALUES',
  }),
}
/** The flags that decide the values of an environment, and how they are rendered. */
export type ValueFlags = ClusterFlags & HelmFlags & AdoptStoreFlags & Given<typeof valueFlags>

/** What renders the releases of an environment: its file, values on top of it, the cluster and helm. */
export const renderFlags = {...environmentFlags, ...valueFlags, ...clusterFlags, ...helmFlags}
export type RenderFlags = EnvironmentFlags & ValueFlags

/** What holds an environment to its lock. */
export const lockFlags = {
  locked: Flags.boolean({
    summary: 'Refuse what differs from kk.lock, beside the environment file: charts and images.',
  }),
}
export type LockFlags = Given<typeof lockFlags>

/** Which throwaway cluster, of commands for nothing else. */
export const sandboxFlags = {
  'sandbox-name': Flags.string({
    summary: 'The name of the sandbox.',
    helpValue: 'NAME',
    default: DEFAULT_SANDBOX,
  }),
}

/** One document for scripts. */
export const documentFlags = {
  output: Flags.option({
    summary: 'The form of the output.',
    options: ['text', 'json', 'yaml'] as const,
    default: 'text',
  })(),
}

/** Returns a flag for the longest time to wait. */
export function timeoutFlag(summary: string) {
  return Flags.integer({summary, helpValue: 'SECONDS', default: 1_200, min: 0})
}

/** `[FILE] [RELEASE…]`: what ends in .yaml or .yml, or is -, is the environment file. */
export const releasesArgument = {
  releases: argument({
    name: 'releases',
    description: 'The environment file and releases, in any order.',
    multiple: true,
  }),
}

const FILE = {description: 'The environment file.'}

/** `[FILE]` alone: any other word is a mistake, and not to be left out in silence. */
export const fileArgument = {file: argument({...FILE, parse: expectFile})}

/** `[FILE]`, of commands that say themselves what a word means that is none. */
export const wholeEnvironmentArgument = {file: argument(FILE)}

async function expectFile(word: string): Promise<string> {
  if (isFile(word)) return word
  throw new KkError(
    'KK_USAGE',
    `expected an environment file, which ends in .yaml, got ${JSON.stringify(word)}`,
    {
      hint: 'leave it out, or name a file: the command takes a whole environment',
    },
  )
}
