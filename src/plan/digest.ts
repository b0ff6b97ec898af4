import {hash} from 'node:crypto'
import {LAYERS, type Layer} from '../overrides/layer.ts'
import type {DesiredRelease, LayerDigest} from './desired.ts'

/** Raised when the same inputs are to be deployed again by a newer kk. */
export const SCHEMA = 1

/** Returns one text for equal data, whatever the order of its keys. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner === 'bigint') return `${inner}n`
    if (typeof inner === 'number' && !Number.isFinite(inner)) return String(inner)
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner
    // Entries, not an object: JavaScript would sort keys that look like integers by its own rule.
    return {entries: Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))}
  })
}

/** SHA-256 over the canonical JSON of a value, 64 hex. */
export function digest(value: unknown): string {
  return hash('sha256', canonicalJson(value))
}

/** One digest for each kind of layer that gives the release anything, over all layers of that kind in their order. */
export function layerDigests(layers: readonly Layer[]): readonly LayerDigest[] {
  return LAYERS.flatMap((name) => {
    const values = layers
      .filter((layer) => layer.name === name && Object.keys(layer.values).length > 0)
      .map((layer) => layer.values)
    return values.length === 0 ? [] : [{name, digest: digest(values)}]
  })
}

/**
 * The digest of flags that change rendering, 64 hex. No command has such a flag; the digest keeps its place among the
 * inputs and on records, for without it every release that is deployed would be upgraded, and no plan could tell why
 * when `SCHEMA` is raised.
 */
export const FLAGS_DIGEST = digest({schema: SCHEMA, flags: {}})

/** The inputs digest, over all that decides a release; 40 hex, so that it fits into a label. */
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
