import {asKkError, KkError} from '../../errors.ts'
import type {Helm} from '../../helm/helm.ts'
import {computedValues} from '../../overrides/computed.ts'
import type {Layer} from '../../overrides/layer.ts'
import {mergeValues} from '../../overrides/merge.ts'
import {activeCharts, expectActive} from '../../overrides/system/active.ts'
import {type ReleaseId, releaseName, releaseNamespace, type Values} from '../../release.ts'
import type {Prepared, PreparedRelease} from '../preparation/prepare.ts'
import {vendor} from '../preparation/rendering/vendored.ts'
import {pathsOf} from './facts-base.ts'
import type {OverrideBase} from './override-world.ts'

/**
 * With an environment: its releases say which charts are active, and its layers lie below the deployer's. What is made of it
 * is made once. `helm` is looked for when a schema is to be asked.
 */
export function environmentBase(prepared: Prepared, helm?: HelmOf): OverrideBase {
  const {plugins} = prepared
  const releases = [...prepared.releases.values()].map(({chart}) => chart)
  const placed = [...prepared.releases].map(([release, {chart}]) => ({
    chart: chart.name,
    namespace: releaseNamespace(release),
  }))
  let charts: ReturnType<OverrideBase['active']> | undefined
  const active = () => {
    charts ??= activeCharts({releases: placed, facts: {}, plugins})
    return charts
  }
  const below = new Map<PreparedRelease, readonly Layer[]>()
  return {
    active,
    layers: async (chart, namespace) => {
      expectActive(await active(), chart, namespace)
      const [, release] = releaseOf(prepared, chart, namespace)
      const layers = below.get(release) ?? release.layers.filter(({name}) => name !== 'user')
      below.set(release, layers)
      return layers
    },
    releases: (chart, namespace) =>
      releasesOf(prepared, chart, namespace).map(([release]) => releaseName(release)),
    secretPaths: pathsOf(plugins, releases),
    ...(helm && {
      check: async (chart, namespace, user) => {
        for (const [release] of releasesOf(prepared, chart, namespace))
          await expectSchema(prepared, {release, user, helm})
      },
    }),
  }
}

/** The one release of the chart there. Throws `KK_USAGE` for several: each has a section, and so values, of its own. */
function releaseOf(prepared: Prepared, chart: string, namespace: string): [ReleaseId, PreparedRelease] {
  const found = releasesOf(prepared, chart, namespace)
  const [first, ...more] = found
  if (first && more.length === 0) return first
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

/** Rejects with `KK_HELM_MISSING` where there is none. */
export type HelmOf = () => Promise<Pick<Helm, 'template'>>

interface Asked {
  readonly release: ReleaseId
  /** What the deployer overrides, or would. */
  readonly user: Values
  readonly helm: HelmOf
}

/** Asks helm for the values as the chart would see them: it checks them by the chart's schema. Rejects with `KK_VALUES`. */
async function expectSchema(prepared: Prepared, {release, user, helm}: Asked): Promise<void> {
  const found = await helm().catch((error: unknown) => {
    if (asKkError(error).code !== 'KK_HELM_MISSING') throw error
  })
  if (!found) return
  const vendored = await vendor(prepared, [release])
  try {
    const call = vendored.call(release)
    await computedValues(found, {...call, values: mergeValues(call.values, user)})
  } finally {
    await vendored.remove()
  }
}
