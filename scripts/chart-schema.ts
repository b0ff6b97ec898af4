/** Writes `values.schema.json` of every chart: one flat, self-contained file each, made from the chart's own values. */
import {existsSync, readdirSync, readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {load} from 'js-yaml'
import {FACT_DEFINITIONS, FACTS} from './chart-schema/facts.ts'
import {OF_UNITS, PLACE_DEFINITIONS, SHARED, STORAGE} from './chart-schema/places.ts'
import {ANY_OBJECT, closed, type Schema, text} from './chart-schema/schema.ts'
import {manifestKeys, type ServiceValues, unitNames} from './chart-schema/units.ts'

const CHARTS = join(import.meta.dirname, '..', 'charts')

/** The schema of a chart's values; `values` are its own `values.yaml`. */
export function chartSchema(name: string, values: ServiceValues): Schema {
  const names = unitNames(name, values)
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: `Values of ${name}`,
    ...closed({
      ...FACTS,
      ...SHARED,
      ...OF_UNITS,
      manifests: closed(Object.fromEntries(manifestKeys(values).map((key) => [key, {type: 'boolean'}]))),
      // What Helm adds by itself: the values that go to every chart, and the library's.
      global: {...ANY_OBJECT, properties: {region: text, ...SHARED, storage: STORAGE}},
      common: ANY_OBJECT,
    }),
    definitions: {
      ...FACT_DEFINITIONS,
      ...PLACE_DEFINITIONS,
      component: {enum: names.components},
      job: {enum: names.jobs},
      unit: {enum: [...names.all, 'default']},
    },
  }
}

/** Path and text of the schema of every chart that has values of its own. */
export function chartSchemas(): {path: string; text: string}[] {
  return readdirSync(CHARTS)
    .filter((name) => name !== 'common' && existsSync(join(CHARTS, name, 'Chart.yaml')))
    .map((name) => {
      const values = load(readFileSync(join(CHARTS, name, 'values.yaml'), 'utf8')) as ServiceValues
      return {
        path: join(CHARTS, name, 'values.schema.json'),
        text: `${JSON.stringify(chartSchema(name, values), null, 1)}\n`,
      }
    })
}

if (import.meta.main) {
  for (const {path, text: schema} of chartSchemas()) writeFileSync(path, schema)
}
