import {mapParallel} from '../../base/parallel.ts'
import {textAt} from '../../base/values.ts'
import {order} from '../../graph/order.ts'
import type {Records} from '../../kubernetes/records/records.ts'
import type {SecretRecord} from '../../kubernetes/records/secret-store.ts'
import type {Prepared} from '../../prepare/prepare.ts'
import {releaseNamespace} from '../../release.ts'
import type {SecretNeeds} from './secret-needs.ts'
import type {KnownSecrets} from './supply-secrets.ts'

/**
 * Returns the secrets among `lacking` that running releases use, from their last revisions: secrets that are
 * missing in the cluster's Secret, or that kk never stored. Defaults of charts and derived values are not
 * secrets in use. If releases have different values, the first release in the order of the plan wins. Throws
 * `KK_RECORD`.
 */
export async function secretsInUse(
  {graph, releases, plugins}: Pick<Prepared, 'graph' | 'releases' | 'plugins'>,
  lacking: SecretNeeds,
  cluster: {readonly records: Records},
): Promise<KnownSecrets> {
  const namespaces = [...new Set([...lacking.keys()].map(releaseNamespace))]
  const records = await mapParallel(namespaces, (namespace) => cluster.records.list(namespace))
  const last = records.flat().filter(({release}) => lacking.has(release))
  const read = await mapParallel(
    last,
    async ({release, revision}) =>
      [release, (await cluster.records.stored(release, revision))?.values ?? {}] as const,
  )
  const valuesByRelease = new Map(read)
  const secretsByNamespace = new Map(
    namespaces.map((namespace) => [namespace, new Map<string, SecretRecord>()]),
  )
  for (const release of order(graph).filter((each) => valuesByRelease.has(each))) {
    const secrets = secretsByNamespace.get(releaseNamespace(release))!
    const defaults = plugins.dialectChart(releases.get(release)!.chart).values
    for (const {name, kind, path, derive} of lacking.get(release)!) {
      const value = textAt(valuesByRelease.get(release)!, path)
      if (derive || value === undefined || value === textAt(defaults, path) || secrets.has(name)) continue
      secrets.set(name, {value, kind, since: undefined})
    }
  }
  return secretsByNamespace
}
