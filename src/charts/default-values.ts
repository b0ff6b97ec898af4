import {existsSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {asKkError, KkError} from '../base/errors.ts'
import {isMap, type Values} from '../base/values.ts'
import {readYaml} from '../yaml/yaml.ts'

/** Returns the error in a chart's `values.yaml`, with its position; undefined if it is valid. */
export function valuesFault(directory: string): KkError | undefined {
  try {
    const values = valuesIn(directory)
    if (values === undefined || values === null || isMap(values)) return undefined
    const type = Array.isArray(values) ? 'a list' : `a ${typeof values}`
    return new KkError('KK_CHART', `${join(directory, FILE)}: expected a map of values, got ${type}`, {
      hint: 'correct the chart; helm lint says more',
    })
  } catch (error) {
    return asKkError(error)
  }
}

/**
 * Returns the default values of a chart, without those of its subcharts; empty if the file has no map. Throws
 * `KK_YAML`.
 */
export function defaultValues(directory: string): Values {
  const values = valuesIn(directory)
  return isMap(values) ? values : {}
}

const FILE = 'values.yaml'

function valuesIn(directory: string): unknown {
  const file = join(directory, FILE)
  return existsSync(file) ? readYaml(readFileSync(file, 'utf8'), {file}) : undefined
}
