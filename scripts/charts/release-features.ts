import {join} from 'node:path'
import type {Image} from '../../src/images/image.ts'
import {imagesOf, type OwnChart} from './read-charts.ts'

/**
 * Options by chart, as `conf`, that a release has and the one of the charts does not.
 * `manager_shutdown_timeout`: nova-compute and the scheduler would sleep this long when they end, idle or not
 * (nova 33: compute/manager.py graceful_shutdown).
 */
const NEWER: Readonly<Record<string, string>> = {
  nova: 'conf:\n  nova:\n    DEFAULT:\n      manager_shutdown_timeout: 0\n',
}

/**
 * Returns the feature files of the other OpenStack releases for which kk has images,
 * `values_overrides/keystone/2026.1.yaml`: with `kk.features: ["2026.1"]` each service of that release runs
 * it, and shared infrastructure stays as it is.
 */
export function releaseFeatures(charts: readonly OwnChart[], images: readonly Image[]) {
  return charts.flatMap((chart) => {
    const [own] = imagesOf(chart)
    const next = images.filter(({name}) => own !== undefined && name.startsWith(`${own}-20`))
    return next.map(({name, tag}) => ({
      path: join(chart.directory, '../values_overrides', chart.name, `${name.slice(own!.length + 1)}.yaml`),
      text: `${NEWER[chart.name] ?? ''}images:\n  tag: ${tag}\n`,
    }))
  })
}
