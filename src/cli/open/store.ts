import {existsSync} from 'node:fs'
import {KkError} from '../../base/errors.ts'
import type {Environment} from '../../environment/environment.ts'
import type {HistoryOf, StoreUse} from '../../overrides/layers-of-place.ts'
import {keyFileWarning} from '../../overrides/user/keys.ts'
import {locationText, storeLocation} from '../../overrides/user/location.ts'
import type {OverrideStore} from '../../overrides/user/store.ts'
import {DEFAULT_SANDBOX} from '../../sandbox/sandbox.ts'
import {tell} from '../console.ts'
import type {StoreFlags} from '../flags.ts'

/** A store for `await using`: it is closed where its scope ends. */
export type OpenedStore = OverrideStore & AsyncDisposable

/**
 * Opens the store of overrides that the flags mean: `--store`, `KK_STORE`, else one for each context in kk's state directory.
 * Undefined where there is none yet; nothing is loaded then. Rejects with `KK_FILE` when one was named that is missing,
 * for without it the cluster would lose what the deployer overrides.
 */
export async function openStoreToDeploy(
  flags: StoreFlags,
  environment: Environment | undefined,
): Promise<OpenedStore | undefined> {
  if (!isMissing(flags, environment)) return openAloud(flags, environment)
  const named = namedStore(flags)
  if (named === undefined) return undefined
  throw new KkError('KK_FILE', `there is no store of overrides at ${named}`, {
    hint: 'correct --store or KK_STORE; the first kk overrides update makes a store',
  })
}

/** Opens the store to look at it: a store that is missing is an empty one, and is not made. */
export async function openStoreToRead(
  flags: StoreFlags,
  environment: Environment | undefined,
): Promise<OpenedStore | undefined> {
  return isMissing(flags, environment) ? undefined : open(flags, environment)
}

/** Opens the store to change it; it is made where it is missing. Whatever is to be asked before a change is asked here. */
export async function openStoreToChange(
  flags: StoreFlags,
  environment: Environment | undefined,
): Promise<OpenedStore> {
  return openAloud(flags, environment)
}

/** Returns where the store is, for people; without a password. */
export function storePlace(flags: StoreFlags, environment: Environment | undefined): string {
  return locationText(locationOf(flags, environment))
}

/** Asks the store that plans are made with for the changes of one chart's overrides. */
export function historyIn(flags: StoreFlags, environment: Environment): HistoryOf {
  return async (name, namespace) => {
    await using store = await openStoreToRead(flags, environment)
    return (await store?.audit({name, namespace})) ?? []
  }
}

interface Binding extends Pick<StoreUse, 'identity' | 'isAdopted' | 'isThrowaway'> {
  /** UID of its namespace `kube-system`. */
  readonly cluster: string
}

/** Notes down which cluster the store in use belongs to; nothing is opened where it is known. */
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

/** Warns of a key that others can read; not where the store is only read, which a deploy does once more. */
async function openAloud(flags: StoreFlags, environment: Environment | undefined): Promise<OpenedStore> {
  const warning = keyFileWarning(process.env)
  if (warning !== undefined) tell('stderr', `${warning}\n`)
  return open(flags, environment)
}

async function open(flags: StoreFlags, environment: Environment | undefined): Promise<OpenedStore> {
  const {openStore} = await import('../../overrides/user/open.ts')
  const name = storeName(flags, environment)
  const store = await openStore({location: namedStore(flags), name, env: process.env})
  return {...store, [Symbol.asyncDispose]: () => store.close()}
}

function isMissing(flags: StoreFlags, environment: Environment | undefined): boolean {
  const location = locationOf(flags, environment)
  return location.kind === 'sqlite' && !existsSync(location.path)
}

function locationOf(flags: StoreFlags, environment: Environment | undefined) {
  const name = storeName(flags, environment)
  return storeLocation({location: namedStore(flags), name, env: process.env})
}

function namedStore({store}: StoreFlags): string | undefined {
  return store ?? (process.env.KK_STORE || undefined)
}

/** One store for each context that is named, and one for the kubeconfig's current one; as the name of a file. */
function storeName(flags: StoreFlags, environment: Environment | undefined): string {
  const {sandbox, 'sandbox-name': sandboxName} = flags
  if (sandbox || sandboxName !== undefined) return `sandbox-${sandboxName ?? DEFAULT_SANDBOX}`
  const context = flags.context ?? (process.env.KK_CONTEXT || undefined) ?? environment?.context
  return context === undefined ? 'default' : `context-${encodeURIComponent(context)}`
}
