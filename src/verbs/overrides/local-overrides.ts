import {blockYaml, systemYaml} from '../../overrides/format/overrides-yaml.ts'
import type {Layer} from '../../overrides/layer.ts'
import {mergedValues} from '../../overrides/layers.ts'
import {mergeValues} from '../../overrides/merge.ts'
import {maskSecrets, secretPlaces} from '../../overrides/secrets/secret-values.ts'
import type {OverrideService, ShownOverrides} from '../../overrides/service.ts'
import {expectActive} from '../../overrides/system/active.ts'
import {etagOf, keptValues} from '../../overrides/user/stored-values.ts'
import type {Values} from '../../release.ts'
import {deleteOverrides, updateStored} from './change-overrides.ts'
import {explainOverrides} from './explain-overrides.ts'
import {exportOverrides} from './export-overrides.ts'
import {overridesHistory} from './history.ts'
import {importOverrides} from './import-overrides.ts'
import type {OverrideWorld} from './override-world.ts'

/** Overrides straight from the store; what lies below the deployer's comes from `base`. */
export function localOverrides(options: OverrideWorld): OverrideService {
  return {
    charts: () => options.base.active(),
    show: (name, namespace, how = {}) => show(options, {name, namespace, ...how}),
    explain: (name, namespace, how = {}) => explainOverrides(options, {name, namespace, ...how}),
    update: (name, namespace, change) => updateStored(options, {name, namespace}, change),
    delete: (name, namespace, how = {}) => deleteOverrides(options, {name, namespace, ...how}),
    history: (of, {showSecrets = false, ...page} = {}) =>
      overridesHistory(options.store, {of, showSecrets, secretPaths: options.base.secretPaths, ...page}),
    export: (how) => exportOverrides(options, how),
    import: (document, how) => importOverrides(options, document, how),
  }
}

interface Shown {
  readonly name: string
  readonly namespace: string
  readonly showSecrets?: boolean
}

async function show(
  {base, store}: OverrideWorld,
  {name, namespace, showSecrets = false}: Shown,
): ReturnType<OverrideService['show']> {
  expectActive(await base.active(), name, namespace)
  const [layers, stored, paths] = await Promise.all([
    base.layers(name, namespace),
    store.get(name, namespace),
    base.secretPaths(name),
  ])
  const etag = etagOf(stored)
  const known = made.get(layers)?.get(showSecrets)
  if (known && known.etag === etag) return known
  const system = mergedValues(layers.filter((layer) => layer.name === 'system'))
  const user = keptValues(stored)
  const places = secretPlaces([user], paths)
  const shown = (values: Values) => (showSecrets ? values : maskSecrets(values, places))
  const fresh: ShownOverrides = {
    name,
    namespace,
    systemOverrides: systemYaml(shown(system)),
    userOverrides: blockYaml(shown(user.values)),
    combinedOverrides: blockYaml(shown(mergeValues(mergedValues(layers), user.values))),
    etag,
  }
  made.set(layers, (made.get(layers) ?? new Map()).set(showSecrets, fresh))
  return fresh
}

/**
 * What was last made of these layers, with and without secrets: a service is asked for the same again and again, and
 * writing YAML is most of its work. Layers never change, and the etag tells whether the overrides on them did.
 */
const made = new WeakMap<readonly Layer[], Map<boolean, ShownOverrides>>()
