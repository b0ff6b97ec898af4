import type {Values} from '../../base/values.ts'
import {blockYaml} from '../../overrides/overrides-yaml.ts'

/** The overrides of one chart in one namespace, to be written in another tool's format. */
export interface ChartOverrides {
  readonly name: string
  readonly namespace: string
  readonly values: Values
}

/** Returns the plain overrides, as `helm --values` takes them. */
export function helmValues({values}: Pick<ChartOverrides, 'values'>): string {
  return blockYaml(values) || '{}\n'
}
