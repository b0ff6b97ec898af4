import {Flags, type Interfaces} from '@oclif/core'
import {seconds, TIME_TITLE} from '../base/duration.ts'
import {KkError} from '../base/errors.ts'
import {isFile} from '../environment/choose.ts'
import {DEFAULT_SANDBOX} from '../sandbox/sandbox.ts'
import {argument} from './argument.ts'

/** The values of flags, as inferred by oclif. */
export type FlagValues<T> = {
  readonly [Name in Exclude<keyof Interfaces.InferredFlags<T>, 'json'>]: Unchanged<
    Interfaces.InferredFlags<T>[Name]
  >
}

type Unchanged<Value> = Value extends readonly (infer Each)[] ? readonly Each[] : Value

/** The values of flags that a command may lack; a missing flag is undefined. */
export type OptionalFlags<T> = Partial<FlagValues<T>>

/**
 * Selects the environment file; otherwise the argument ending in .yaml, KK_ENVIRONMENT, ./kk.yaml, or the
 * only file in ./environments/.
 */
export const environmentFlags = {
  environment: Flags.string({
    char: 'e',
    summary: 'The environment file; - reads standard input.',
    helpValue: 'FILE',
  }),
}
export type EnvironmentFlags = OptionalFlags<typeof environmentFlags>

/**
 * Selects the environment by name, for commands that need no file: its runs and releases are read from the
 * cluster.
 */
export const ownerFlags = {
  owner: Flags.string({
    summary: 'The name of the environment, instead of its file.',
    helpValue: 'NAME',
  }),
}
export type OwnerFlags = EnvironmentFlags & OptionalFlags<typeof ownerFlags>

/** Select the cluster. */
export const clusterFlags = {
  sandbox: Flags.boolean({
    summary: 'Use the throwaway cluster of this machine.',
    helpGroup: 'CLUSTER',
    exclusive: ['kubeconfig', 'context'],
  }),
  'sandbox-name': Flags.string({
    summary: 'Use the throwaway cluster with this name.',
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
export type ClusterFlags = OptionalFlags<typeof clusterFlags>

export const helmFlags = {
  helm: Flags.string({summary: 'The helm binary (also KK_HELM).', helpValue: 'PATH', helpGroup: 'CLUSTER'}),
}
export type HelmFlags = OptionalFlags<typeof helmFlags>

/** Adds facts about the cloud to those of its cluster. */
export const factsFlags = {
  facts: Flags.string({
    summary: 'A file of facts about the cloud (also KK_FACTS); - reads standard input.',
    helpValue: 'FILE',
    helpGroup: 'VALUES',
  }),
}
export type FactsFlags = OptionalFlags<typeof factsFlags>

/** Adds plugins that generate system overrides to the built-in ones. */
export const pluginsFlags = {
  plugins: Flags.string({
    summary: 'A directory of plugins that generate system overrides (also KK_PLUGINS).',
    helpValue: 'DIR',
    helpGroup: 'VALUES',
  }),
}
export type PluginsFlags = OptionalFlags<typeof pluginsFlags>

/** Select the store of the deployer's overrides. */
const storeFlags = {
  store: Flags.string({
    summary: 'The override store: a file, or a PostgreSQL URL (also KK_STORE).',
    helpValue: 'FILE|URL',
    helpGroup: 'VALUES',
  }),
}
/** The flags that select a store; the context of the cluster selects its default store. */
export type StoreFlags = ClusterFlags & OptionalFlags<typeof storeFlags>

/** Select the deployer's overrides, and the inputs of the system overrides. */
export const overrideFlags = {
  ...storeFlags,
  ...factsFlags,
  ...pluginsFlags,
}

/** Allows another override store than the one that the cloud was deployed with. */
export const adoptStoreFlags = {
  'adopt-store': Flags.boolean({
    summary:
      'Replace the override store that the releases were deployed with by the current one, or by none.',
    helpGroup: 'VALUES',
  }),
}
export type AdoptStoreFlags = OptionalFlags<typeof adoptStoreFlags>

/** Returns a flag that can be repeated. */
export function repeated(
  helpValue: string,
  summary: string,
  more: {readonly helpGroup?: string; readonly char?: 'f' | 'n'} = {},
) {
  return Flags.string({summary, helpValue, multiple: true, multipleNonGreedy: true, ...more})
}

/** Set values with precedence over those of the environment. */
const valueFlags = {
  ...overrideFlags,
  values: repeated(
    'RELEASE=FILE',
    'A values file for one release, with precedence over the environment; may be repeated.',
    {char: 'f', helpGroup: 'VALUES'},
  ),
  set: repeated(
    'RELEASE:KEY=VALUE',
    'One value of one release, with precedence over all others; may be repeated.',
    {
      helpGroup: 'VALUES',
    },
  ),
  'set-string': repeated(
    'RELEASE:KEY=VALUE',
    'Like --set, but every value is a string; with precedence over --set.',
    {
      helpGroup: 'VALUES',
    },
  ),
}
/** The flags that determine the values of an environment, and how they are rendered. */
export type ValueFlags = ClusterFlags & HelmFlags & AdoptStoreFlags & OptionalFlags<typeof valueFlags>

/**
 * The flags for rendering the releases of an environment: its file, additional values, the cluster and helm.
 */
export const renderFlags = {...environmentFlags, ...valueFlags, ...clusterFlags, ...helmFlags}
export type RenderFlags = EnvironmentFlags & ValueFlags

/** Enforces the lock file of an environment. */
export const lockFlags = {
  locked: Flags.boolean({
    summary: 'Refuse charts and images that differ from kk.lock, next to the environment file.',
  }),
}
export type LockFlags = OptionalFlags<typeof lockFlags>

/** Selects the throwaway cluster, for commands that only manage these. */
export const sandboxFlags = {
  'sandbox-name': Flags.string({
    summary: 'The name of the sandbox.',
    helpValue: 'NAME',
    default: DEFAULT_SANDBOX,
  }),
}

/** Selects the format of a command that prints one document. */
export const documentFlags = {
  output: Flags.option({
    char: 'o',
    summary: 'The output format.',
    options: ['text', 'json', 'yaml'] as const,
    default: 'text',
  })(),
}

/** Returns the flag for how long a command waits, as a duration, which `timeoutSeconds` reads. */
export function timeoutFlag(waits: string, byDefault: string) {
  return Flags.string({
    summary: `How long to wait for ${waits}, such as 20m, 1h30m or 90s (default: ${byDefault}).`,
    helpValue: 'TIME',
  })
}

/**
 * Returns a timeout in seconds. A number without a unit, the old spelling of some commands, is seconds.
 * Throws `KK_USAGE`.
 */
export function timeoutSeconds(text: string): number
export function timeoutSeconds(text: string | undefined): number | undefined
export function timeoutSeconds(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  return OLD_TIMEOUT.test(text) ? Number(text) : timeSeconds('--timeout', text)
}

/** Returns the seconds of a duration. Throws `KK_USAGE`, which names the flag. */
export function timeSeconds(flag: string, text: string): number {
  const value = seconds(text)
  if (value !== undefined) return value
  throw new KkError('KK_USAGE', `${flag} ${text}: expected ${TIME_TITLE}`, {hint: `for example ${flag} 5m`})
}

/** A timeout without a unit. */
export const OLD_TIMEOUT = /^\d{1,6}$/

/** `[FILE] [RELEASE…]`: an argument that ends in .yaml or .yml, or is -, is the environment file. */
export const releasesArgument = {
  releases: argument({
    name: 'releases',
    description: 'The environment file and releases, in any order.',
    multiple: true,
  }),
}

const FILE = {description: 'The environment file.'}

/** `[FILE]`: rejects any other argument. */
export const fileArgument = {file: argument({...FILE, parse: expectFile})}

/** `[FILE]`, for commands that report other arguments themselves. */
export const wholeEnvironmentArgument = {file: argument(FILE)}

async function expectFile(word: string): Promise<string> {
  if (isFile(word)) return word
  throw new KkError(
    'KK_USAGE',
    `expected an environment file, which ends in .yaml, got ${JSON.stringify(word)}`,
    {
      hint: 'omit it, or pass a file: the command takes a whole environment',
    },
  )
}
