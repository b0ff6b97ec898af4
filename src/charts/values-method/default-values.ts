import {existsSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {asKkError, type KkError} from '../../errors.ts'
import {readYaml} from '../../helm/yaml.ts'
import type {Values} from '../../release.ts'

/** What is wrong with the YAML of a chart's `values.yaml`, with its place; undefined when nothing is. */
export function valuesFault(directory: string): KkError | undefined {
  try {
    defaultValues(directory)
    return undefined
  } catch (error) {
    return asKkError(error)
  }
}

/** The values of a chart by default, without those of its subcharts. Throws `KK_YAML`. */
export function defaultValues(directory: string): Values {
  const file = join(directory, 'values.yaml')
  if (!existsSync(file)) return {}
  const values = readYaml(readFileSync(file, 'utf8'), {file})
  return typeof values === 'object' && values !== null && !Array.isArray(values) ? (values as Values) : {}
}
