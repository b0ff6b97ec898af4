import type {Deployed} from '../audit/gather.ts'
import {type Environment, namespacesOf} from '../environment/environment.ts'
import type {Cluster} from '../kubernetes/cluster.ts'
import {isInstalled} from '../kubernetes/records/record.ts'
import {readLabels, usesLabel} from '../plan/labels.ts'
import {recordedChart} from '../plan/recorded-chart.ts'
import {releaseName, releaseNamespace} from '../release.ts'

/**
 * Returns the releases of the environment in its namespaces, and those of other environments that they use,
 * directly or not. Those of an unknown owner count, too.
 */
export async function deployedReleases(
  {records}: Pick<Cluster, 'records'>,
  environment: Environment,
): Promise<readonly Deployed[]> {
  const namespaces = namespacesOf(environment)
  const all = (await Promise.all(namespaces.map((each) => records.list(each)))).flat().filter(isInstalled)
  const byLabel = new Map(all.map((record) => [usesLabel(record.release), record]))
  const isOwn = (owner: string | undefined) => owner === undefined || owner === environment.name
  const reached = new Set(all.filter(({labels}) => isOwn(readLabels(labels)?.owner)))
  for (const {labels} of reached)
    for (const label of readLabels(labels)?.uses.keys() ?? []) {
      const used = byLabel.get(label)
      if (used) reached.add(used)
    }
  const deployed = [...reached].map((record): Deployed => {
    const {release, labels} = record
    const known = readLabels(labels)
    const name = releaseName(release)
    const chart =
      known?.chart === undefined
        ? (environment.releases.get(name)?.chart ?? name)
        : recordedChart(release, record).name
    return {namespace: releaseNamespace(release), name: known?.section ?? name, chart}
  })
  return [...new Map(deployed.map((each) => [`${each.namespace}/${each.name}`, each])).values()]
}
