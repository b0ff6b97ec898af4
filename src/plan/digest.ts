import {hash} from 'node:crypto'
import {oncePerObject} from '../base/once.ts'
import {isEmpty, type Values} from '../base/values.ts'
import {LAYERS, type Layer} from '../overrides/layer.ts'
import type {DesiredRelease, LayerDigest} from './desired.ts'

/** The version of the digests. It is raised if a newer kk must deploy equal inputs again. */
export const SCHEMA = 1

/** Returns the same string for equal data, regardless of the order of keys. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner === 'bigint') return `${inner}n`
    if (typeof inner === 'number' && !Number.isFinite(inner)) return String(inner)
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner
    // Entries instead of an object, because JavaScript sorts keys that look like integers before all others.
    return {entries: Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))}
  })
}

/** Returns the SHA-256 over the canonical JSON of a value, as 64 hex digits. */
export function digest(value: unknown): string {
  return hash('sha256', canonicalJson(value))
}

/**
 * Returns one digest for each kind of layer with values for the release, over all layers of that kind in
 * order.
 */
export function layerDigests(layers: readonly Layer[]): readonly LayerDigest[] {
  return LAYERS.flatMap((name) => {
    const values = layers
      .filter((layer) => layer.name === name && !isEmpty(layer.values))
      .map((layer) => layer.values)
    return values.length === 0
      ? []
      : [{name, digest: hash('sha256', `[${values.map(canonicalLayer).join()}]`)}]
  })
}

/** The canonical JSON of a layer's values, cached because digests with further layers need it again. */
const canonicalLayer = oncePerObject<Values, string>(canonicalJson)

/**
 * The digest of flags that change rendering, 64 hex digits. No command has such a flag. The digest stays
 * among the inputs and on records: without it every deployed release would be upgraded, and no plan could
 * show why if `SCHEMA` is raised.
 */
export const FLAGS_DIGEST = digest({schema: SCHEMA, flags: {}})

/**
 * Returns the inputs digest over everything that determines a release, as 40 hex digits, so that it fits into
 * a label.
 */
export function inputsDigest(desired: DesiredRelease): string {
  const {release, owner, chart, layers, requirements} = desired
  return digest({
    release,
    owner,
    chart: chart.digest,
    layers,
    flags: FLAGS_DIGEST,
    requirements: requirements.map(({to, kind}) => `${to}:${kind}`).sort(),
  }).slice(0, 40)
}
