import {existsSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {asKkError, KkError} from '../base/errors.ts'
import {isMap, type Values} from '../base/values.ts'
import {readYaml} from '../yaml/yaml.ts'

/** Returns what is wrong with a chart's `values.yaml`, with its place; undefined when nothing is. */
export function valuesFault(directory: string): KkError | undefined {
  try {
    const values = valuesIn(directory)
    if (values === undefined || values === null || isMap(values)) return undefined
    const found = Array.isArray(values) ? 'a list' : `a ${typeof values}`
    return new KkError('KK_CHART', `${join(directory, FILE)}: expected a map of values, got ${found}`, {
      hint: 'correct the chart; helm lint says more',
    })
  } catch (error) {
    return asKkError(error)
  }
}

/** The values of a chart by default, without those of its subcharts; none where the file has no map. Throws `KK_YAML`. */
export function defaultValues(directory: string): Values {
  const values = valuesIn(directory)
  return isMap(values) ? values : {}
}

const FILE = 'values.yaml'

function valuesIn(directory: string): unknown {
  const file = join(directory, FILE)
  return existsSync(file) ? readYaml(readFileSync(file, 'utf8'), {file}) : undefined
}
