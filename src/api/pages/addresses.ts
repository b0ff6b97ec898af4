import type {ChartPlace} from '../../overrides/user/store.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../../release.ts'

/** Returns the address of a chart's page with query parameters. */
export function chartAddress(
  {name, namespace}: ChartPlace,
  query: Readonly<Record<string, string>> = {},
): string {
  return `/charts/${encodeURIComponent(name)}?${new URLSearchParams({namespace, ...query})}`
}

/** Returns the address of a release's page. */
export function releaseAddress(release: ReleaseId): string {
  return `/releases/${[releaseNamespace(release), releaseName(release)].map(encodeURIComponent).join('/')}`
}

/** Returns the address of a run's page. */
export function runAddress(id: string): string {
  return `/runs/${encodeURIComponent(id)}`
}
