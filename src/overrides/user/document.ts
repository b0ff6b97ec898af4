import {KkError} from '../../base/errors.ts'
import {suggest} from '../../base/suggest.ts'
import {isMap, type Values} from '../../base/values.ts'
import {holdsMask} from '../../redact/values.ts'
import {readOnlyYaml} from '../../yaml/yaml.ts'
import {blockYaml} from '../overrides-yaml.ts'
import {expectStorable} from '../storable.ts'
import {isSealed} from './cipher.ts'
import type {OverrideStore, StoredSecret, StoreIdentity} from './store.ts'
import {storedValues} from './stored-values.ts'

/** Overrides of one chart in one namespace: values, or the encrypted string as stored. */
export interface DocumentOverrides {
  readonly name: string
  readonly namespace: string
  readonly overrides: Values | string
}

/** A store as one YAML document, for backup and Git. */
export interface StoreDocument {
  readonly identity: StoreIdentity | undefined
  readonly overrides: readonly DocumentOverrides[]
  readonly secrets: readonly StoredSecret[]
}

const VERSION = 1
/**
 * The maximum number of values, more than any cloud has; a server that reads them answers no other request
 * in the meantime.
 */
const MAX_VALUES = 500_000
const KEYS = ['version', 'store', 'cluster', 'state', 'overrides', 'secrets']

export function storeDocumentYaml({identity, overrides, secrets}: StoreDocument): string {
  const head = [
    '# Overrides of a store of kk: chart, namespace, values. Read by `kk overrides import`.',
    `version: ${VERSION}`,
    ...(identity ? [`store: ${JSON.stringify(identity.id)}`] : []),
    ...(identity?.cluster === undefined ? [] : [`cluster: ${JSON.stringify(identity.cluster)}`]),
    ...(identity ? [`state: ${identity.state}`] : []),
  ]
  const body = {overrides: nested(overrides.map((each) => [each.name, each.namespace, each.overrides]))}
  const secretValues = {secrets: nested(secrets.map((each) => [each.namespace, each.name, each.value]))}
  return `${head.join('\n')}\n${blockYaml(body)}${secrets.length === 0 ? '' : blockYaml(secretValues)}`
}

function nested(entries: readonly (readonly [outer: string, inner: string, value: unknown])[]): Values {
  const groups = Map.groupBy(entries, ([outer]) => outer)
  return Object.fromEntries(
    [...groups].map(([outer, group]) => [
      outer,
      Object.fromEntries(group.map(([, inner, value]) => [inner, value])),
    ]),
  )
}

/**
 * Reads and validates a document. Throws `KK_YAML`, or `KK_VALUES` with the path of the first invalid value.
 */
export function readStoreDocument(text: string, file: string): StoreDocument {
  if ((text.match(/[\n,]/g)?.length ?? 0) > MAX_VALUES)
    throw refused(file, `expected at most ${MAX_VALUES} lines and commas, which take a while to read`)
  const root = mapAt(readOnlyYaml(text, {file, duplicates: 'error', integers: 'error'}), file, 'the document')
  for (const key of Object.keys(root)) if (!KEYS.includes(key)) throw unknownKey(file, key)
  if (root.version !== VERSION) {
    throw refused(file, `version: expected ${VERSION}, got ${JSON.stringify(root.version)}`)
  }
  return {
    identity: identityIn(root, file),
    overrides: listEntries(root.overrides, file, 'overrides').map(([name, namespace, value]) => ({
      name,
      namespace,
      overrides: overridesAt(value, file, `overrides.${name}.${namespace}`),
    })),
    secrets: listEntries(root.secrets, file, 'secrets').map(([namespace, name, value]) => {
      if (typeof value !== 'string' || value === '')
        throw refused(file, `secrets.${namespace}.${name}: expected a string`)
      return {name, namespace, value}
    }),
  }
}

function identityIn({store, cluster, state}: Values, file: string): StoreIdentity | undefined {
  if (store === undefined && cluster === undefined && state === undefined) return undefined
  if (typeof store !== 'string' || !/^[0-9a-f-]{36}$/.test(store))
    throw refused(file, 'store: expected the UUID of a store')
  if (cluster !== undefined && typeof cluster !== 'string')
    throw refused(file, 'cluster: expected the UID of a cluster')
  if (!Number.isSafeInteger(state) || (state as number) < 0)
    throw refused(file, 'state: expected a number of changes')
  return {id: store, cluster, state: state as number}
}

function listEntries(
  value: unknown,
  file: string,
  path: string,
): [outer: string, inner: string, value: unknown][] {
  return Object.entries(mapAt(value ?? {}, file, path)).flatMap(([outer, inside]) =>
    Object.entries(mapAt(inside, file, `${path}.${outer}`)).map(
      ([inner, each]): [string, string, unknown] => [outer, inner, each],
    ),
  )
}

function overridesAt(value: unknown, file: string, path: string): Values | string {
  if (typeof value === 'string' && isSealed(value)) return value
  const values = mapAt(value, file, path)
  expectStorable(values, `${file}: ${path}`)
  if (holdsMask(values)) throw refused(file, `${path}: got *** for a secret, as displays show it`)
  return values
}

function mapAt(value: unknown, file: string, path: string): Values {
  if (isMap(value)) return value
  throw refused(file, `${path}: expected a map`)
}

function unknownKey(file: string, key: string): KkError {
  const suggestion = suggest(key, KEYS)
  return refused(file, `unknown key ${key}${suggestion === undefined ? '' : `; did you mean ${suggestion}?`}`)
}

function refused(file: string, problem: string): KkError {
  return new KkError('KK_VALUES', `${file}: ${problem}`, {
    hint: 'expected a document of `kk overrides export`; nothing was changed',
  })
}

interface ExportOptions {
  /**
   * Decrypts overrides and includes generated secrets; without it, overrides stay encrypted and secrets are
   * omitted.
   */
  readonly secrets?: boolean
}

/**
 * Returns the content of the store as one YAML document, without history. Needs the key only with `secrets`,
 * or to list encrypted overrides.
 */
export async function exportStore(
  store: Pick<OverrideStore, 'list' | 'identity' | 'secrets'>,
  {secrets = false}: ExportOptions = {},
): Promise<string> {
  const overrides = await store.list()
  return storeDocumentYaml({
    identity: await store.identity(),
    overrides: overrides.map((each) => ({
      name: each.name,
      namespace: each.namespace,
      overrides: secrets ? storedValues(each) : (each.sealed ?? storedValues(each)),
    })),
    secrets: secrets ? await store.secrets() : [],
  })
}
