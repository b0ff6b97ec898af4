import {existsSync, statSync} from 'node:fs'
import {dirname, join} from 'node:path'
import type {Chart} from './chart.ts'
import {type ChartFile, readChartFiles} from './files/chart-files.ts'

const FOLDER = 'values_overrides'

/**
 * Returns the feature files of a chart, each with its path in a package: files next to the chart, as in
 * openstack-helm, and files inside it, as in a package. A file next to the chart replaces the same file
 * inside. Throws `KK_CHART`.
 */
export function listFeatureFiles({directory, name}: Pick<Chart, 'directory' | 'name'>): ChartFile[] {
  const files = new Map(
    featureFolders({directory, name})
      .toReversed()
      .filter((folder) => existsSync(folder) && statSync(folder).isDirectory())
      .flatMap((folder) => readChartFiles(folder))
      .filter(({path}) => /^[^/]+\.yaml$/.test(path))
      .map((file) => [file.path, {...file, path: `${FOLDER}/${file.path}`}]),
  )
  return [...files.values()]
}

/**
 * Returns the possible directories of a chart's feature files; the first directory that has a file of some
 * name wins.
 */
export function featureFolders({directory, name}: Pick<Chart, 'directory' | 'name'>): readonly string[] {
  return [join(dirname(directory), FOLDER, name), join(directory, FOLDER)]
}
