import {existsSync, readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {readYaml} from '../../src/yaml/yaml.ts'
import type {ServiceValues} from './units.ts'

const CHARTS = join(import.meta.dirname, '../../charts')

/** One of kk's own charts, except the library. */
export interface OwnChart {
  readonly name: string
  readonly directory: string
  /** The source of its `values.yaml`, and its values. */
  readonly text: string
  readonly values: ServiceValues
}

/** Returns the charts of a directory except the library, sorted by name. Throws `KK_YAML`. */
export function readOwnCharts(charts = CHARTS): readonly OwnChart[] {
  return readdirSync(charts)
    .filter((name) => name !== 'common' && existsSync(join(charts, name, 'Chart.yaml')))
    .sort()
    .map((name) => {
      const directory = join(charts, name)
      const file = join(directory, 'values.yaml')
      const text = readFileSync(file, 'utf8')
      return {name, directory, text, values: readYaml(text, {file}) as ServiceValues}
    })
}

/** Returns the names of the images of a chart's components, its own first. */
export function imagesOf({values}: OwnChart): readonly string[] {
  const {image, components = {}} = values as OwnChart['values'] & {readonly image?: string}
  const all = [image, ...Object.values(components).map((component) => component['image'])]
  return [...new Set(all.filter((name) => typeof name === 'string').filter(Boolean))]
}
