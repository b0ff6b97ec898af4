import {isDeepStrictEqual} from 'node:util'
import {blockYaml} from '../format/overrides-yaml.ts'
import {secretsAmong} from '../secrets/secret-values.ts'
import {type DocumentOverrides, readStoreDocument} from './document.ts'
import type {OverrideChange, OverrideStore, StoredOverrides} from './store.ts'
import {storedValues} from './stored-values.ts'

interface ImportOptions {
  readonly who: string
  /** What the document is called in messages. */
  readonly file: string
  /** Overrides that the document does not have are deleted. */
  readonly prune?: boolean
  /** Only says what would be changed. */
  readonly dryRun?: boolean
}

/**
 * Writes a document of `exportStore` in one transaction, after all of it was checked; gives what was changed. Overrides
 * and secrets that are there are replaced. A store to which nothing was ever written becomes the one that was exported.
 * Rejects with `KK_YAML`, `KK_VALUES`, `KK_STORE_CONFLICT`.
 */
export async function importStore(
  store: Pick<OverrideStore, 'list' | 'putAll'>,
  text: string,
  {who, file, prune = false, dryRun = false}: ImportOptions,
): Promise<readonly OverrideChange[]> {
  const {identity, overrides, secrets} = readStoreDocument(text, file)
  const present = new Map((await store.list()).map((each) => [keyOf(each), each]))
  const wanted = new Map(overrides.map((each) => [keyOf(each), each]))
  const gone = prune ? [...present.values()].filter((each) => !wanted.has(keyOf(each))) : []
  const changes = [
    ...overrides
      .filter((each) => !isThere(each, present.get(keyOf(each))))
      .map((each) => changeTo(each, present.get(keyOf(each)), who)),
    ...gone.map(
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
  if (!dryRun) await store.putAll({changes, secrets, identity})
  return changes
}

function changeTo(
  {name, namespace, overrides}: DocumentOverrides,
  present: StoredOverrides | undefined,
  who: string,
): OverrideChange {
  const userOverrides = typeof overrides === 'string' ? overrides : blockYaml(overrides)
  // What is encrypted stays so; the document does not say what is secret, but names of keys do.
  const secretAt = typeof overrides === 'string' ? [] : secretsAmong(overrides, [])
  const secret = present?.sealed !== undefined || secretAt.length > 0
  return {name, namespace, who, userOverrides, expected: present?.etag, secret, secretAt}
}

function isThere({overrides}: DocumentOverrides, present: StoredOverrides | undefined): boolean {
  if (present === undefined) return false
  if (typeof overrides === 'string') return overrides === present.sealed
  return isDeepStrictEqual(storedValues(present), overrides)
}

function keyOf({name, namespace}: {readonly name: string; readonly namespace: string}): string {
  return JSON.stringify([name, namespace])
}
