import {looksSecretPath} from '../../helm/redact/looks-secret.ts'
import {type ExplainedKey, explain, type Statement} from '../../overrides/explain/explain.ts'
import {mergedValues} from '../../overrides/layers.ts'
import {maskedValue} from '../../overrides/masked-values.ts'
import type {ValuePath} from '../../overrides/secrets.ts'
import {expectActive} from '../../overrides/system/active.ts'
import {saidBy, userLayer} from './layers-of-place.ts'
import type {OverrideWorld} from './override-world.ts'

interface Asked {
  readonly name: string
  readonly namespace: string
  readonly showSecrets?: boolean
}

/** For every value above the chart's defaults the layer that won: of the deployer's, who said it, and when. */
export async function explainOverrides(
  {base, store}: OverrideWorld,
  {name, namespace, showSecrets = false}: Asked,
): Promise<readonly ExplainedKey[]> {
  expectActive(await base.active(), name, namespace)
  const [below, stored, [last], paths] = await Promise.all([
    base.layers(name, namespace),
    store.get(name, namespace),
    store.audit({name, namespace}),
    base.secretPaths(name),
  ])
  const layers = [...below, saidBy(userLayer(name, namespace, stored), last)]
  const keys = explain(layers, mergedValues(layers))
  return showSecrets ? keys : keys.map((key) => maskedKey(key, paths))
}

/** The key with its secrets masked: those that look like some, and those at the places that plugins call secret. */
export function maskedKey(key: ExplainedKey, paths: readonly ValuePath[]): ExplainedKey {
  const isSecret =
    looksSecretPath(key.path) || paths.some((path) => path.every((step, at) => key.path[at] === step))
  const statement = (each: Statement): Statement => ({...each, value: maskedValue(each.value, isSecret)})
  return {
    ...key,
    value: maskedValue(key.value, isSecret),
    winner: key.winner && statement(key.winner),
    lost: key.lost.map(statement),
  }
}
