import {isMap} from '../../base/values.ts'
import {type ExplainedKey, explain, type Statement} from '../../overrides/explain.ts'
import {mergedValues} from '../../overrides/layers.ts'
import {userLayer, withAuthors} from '../../overrides/layers-of-place.ts'
import {pathsToMask} from '../../overrides/secret-values.ts'
import {expectActive} from '../../overrides/system/active.ts'
import {looksSecretPath} from '../../redact/looks-secret.ts'
import {redactPlaces, redactValue, redactWhole, type ValuePath} from '../../redact/values.ts'
import type {OverrideOptions} from './override-base.ts'

interface ExplainOptions {
  readonly name: string
  readonly namespace: string
  readonly showSecrets?: boolean
}

/**
 * Returns for every value above the chart's defaults the layer that won; for user overrides, also who set it,
 * and when.
 */
export async function explainOverrides(
  {base, store}: Pick<OverrideOptions, 'base' | 'store'>,
  {name, namespace, showSecrets = false}: ExplainOptions,
): Promise<readonly ExplainedKey[]> {
  expectActive(await base.active(), name, namespace)
  const [below, stored, history, paths] = await Promise.all([
    base.layers(name, namespace),
    store.get(name, namespace),
    store.audit({name, namespace}),
    base.secretPaths(name),
  ])
  const layers = [...below, withAuthors(userLayer(name, namespace, stored), history)]
  const keys = explain(layers, mergedValues(layers))
  const places = pathsToMask(layers, paths)
  return showSecrets ? keys : keys.map((key) => maskedKey(key, places))
}

/** Returns the key with its secrets masked: values that look secret, and values at known secret paths. */
export function maskedKey(key: ExplainedKey, places: readonly ValuePath[]): ExplainedKey {
  const isKnown = places.some((place) => isBelow(key.path, place))
  const within = places
    .filter((place) => isBelow(place, key.path))
    .map((place) => place.slice(key.path.length))
  const shown = (value: unknown) => {
    if (isKnown) return redactWhole(value)
    const masked = redactValue(value, looksSecretPath(key.path, value), key.path.at(-1))
    return isMap(masked) ? redactPlaces(masked, within) : masked
  }
  const statement = (each: Statement): Statement => ({...each, value: shown(each.value)})
  return {
    ...key,
    value: shown(key.value),
    winner: key.winner && statement(key.winner),
    lost: key.lost.map(statement),
  }
}

/** Returns true if `outer` is a prefix of `inner`, or both are the same. */
function isBelow(inner: ValuePath, outer: ValuePath): boolean {
  return outer.every((step, at) => inner[at] === step)
}
