import {blockYaml} from '../../overrides/overrides-yaml.ts'
import type {Values} from '../../release.ts'

/** The overrides of one chart in one namespace, to be written in a foreign format. */
export interface ChartOverrides {
  readonly name: string
  readonly namespace: string
  readonly values: Values
}

/** What `helm --values` takes: the overrides alone. */
export function helmValues({values}: Pick<ChartOverrides, 'values'>): string {
  return blockYaml(values) || '{}\n'
}
