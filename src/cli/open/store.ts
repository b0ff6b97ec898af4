import {existsSync} from 'node:fs'
import {KkError} from '../../base/errors.ts'
import type {Environment} from '../../environment/environment.ts'
import type {HistoryOf, StoreUse} from '../../overrides/layers-of-place.ts'
import {keyFileWarning} from '../../overrides/user/keys.ts'
import {locationText, storeLocation} from '../../overrides/user/location.ts'
import type {OverrideStore} from '../../overrides/user/store.ts'
import {DEFAULT_SANDBOX} from '../../sandbox/sandbox.ts'
import {writeView} from '../console.ts'
import type {StoreFlags} from '../flags.ts'

/** A store for `await using`, which closes it at the end of the scope. */
export type OpenedStore = OverrideStore & AsyncDisposable

/**
 * Opens the override store that the flags select: `--store`, `KK_STORE`, else the store of the context in
 * kk's state directory. Returns undefined, and loads nothing, if that does not exist yet. Rejects with
 * `KK_FILE` if a specified store does not exist, because a deploy without it would revert the deployer's
 * overrides.
 */
export async function openStoreToDeploy(
  flags: StoreFlags,
  environment: Environment | undefined,
): Promise<OpenedStore | undefined> {
  if (!isMissing(flags, environment)) return openWithWarning(flags, environment)
  const named = namedStore(flags)
  if (named === undefined) return undefined
  throw new KkError('KK_FILE', `there is no override store at ${named}`, {
    hint: 'correct --store or KK_STORE; the first kk overrides update creates a store',
  })
}

/** Opens the store for reading; undefined if it does not exist. Never creates it. */
export async function openStoreToRead(
  flags: StoreFlags,
  environment: Environment | undefined,
): Promise<OpenedStore | undefined> {
  return isMissing(flags, environment) ? undefined : open(flags, environment)
}

/** Opens the store for changes; creates it if it does not exist. */
export async function openStoreToChange(
  flags: StoreFlags,
  environment: Environment | undefined,
): Promise<OpenedStore> {
  return openWithWarning(flags, environment)
}

/** Returns the location of the store for messages, without a password. */
export function storePlace(flags: StoreFlags, environment: Environment | undefined): string {
  return locationText(resolveLocation(flags, environment))
}

/** Returns a function that reads the changes of one chart's overrides from the store that plans use. */
export function storeHistory(flags: StoreFlags, environment: Environment): HistoryOf {
  return async (name, namespace) => {
    await using store = await openStoreToRead(flags, environment)
    return (await store?.audit({name, namespace})) ?? []
  }
}

interface Binding extends Pick<StoreUse, 'identity' | 'isAdopted' | 'isThrowaway'> {
  /** The UID of its namespace `kube-system`. */
  readonly cluster: string
}

/** Records which cluster the store belongs to; does not open the store if that is already recorded. */
export async function bindStore(
  flags: StoreFlags,
  environment: Environment | undefined,
  {identity, cluster, isAdopted, isThrowaway}: Binding,
): Promise<void> {
  if (!identity || identity.cluster === cluster) return
  const replace = isAdopted || isThrowaway
  if (identity.cluster !== undefined && !replace) return
  await using store = await open(flags, environment)
  await store.bind(cluster, {replace})
}

/**
 * Opens the store and warns about a key file that other users can read. Reading commands skip the warning.
 */
async function openWithWarning(
  flags: StoreFlags,
  environment: Environment | undefined,
): Promise<OpenedStore> {
  const warning = keyFileWarning(process.env)
  if (warning !== undefined) writeView('stderr', `${warning}\n`)
  return open(flags, environment)
}

async function open(flags: StoreFlags, environment: Environment | undefined): Promise<OpenedStore> {
  const {openStore} = await import('../../overrides/user/open.ts')
  const name = storeName(flags, environment)
  const store = await openStore({location: namedStore(flags), name, env: process.env})
  return {...store, [Symbol.asyncDispose]: () => store.close()}
}

function isMissing(flags: StoreFlags, environment: Environment | undefined): boolean {
  const location = resolveLocation(flags, environment)
  return location.kind === 'sqlite' && !existsSync(location.path)
}

function resolveLocation(flags: StoreFlags, environment: Environment | undefined) {
  const name = storeName(flags, environment)
  return storeLocation({location: namedStore(flags), name, env: process.env})
}

function namedStore({store}: StoreFlags): string | undefined {
  return store ?? (process.env.KK_STORE || undefined)
}

/**
 * Returns the file name of the store: one for each named context, and one for the current context of the
 * kubeconfig.
 */
function storeName(flags: StoreFlags, environment: Environment | undefined): string {
  const {sandbox, 'sandbox-name': sandboxName} = flags
  if (sandbox || sandboxName !== undefined) return `sandbox-${sandboxName ?? DEFAULT_SANDBOX}`
  const context = flags.context ?? (process.env.KK_CONTEXT || undefined) ?? environment?.context
  return context === undefined ? 'default' : `context-${encodeURIComponent(context)}`
}
