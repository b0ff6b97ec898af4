import {remoteService} from '../../api/remote-service.ts'
import {KkError} from '../../base/errors.ts'
import type {Environment} from '../../environment/environment.ts'
import {loadEnvironment} from '../../environment/load.ts'
import type {OverrideService} from '../../overrides/service.ts'
import {factsRead} from '../../overrides/system/system-overrides.ts'
import type {OverrideStore} from '../../overrides/user/store.ts'
import {whoAmI} from '../../state/processes/who-am-i.ts'
import {localOverrides} from '../../verbs/overrides/local-overrides.ts'
import {
  environmentBase,
  factsBase,
  type OverrideBase,
  type OverrideOptions,
} from '../../verbs/overrides/override-base.ts'
import type {StoreFlags} from '../flags.ts'
import {openUsersHelm} from '../open/cluster.ts'
import {factsFile, openFacts, openPlugins} from '../open/layers.ts'
import {prepareBelowUser, unstatedFacts} from '../open/open.ts'
import {openStoreToChange, openStoreToRead, storePlace} from '../open/store.ts'
import type {OverridesFlags} from './flags.ts'

interface Purpose {
  readonly changes: boolean
  readonly say: (line: string) => void
}

interface ServicePurpose extends Purpose {
  /** Opens the layers below the store, if less is needed than `openBase` provides. */
  readonly base?: (environment: Environment | undefined) => Promise<OverrideBase>
  /** Throws if there is no store to read. */
  readonly ifMissing?: () => never
}

/** Calls `body` with the overrides that the flags select: through a server, or directly on the store. */
export async function withOverrides<T>(
  flags: OverridesFlags,
  purpose: ServicePurpose,
  body: (service: OverrideService) => Promise<T>,
): Promise<T> {
  const url = flags.server ?? (namesStore(flags) ? undefined : process.env.KK_SERVER || undefined)
  if (url !== undefined) return body(remoteService({url: serverAddress(url), token: serverToken()}))
  const environment = await namedEnvironment(flags)
  const base = purpose.base
    ? await purpose.base(environment)
    : await openBase(flags, environment, purpose.changes ? () => {} : purpose.say)
  return withStore(flags, {...purpose, environment}, async (store) => {
    if (!store) purpose.ifMissing?.()
    return body(localOverrides({base, store: store ?? EMPTY_STORE, allowSecrets: true})(whoAmI()))
  })
}

/**
 * Returns true if the command line selects overrides without a server, which takes precedence over
 * `KK_SERVER`.
 */
function namesStore({store, facts, environment}: OverridesFlags): boolean {
  return [store, facts, environment].some((flag) => flag !== undefined)
}

/**
 * Calls `body` with the store that the flags select; with undefined if it does not exist and nothing is
 * changed.
 */
export async function withStore<T>(
  flags: StoreFlags,
  {changes, say, environment}: Purpose & {readonly environment?: Environment | undefined},
  body: (store: OverrideStore | undefined) => Promise<T>,
): Promise<T> {
  const store = await (changes ? openStoreToChange : openStoreToRead)(flags, environment)
  if (!store) say(`no override store yet at ${storePlace(flags, environment)}`)
  try {
    return await body(store)
  } finally {
    await store?.close()
  }
}

/**
 * Returns the specified environment, if any; ignores the default files, so that output does not depend on the
 * current directory.
 */
export async function namedEnvironment({environment}: OverridesFlags): Promise<Environment | undefined> {
  const file = environment ?? (process.env.KK_ENVIRONMENT || undefined)
  return file === undefined ? undefined : loadEnvironment({file})
}

/**
 * Opens the layers below the deployer's overrides: those of an environment, or system overrides from facts
 * only. Facts that are not set are read from the cluster that the command line names; with an environment,
 * `say` receives the missing ones.
 */
export async function openBase(
  flags: OverridesFlags,
  environment: Environment | undefined,
  say: (line: string) => void,
): Promise<OverrideBase> {
  if (environment) {
    await using unstated = unstatedFacts(flags, environment, say)
    const prepared = await prepareBelowUser(environment, flags, unstated)
    return environmentBase(prepared, () => openUsersHelm(flags))
  }
  const plugins = await openPlugins(flags)
  const file = factsFile(flags)
  if (file === undefined) return factsBase({plugins, facts: {}})
  const {facts} = await openFacts(flags, undefined, ({charts}) =>
    factsRead(charts ? Object.keys(charts) : plugins.charts, plugins),
  )
  return factsBase({plugins, facts, file})
}

/** Returns the token for a server; `kk serve` also accepts `KK_TOKEN`. */
function serverToken(): string | undefined {
  return process.env.KK_SERVER_TOKEN || process.env.KK_TOKEN || undefined
}

function serverAddress(text: string): string {
  const url = URL.parse(text)
  if ((url?.protocol === 'http:' || url?.protocol === 'https:') && url.username === '' && url.password === '')
    return text
  throw new KkError(
    'KK_USAGE',
    'expected --server (or KK_SERVER) to be an http or https address without a password',
    {
      hint: 'for example --server https://kk.example.org:8443, with the token in KK_SERVER_TOKEN',
    },
  )
}

/** An empty store for reading, in place of one that does not exist. */
const EMPTY_STORE: OverrideOptions['store'] = {
  get: async () => undefined,
  list: async () => [],
  secrets: async () => [],
  identity: async () => ({id: 'none', cluster: undefined, state: 0}),
  audit: async () => [],
  update: cannotWrite,
  put: cannotWrite,
  putAll: cannotWrite,
}

async function cannotWrite(): Promise<never> {
  throw new Error('a store that was opened for reading cannot be written')
}

/** Opens a base with only the secret paths of the plugins, for commands that read only the store. */
export async function storeBase(flags: OverridesFlags): Promise<OverrideBase> {
  return factsBase({plugins: await openPlugins(flags), facts: {}})
}
