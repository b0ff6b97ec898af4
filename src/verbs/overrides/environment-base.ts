import {KkError} from '../../errors.ts'
import {activeCharts, expectActive} from '../../overrides/system/active.ts'
import type {Plugins} from '../../overrides/system/plugins.ts'
import {releaseName, releaseNamespace} from '../../release.ts'
import type {Prepared, PreparedRelease} from '../preparation/prepare.ts'
import {pathsOf} from './facts-base.ts'
import type {OverrideBase} from './override-world.ts'

/** With an environment: its releases say which charts are active, and its layers lie below the deployer's. */
export function environmentBase(prepared: Prepared, plugins: Plugins): OverrideBase {
  const placed = [...prepared.releases].map(([release, {chart}]) => ({
    chart: chart.name,
    namespace: releaseNamespace(release),
  }))
  const active = () => activeCharts({releases: placed, facts: {}, plugins})
  return {
    active,
    layers: async (chart, namespace) => {
      expectActive(await active(), chart, namespace)
      return releaseOf(prepared, chart, namespace).layers.filter(({name}) => name !== 'user')
    },
    releases: (chart, namespace) =>
      releasesOf(prepared, chart, namespace).map(([release]) => releaseName(release)),
    secretPaths: (chart) => pathsOf(plugins, chart),
  }
}

/** The one release of the chart there. Throws `KK_USAGE` for several: each has a section, and so values, of its own. */
function releaseOf(prepared: Prepared, chart: string, namespace: string): PreparedRelease {
  const found = releasesOf(prepared, chart, namespace)
  const [first, ...more] = found
  if (first && more.length === 0) return first[1]
  const names = found.map(([release]) => releaseName(release))
  throw new KkError(
    'KK_USAGE',
    `${names.join(', ')} are all of the chart ${chart} in ${namespace}, each with values of its own`,
    {hint: `leave out the environment, or see one with kk values show ${names[0]}`},
  )
}

function releasesOf({releases}: Prepared, chart: string, namespace: string) {
  return [...releases].filter(
    ([release, each]) => each.chart.name === chart && releaseNamespace(release) === namespace,
  )
}
