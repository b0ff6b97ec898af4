import {dig, digMaps, digText} from '../../../../base/dig.ts'
import {objectName, type RenderedObject} from '../../../../kubernetes/manifest/manifest.ts'
import {containersOf, podTemplate} from '../../../../kubernetes/manifest/pods.ts'
import {type ReleaseId, releaseNamespace} from '../../../../release.ts'
import type {ExaminedRelease} from '../../examined-release.ts'

/** The place of a value: an object of a release, and the key in it. */
export interface ValueLocation {
  readonly release: ReleaseId
  /** `Secret/nova-db-admin` */
  readonly object: string
  readonly file: string
  /** `DB_CONNECTION`, `nova.conf [database] connection`, `container api: OS_PASSWORD` */
  readonly key: string
}

/** The decoded string under a key of a Secret or a ConfigMap. */
export interface Entry {
  readonly place: ValueLocation
  readonly text: string
}

/** Values by name, each with its place: the variables of a container, or the keys of a Secret. */
export interface NamedValues {
  readonly release: ReleaseId
  readonly values: ReadonlyMap<string, Entry>
}

/** The values that the objects of an environment contain and pass to their containers. */
export interface ObjectValues {
  readonly entries: readonly Entry[]
  readonly secrets: readonly NamedValues[]
  readonly containers: readonly NamedValues[]
}

type Owned = RenderedObject & {readonly release: ReleaseId}

export function objectValues(
  releases: readonly Pick<ExaminedRelease, 'release' | 'objects'>[],
): ObjectValues {
  const objects = releases.flatMap(({release, objects}) => objects.map((each) => ({...each, release})))
  const holders = objects
    .filter(({object}) => object.kind === 'Secret' || object.kind === 'ConfigMap')
    .map((owned) => ({owned, values: valuesIn(owned)}))
  const byObject = new Map(holders.map(({owned, values}) => [addressOf(owned), values]))
  return {
    entries: holders.flatMap(({values}) => [...values.values()]),
    secrets: holders
      .filter(({owned}) => owned.object.kind === 'Secret')
      .map(({owned: {release}, values}) => ({release, values})),
    containers: objects.flatMap((owned) => variablesOf(owned, byObject)),
  }
}

function addressOf({object, release}: Owned): string {
  return `${object.metadata.namespace ?? releaseNamespace(release)} ${objectName(object)}`
}

function valuesIn({object, release, file}: Owned): ReadonlyMap<string, Entry> {
  const isSecret = object.kind === 'Secret'
  const plain = dig(object, isSecret ? 'stringData' : 'data') ?? {}
  const encoded = isSecret ? (dig(object, 'data') ?? {}) : {}
  const texts = [
    ...Object.entries(encoded).map(([key, value]) => [key, decoded(value)] as const),
    ...Object.entries(plain),
  ]
  return new Map(
    texts.flatMap(([key, text]) =>
      typeof text === 'string'
        ? [[key, {text, place: {release, object: objectName(object), file, key}}]]
        : [],
    ),
  )
}

function decoded(value: unknown): unknown {
  return typeof value === 'string' ? Buffer.from(value, 'base64').toString('utf8') : undefined
}

type Values = ReadonlyMap<string, Entry>

/** Returns the variables of each container of an object, as far as these charts set them. */
function variablesOf(owned: Owned, byObject: ReadonlyMap<string, Values>): readonly NamedValues[] {
  const {object, release, file} = owned
  const template = podTemplate(object)
  if (!template) return []
  const namespace = object.metadata.namespace ?? releaseNamespace(release)
  const valuesOf = (kind: string, name: unknown) => byObject.get(`${namespace} ${kind}/${name}`)
  return containersOf(template).map(({container, title}) => {
    const values = new Map<string, Entry>()
    for (const each of digMaps(container, 'envFrom')) {
      const source =
        valuesOf('Secret', dig(each, 'secretRef', 'name')) ??
        valuesOf('ConfigMap', dig(each, 'configMapRef', 'name'))
      for (const [name, entry] of source ?? []) values.set(`${digText(each, 'prefix') ?? ''}${name}`, entry)
    }
    for (const each of digMaps(container, 'env')) {
      const name = digText(each, 'name')
      const entry = entryOf(each, valuesOf)
      if (name === undefined || entry === undefined) continue
      const place = {release, object: objectName(object), file, key: `${title}: ${name}`}
      values.set(name, typeof entry === 'string' ? {text: entry, place} : entry)
    }
    return {release, values}
  })
}

function entryOf(
  variable: object,
  valuesOf: (kind: string, name: unknown) => Values | undefined,
): Entry | string | undefined {
  const value = digText(variable, 'value')
  if (value !== undefined) return value
  const secret = dig(variable, 'valueFrom', 'secretKeyRef')
  const reference = secret ?? dig(variable, 'valueFrom', 'configMapKeyRef')
  const kind = secret ? 'Secret' : 'ConfigMap'
  return valuesOf(kind, dig(reference, 'name'))?.get(String(dig(reference, 'key')))
}
