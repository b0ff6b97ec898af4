import {mergedValues} from '../../overrides/layers.ts'
import type {SecretNeed} from '../../overrides/system/plugin.ts'
import {isMap, type ReleaseId, releaseName} from '../../release.ts'
import type {Prepared, PreparedRelease} from '../preparation/prepare.ts'

/**
 * The generated secrets that each release needs: those that its chart reads, no layer states, and the environment does
 * not turn off.
 */
export type SecretNeeds = ReadonlyMap<ReleaseId, readonly SecretNeed[]>

/**
 * Returns the secrets that releases need; releases without any are left out. A value of null or "" counts as stated,
 * for it was written on purpose.
 */
export async function secretNeeds({
  environment,
  releases,
  plugins,
}: Pick<Prepared, 'environment' | 'plugins'> & {
  readonly releases: ReadonlyMap<ReleaseId, Pick<PreparedRelease, 'chart' | 'layers'>>
}): Promise<SecretNeeds> {
  const needs = new Map<ReleaseId, readonly SecretNeed[]>()
  for (const [release, {chart, layers}] of releases) {
    const {secrets = []} = (isSupplied(environment, release) ? await plugins.find(chart) : undefined) ?? {}
    if (secrets.length === 0) continue
    const values = mergedValues(layers)
    const unstated = secrets.filter(({path}) => !isStated(values, path))
    if (unstated.length > 0) needs.set(release, unstated)
  }
  return needs
}

/** Whether the environment lets kk give a release the secrets that it does not state. */
export function isSupplied({releases, secrets}: Prepared['environment'], release: ReleaseId): boolean {
  return releases.get(releaseName(release))?.secrets ?? secrets
}

/** Whether a path has a value; true also if something other than a map stands on the way. */
export function isStated(value: unknown, [key, ...rest]: readonly string[]): boolean {
  if (key === undefined || !isMap(value)) return true
  return Object.hasOwn(value, key) && isStated(value[key], rest)
}
