import {mergeValues} from '../../../base/merge.ts'
import {componentsOf} from '../../../charts/components-of.ts'
import {defaultValues} from '../../../charts/default-values.ts'
import {isInferred} from '../../../graph/graph.ts'
import {mergedValues} from '../../../overrides/layers.ts'
import {wantsOf} from '../../../prepare/inference/manifests/wants-of.ts'
import type {Prepared} from '../../../prepare/prepare.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../../../release.ts'
import type {ChartFault} from '../chart-fault.ts'
import type {ExaminedRelease} from '../examined-release.ts'

/**
 * Returns the components that, according to the values of an openstack-helm chart, wait for another release,
 * although no rendered object does. The rendered objects decide, but a value may disable a component
 * unintentionally.
 */
export function valuesDiffer(
  prepared: Pick<Prepared, 'graph' | 'releases'>,
  examined: readonly Pick<ExaminedRelease, 'release' | 'objects'>[],
): readonly ChartFault[] {
  const waits = new Map(examined.map(({release, objects}) => [release, waitedFor(release, objects)]))
  return prepared.graph.releases.flatMap((release) => {
    const required = requiredBy(prepared, release)
    const waited = waits.get(release)
    return required === undefined || waited === undefined
      ? []
      : faultsOf(prepared, release, {required, waited})
  })
}

/** Returns the names that a release waits for, served or not. */
function waitedFor(release: ReleaseId, objects: ExaminedRelease['objects']): ReadonlySet<string> {
  const wants = wantsOf(objects, releaseNamespace(release)).filter(({kind}) => kind !== 'soft')
  return new Set(
    wants.flatMap(({target}) => {
      if (target.what === 'pods') return Object.values(target.labels)
      return target.what === 'object' ? [target.name] : []
    }),
  )
}

/** Returns the releases that a release requires; undefined if its requirements are not inferred. */
function requiredBy({graph, releases}: Pick<Prepared, 'graph' | 'releases'>, release: ReleaseId) {
  const edges = graph.requirements.get(release) ?? []
  const isOurs = releases.has(release)
  return isOurs && edges.some((edge) => isInferred(edge)) ? new Set(edges.map(({to}) => to)) : undefined
}

function faultsOf(
  {releases}: Pick<Prepared, 'releases'>,
  release: ReleaseId,
  {required, waited}: {readonly required: ReadonlySet<ReleaseId>; readonly waited: ReadonlySet<string>},
): readonly ChartFault[] {
  const {chart, layers} = releases.get(release)!
  const near = [...releases.keys()].filter((each) => releaseNamespace(each) === releaseNamespace(release))
  const byName = new Map(near.map((each) => [releaseName(each), each]))
  const components = componentsOf({
    values: mergeValues(defaultValues(chart.directory), mergedValues(layers)),
    chart: chart.name,
    names: [...byName.keys()],
  })
  return components.flatMap(({name, requires}) =>
    requires
      .filter(({kind, chart: provider}) => kind === 'ready' && provider !== undefined)
      .filter(({chart: provider}) => !required.has(byName.get(provider!)!))
      .filter(({what}) => !what.split(/[\s:=,/]+/).some((word) => waited.has(word)))
      .map(({what, chart: provider}) => ({
        check: 'values',
        level: 'info' as const,
        release,
        what: `the values of ${releaseName(release)} specify that ${name} waits for ${what}, but no rendered object waits for ${provider}`,
        advice: `if it needs ${provider} anyway: kk.releases.${releaseName(release)}: {requires: [${provider}]}`,
      })),
  )
}
