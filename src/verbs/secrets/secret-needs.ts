import {isMap} from '../../base/values.ts'
import {mergedValues} from '../../overrides/layers.ts'
import type {SecretNeed} from '../../overrides/system/plugin.ts'
import {certificateNeeds, wantsTls} from '../../overrides/tls/certificate-need.ts'
import type {Certifier} from '../../overrides/tls/certificates.ts'
import {sectionId} from '../../prepare/gathering/load-charts.ts'
import type {Prepared, PreparedRelease} from '../../prepare/prepare.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../../release.ts'

/**
 * The secrets of each release to generate: those that its chart reads, no layer states, and no setting
 * disables.
 */
export type SecretNeeds = ReadonlyMap<ReleaseId, readonly SecretNeed[]>

/** Returns the secrets that releases need, if any. Values of null or "" count as stated. */
export async function secretNeeds({
  environment,
  releases,
  plugins,
}: Pick<Prepared, 'environment' | 'plugins'> & {
  readonly releases: ReadonlyMap<ReleaseId, Pick<PreparedRelease, 'chart' | 'layers'>>
}): Promise<SecretNeeds> {
  const needs = new Map<ReleaseId, readonly SecretNeed[]>()
  let certifierOf: ((authority: string) => Certifier) | undefined
  for (const [release, {chart, layers}] of releases) {
    if (!isSupplied(environment, release)) continue
    const {secrets = []} = (await plugins.find(chart)) ?? {}
    const spoken = plugins.dialectChart(chart)
    if (secrets.length === 0 && spoken.dialect !== 'kk') continue
    const values = mergedValues(layers)
    const unstated = secrets.filter(({path}) => !isStated(values, path))
    if (wantsTls(values)) {
      certifierOf ??= await loadCertifiers()
      const place = {
        release: releaseName(sectionId(environment, release)),
        namespace: releaseNamespace(release),
        values,
      }
      unstated.push(...certificateNeeds(spoken, place, certifierOf))
    }
    if (unstated.length > 0) needs.set(release, unstated)
  }
  return needs
}

/** Loads the code that makes certificates; each authority is parsed once. */
async function loadCertifiers(): Promise<(authority: string) => Certifier> {
  const {certifier} = await import('../../overrides/tls/certificates.ts')
  const certifiers = new Map<string, Certifier>()
  return (authority) => {
    const cached = certifiers.get(authority) ?? certifier(authority)
    certifiers.set(authority, cached)
    return cached
  }
}

/** Returns true if kk may supply a release with secrets that the environment does not state. */
export function isSupplied({releases, secrets}: Prepared['environment'], release: ReleaseId): boolean {
  return releases.get(releaseName(release))?.secrets ?? secrets
}

/** Returns true if a path has a value, also if a parent is not a map. */
export function isStated(value: unknown, [key, ...rest]: readonly string[]): boolean {
  if (key === undefined || !isMap(value)) return true
  return Object.hasOwn(value, key) && isStated(value[key], rest)
}
