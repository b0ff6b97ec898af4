import {existsSync, statSync} from 'node:fs'
import {dirname, join} from 'node:path'
import type {Chart} from './chart.ts'
import {type ChartFile, readChartFiles} from './files/chart-files.ts'

const FOLDER = 'values_overrides'

/**
 * Returns the feature files of a chart, each with its path in a package: those beside the chart, where openstack-helm has them, and those
 * inside of it, where a package has them. One beside takes the place of one inside. Throws `KK_CHART`.
 */
export function featureFilesOf({directory, name}: Pick<Chart, 'directory' | 'name'>): ChartFile[] {
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

/** Returns where the feature files of a chart may be; in the first directory that has one of a name, it is that which counts. */
export function featureFolders({directory, name}: Pick<Chart, 'directory' | 'name'>): readonly string[] {
  return [join(dirname(directory), FOLDER, name), join(directory, FOLDER)]
}
