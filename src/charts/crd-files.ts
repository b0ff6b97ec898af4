import {readChartFiles} from './files/chart-files.ts'

/** The YAML files in `crds/` of a chart and of the charts in it: what helm installs with the first revision, and never again. */
export function crdFiles(directory: string): readonly string[] {
  return readChartFiles(directory)
    .filter(({path}) => /^(?:charts\/[^/]+\/)*crds\/.+\.ya?ml$/.test(path))
    .map(({bytes}) => bytes.toString('utf8'))
}
