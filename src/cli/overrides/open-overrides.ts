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
import {namedUnstated, prepareBelowUser} from '../open/open.ts'
import {openStoreToChange, openStoreToRead, storePlace} from '../open/store.ts'
import type {OverridesFlags} from './flags.ts'

interface Purpose {
  readonly changes: boolean
  readonly say: (line: string) => void
}

interface ServicePurpose extends Purpose {
  /** Opens what the store lies upon, where less is needed than `baseOf` gives. */
  readonly base?: (environment: Environment | undefined) => Promise<OverrideBase>
  /** Throws where there is no store to read. */
  readonly ifMissing?: () => never
}

/** Works on the overrides that the flags mean: through a server, or on the store directly. */
export async function onOverrides<T>(
  flags: OverridesFlags,
  purpose: ServicePurpose,
  body: (service: OverrideService) => Promise<T>,
): Promise<T> {
  const url = flags.server ?? (namesStore(flags) ? undefined : process.env.KK_SERVER || undefined)
  if (url !== undefined) return body(remoteService({url: serverAddress(url), token: serverToken()}))
  const environment = await namedEnvironment(flags)
  const base = purpose.base
    ? await purpose.base(environment)
    : await baseOf(flags, environment, purpose.changes ? () => {} : purpose.say)
  return onStore(flags, {...purpose, environment}, async (store) => {
    if (!store) purpose.ifMissing?.()
    return body(localOverrides({base, store: store ?? NO_STORE, allowSecrets: true})(whoAmI()))
  })
}

/** Tells whether the command line names overrides without a server, which wins over `KK_SERVER`. */
function namesStore({store, facts, environment}: OverridesFlags): boolean {
  return [store, facts, environment].some((flag) => flag !== undefined)
}

/** Works on the store that the flags mean; undefined where it is missing and nothing is to be changed. */
export async function onStore<T>(
  flags: StoreFlags,
  {changes, say, environment}: Purpose & {readonly environment?: Environment | undefined},
  body: (store: OverrideStore | undefined) => Promise<T>,
): Promise<T> {
  const store = await (changes ? openStoreToChange : openStoreToRead)(flags, environment)
  if (!store) say(`no store of overrides yet at ${storePlace(flags, environment)}`)
  try {
    return await body(store)
  } finally {
    await store?.close()
  }
}

/** Returns the environment that is named, if any: the output must not depend on the files of the current directory. */
export async function namedEnvironment({environment}: OverridesFlags): Promise<Environment | undefined> {
  const file = environment ?? (process.env.KK_ENVIRONMENT || undefined)
  return file === undefined ? undefined : loadEnvironment({file})
}

/**
 * Opens what lies below the deployer's overrides: an environment's layers, or system overrides from facts alone. Facts that
 * nobody states are asked of the cluster that the command line names; with an environment, `say` is told those that are
 * missing.
 */
export async function baseOf(
  flags: OverridesFlags,
  environment: Environment | undefined,
  say: (line: string) => void,
): Promise<OverrideBase> {
  if (environment) {
    await using unstated = namedUnstated(flags, environment, say)
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

/** Returns the token for a server; `KK_TOKEN` is what `kk serve` takes, too. */
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

/** A store that is missing, read as an empty one. */
const NO_STORE: OverrideOptions['store'] = {
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
  throw new Error('a store that was opened to read cannot be written')
}

/** Opens a base that knows only what plugins call secret: enough for commands that look at the store alone. */
export async function storeBase(flags: OverridesFlags): Promise<OverrideBase> {
  return factsBase({plugins: await openPlugins(flags), facts: {}})
}
