import {readYaml} from '../../helm/yaml.ts'
import type {Values} from '../../release.ts'
import type {StoredOverrides} from './store.ts'

/** The values that are stored; none after a deletion. Throws `KK_YAML` where somebody wrote something else there. */
export function storedValues(stored: StoredOverrides | undefined): Values {
  if (!stored?.userOverrides) return {}
  const {name, namespace, userOverrides} = stored
  return (readYaml(userOverrides, {file: `the stored overrides of ${name} in ${namespace}`}) ?? {}) as Values
}

/** The same as a layer is: with whether they are encrypted. */
export function keptValues(stored: StoredOverrides | undefined): {values: Values; sealed: boolean} {
  return {values: storedValues(stored), sealed: stored?.sealed !== undefined}
}

/** By which a later change says what it was made from; undefined where there are no overrides. */
export function etagOf(stored: StoredOverrides | undefined): string | undefined {
  return stored?.userOverrides ? stored.etag : undefined
}
