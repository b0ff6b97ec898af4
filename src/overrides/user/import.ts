import {isDeepStrictEqual} from 'node:util'
import {isMap} from '../../base/values.ts'
import {secretsAmong} from '../../redact/values.ts'
import {blockYaml} from '../overrides-yaml.ts'
import {type DocumentOverrides, readStoreDocument} from './document.ts'
import type {OverrideChange, OverrideStore, StoredOverrides, StoredSecret, StoreIdentity} from './store.ts'
import {storedValues} from './stored-values.ts'

interface ImportOptions {
  readonly who: string
  /** The name of the document in messages. */
  readonly file: string
  /** Deletes overrides that the document does not have. */
  readonly prune?: boolean
  /** Nothing is written. */
  readonly dryRun?: boolean
  /** Throws for a chart or a namespace that should have no overrides. */
  readonly expectPlace?: (name: string, namespace: string) => void
  /** Rejects if the planned changes are not acceptable. */
  readonly expectPlan?: (planned: PlannedImport) => Promise<void>
}

/** The changes of an import. */
export interface Imported {
  readonly overrides: readonly OverrideChange[]
  /** Generated secrets that are added or replaced. */
  readonly secrets: readonly Omit<StoredSecret, 'value'>[]
  /** The id that this store takes over; undefined if it keeps its own. */
  readonly becomes: string | undefined
}

/** The changes of an import before they are written. */
export interface PlannedImport extends Imported {
  /** Returns the present overrides. */
  readonly before: (name: string, namespace: string) => StoredOverrides | undefined
}

export type ImportStore = Pick<OverrideStore, 'list' | 'secrets' | 'identity' | 'putAll'>

/**
 * Writes a document of `exportStore` in one transaction, after validating all of it. Returns the changes.
 * Existing overrides and secrets are replaced. A store that was never written takes over the identity of the
 * exported one. Rejects with `KK_YAML`, `KK_VALUES`, `KK_STORE_CONFLICT`, and with the errors of
 * `expectPlace` and `expectPlan`.
 */
export async function importStore(
  store: ImportStore,
  text: string,
  {who, file, prune = false, dryRun = false, expectPlace = () => {}, expectPlan}: ImportOptions,
): Promise<Imported> {
  const {identity, overrides, secrets} = readStoreDocument(text, file)
  for (const {name, namespace} of overrides) expectPlace(name, namespace)
  const present = new Map((await store.list()).map((each) => [placeKey(each), each]))
  const wanted = new Map(overrides.map((each) => [placeKey(each), each]))
  const deleted = prune ? [...present.values()].filter((each) => !wanted.has(placeKey(each))) : []
  const changes = [
    ...overrides
      .filter((each) => !isThere(each, present.get(placeKey(each))))
      .map((each) => changeTo(each, present.get(placeKey(each)), who)),
    ...deleted.map(
      ({name, namespace, etag}): OverrideChange => ({
        name,
        namespace,
        who,
        expected: etag,
        userOverrides: null,
        secret: false,
      }),
    ),
  ]
  const imported = {
    overrides: changes,
    secrets: await newSecrets(store, secrets),
    becomes: identity && (await becoming(store, identity)),
  }
  const before = (name: string, namespace: string) => present.get(placeKey({name, namespace}))
  await expectPlan?.({...imported, before})
  if (!dryRun) await store.putAll({changes, secrets, identity})
  return imported
}

/**
 * Returns the secrets that are not stored with the same value. Stored ones are only read if there are some to
 * compare.
 */
async function newSecrets(
  store: Pick<ImportStore, 'secrets'>,
  secrets: readonly StoredSecret[],
): Promise<Imported['secrets']> {
  if (secrets.length === 0) return []
  const present = new Map((await store.secrets()).map((each) => [placeKey(each), each.value]))
  return secrets
    .filter((each) => present.get(placeKey(each)) !== each.value)
    .map(({name, namespace}) => ({name, namespace}))
}

/** Returns the id that this store takes over, as in `putAll`. */
async function becoming(
  store: Pick<ImportStore, 'identity'>,
  {id}: StoreIdentity,
): Promise<string | undefined> {
  const present = await store.identity()
  return present.state === 0 && present.cluster === undefined && present.id !== id ? id : undefined
}

function changeTo(
  {name, namespace, overrides}: DocumentOverrides,
  present: StoredOverrides | undefined,
  who: string,
): OverrideChange {
  const isText = typeof overrides === 'string'
  const userOverrides = isText ? overrides : blockYaml(overrides)
  const secretAt = isText ? [] : secretsAmong(overrides, [])
  // The document does not mark secrets, but names of keys do; and any encrypted value may be one.
  const wasSecret = present?.sealed !== undefined && (isText || sharesPlace(storedValues(present), overrides))
  const secret = wasSecret || secretAt.length > 0
  return {name, namespace, who, userOverrides, expected: present?.etag, secret, secretAt}
}

/** Returns true if two values have a value under the same key. */
function sharesPlace(one: unknown, other: unknown): boolean {
  if (!isMap(one) || !isMap(other)) return true
  return Object.entries(other).some(([key, value]) => Object.hasOwn(one, key) && sharesPlace(one[key], value))
}

function isThere({overrides}: DocumentOverrides, present: StoredOverrides | undefined): boolean {
  if (present === undefined) return false
  if (typeof overrides === 'string') return overrides === present.sealed
  return isDeepStrictEqual(storedValues(present), overrides)
}

function placeKey({name, namespace}: {readonly name: string; readonly namespace: string}): string {
  return JSON.stringify([name, namespace])
}
