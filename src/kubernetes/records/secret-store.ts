import {hash} from 'node:crypto'
import type {Secret} from 'kubernetes-types/core/v1.js'
import {KkError} from '../../base/errors.ts'
import {isApiError} from '../api/api-error.ts'
import type {ApiClient} from '../api/client.ts'
import {listAll} from '../api/list.ts'
import {readObject, requestText, resourcePath, SECRETS} from '../api/resources.ts'
import type {Served} from '../api/served.ts'
import {createNamespace, KK_NAMESPACE} from '../lease/lease.ts'

/** A password or key that kk generated or imported, and stores in the cluster. */
export interface SecretRecord {
  readonly value: string
  /** The kind; undefined if another client created the secret, as is `since`. */
  readonly kind: string | undefined
  /** The time at which this value was generated or imported, ISO 8601. */
  readonly since: string | undefined
  /** Marks of former values, newest first (`secretMark`), by which a value that was in use is recognised. */
  readonly former?: readonly string[]
  /** Whether it is a key of another Secret, that the environment names. */
  readonly isReferenced?: boolean
}

/**
 * Returns a mark of a value: a part of its digest, too short to guess the value by, because one in 4 billion
 * guesses has the same mark.
 */
export function secretMark(name: string, value: string): string {
  return hash('sha256', JSON.stringify([name, value])).slice(0, 8)
}

export interface NewSecret {
  readonly name: string
  readonly value: string
  readonly kind: string
}

export type SecretsByName = ReadonlyMap<string, SecretRecord>

/** Generated passwords and keys: one Secret in `kk-system` for each namespace. */
export interface SecretStore {
  /** Returns the secrets of the releases in a namespace; empty if there are none. */
  read(namespace: string): Promise<SecretsByName>
  /** Returns all secrets, by namespace. */
  list(): Promise<ReadonlyMap<string, SecretsByName>>
  /** Returns the keys of a Secret that another client keeps, decoded; undefined if there is none. */
  readOther(namespace: string, name: string): Promise<ReadonlyMap<string, string> | undefined>
  /**
   * Adds secrets and resolves with all that are stored afterwards. An existing secret is kept, also after a
   * concurrent write, unless `replace`.
   */
  add(
    namespace: string,
    secrets: readonly NewSecret[],
    options?: {readonly replace?: boolean},
  ): Promise<SecretsByName>
}

/** The maximum of attempts of a write; each failure means that another client has succeeded. */
const MAX_ATTEMPTS = 50

export function openSecretStore(client: ApiClient): SecretStore {
  return {
    read: async (namespace) => secretsIn(await read(client, namespace)),
    list: () => list(client),
    async readOther(namespace, name) {
      const secret = await readObject<Served<Secret>>(client, SECRETS, {namespace, name})
      return secret && new Map(Object.entries(secret.data ?? {}).map(([key, value]) => [key, decoded(value)]))
    },
    add: (namespace, secrets, {replace = false} = {}) => keep(client, {namespace, secrets, replace}),
  }
}

function read(client: ApiClient, namespace: string): Promise<Served<Secret> | undefined> {
  return readObject<Served<Secret>>(client, SECRETS, {namespace: KK_NAMESPACE, name: secretName(namespace)})
}

async function list(client: ApiClient): Promise<ReadonlyMap<string, SecretsByName>> {
  const {items} = await listAll<Served<Secret>>(client, {
    path: resourcePath(SECRETS, KK_NAMESPACE),
    query: {labelSelector: SECRETS_LABEL},
    summary: requestText('list', SECRETS, KK_NAMESPACE),
  })
  return new Map(items.map((item) => [item.metadata.labels?.[SECRETS_LABEL] ?? '', secretsIn(item)]))
}

interface Keeping {
  readonly namespace: string
  readonly secrets: readonly NewSecret[]
  readonly replace: boolean
}

async function keep(client: ApiClient, {namespace, secrets, replace}: Keeping): Promise<SecretsByName> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const existing = await read(client, namespace)
    const present = secretsIn(existing)
    const added = secrets.filter(({name}) => replace || !present.has(name))
    if (added.length === 0) return present
    const since = new Date(client.now()).toISOString()
    const all = new Map<string, SecretRecord>([
      ...present,
      ...added.map(
        ({name, value, kind}) => [name, {value, kind, since, ...formerMarks(name, present)}] as const,
      ),
    ])
    if (await write(client, secretObject(namespace, all, existing))) return all
  }
  throw new KkError(
    'KK_RACED',
    `the generated secrets of ${namespace} are continuously changed by other clients`,
    {
      hint: 'run the same command again',
    },
  )
}

/** The maximum of stored former values; a release that has missed so many changes is rare. */
const MAX_FORMER_MARKS = 8

/** Returns the marks of former values to store with a new value of a secret. */
export function formerMarks(name: string, present: SecretsByName): Pick<SecretRecord, 'former'> {
  const old = present.get(name)
  if (!old) return {}
  const former = [secretMark(name, old.value), ...(old.former ?? [])]
  return {former: former.slice(0, MAX_FORMER_MARKS)}
}

/** Creates the Secret, or replaces that resourceVersion; returns false if another client wrote it first. */
async function write(client: ApiClient, object: Served<Secret>): Promise<boolean> {
  const {name, resourceVersion} = object.metadata
  const isNew = resourceVersion === undefined
  const send = () =>
    client.json({
      method: isNew ? 'POST' : 'PUT',
      path: resourcePath(SECRETS, KK_NAMESPACE, isNew ? undefined : name),
      body: object,
      summary: requestText(isNew ? 'create' : 'update', SECRETS, KK_NAMESPACE, name),
    })
  try {
    await send().catch(async (error: unknown) => {
      if (!isNew || !isApiError(error, 404)) throw error
      await createNamespace(client)
      await send()
    })
    return true
  } catch (error) {
    if (isApiError(error, 404, 409)) return false
    throw error
  }
}

/** The label of a Secret of generated passwords: the namespace of their releases. */
const SECRETS_LABEL = 'kk.openstack.org/secrets-of'
/** The annotation with kind and age of each key, and marks of the values that it replaced, as JSON. */
const METADATA_ANNOTATION = 'kk.openstack.org/secrets-about'

type About = Readonly<Record<string, Partial<Pick<SecretRecord, 'kind' | 'since' | 'former'>>>>

function secretName(namespace: string): string {
  return `kk-secrets-${namespace}`
}

/** Returns the Secret with all secrets of a namespace; other fields of `existing` are kept. */
function secretObject(
  namespace: string,
  secrets: SecretsByName,
  existing: Served<Secret> | undefined,
): Served<Secret> {
  const about: About = Object.fromEntries(
    [...secrets].map(([name, {kind, since, former}]) => [name, {kind, since, former}]),
  )
  return {
    ...(existing ?? {apiVersion: 'v1', kind: 'Secret', type: 'Opaque'}),
    metadata: {
      name: secretName(namespace),
      namespace: KK_NAMESPACE,
      ...existing?.metadata,
      labels: {...existing?.metadata.labels, [SECRETS_LABEL]: namespace},
      annotations: {...existing?.metadata.annotations, [METADATA_ANNOTATION]: JSON.stringify(about)},
    },
    data: Object.fromEntries(
      [...secrets].map(([name, {value}]) => [name, Buffer.from(value).toString('base64')]),
    ),
  }
}

/** Returns the secrets in a Secret, by name; none if it is undefined. */
function secretsIn(secret: Served<Secret> | undefined): SecretsByName {
  const about = aboutIn(secret)
  return new Map(
    Object.entries(secret?.data ?? {}).map(([name, value]) => [
      name,
      {
        value: decoded(value),
        kind: about[name]?.kind,
        since: about[name]?.since,
        ...(about[name]?.former && {former: about[name].former}),
      },
    ]),
  )
}

function decoded(value: string): string {
  return Buffer.from(value, 'base64').toString()
}

/** Returns the annotation of a Secret; empty if it cannot be parsed, because the values still count. */
function aboutIn(secret: Served<Secret> | undefined): About {
  try {
    const about: unknown = JSON.parse(secret?.metadata.annotations?.[METADATA_ANNOTATION] ?? '{}')
    return typeof about === 'object' && about !== null ? (about as About) : {}
  } catch {
    return {}
  }
}
