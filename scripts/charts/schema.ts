import {FACT_DEFINITIONS, FACTS} from './facts.ts'
import {ANY_OBJECT, closed, mapOf, meaning, ref, type Schema, text, texts} from './json-schema.ts'
import {OF_UNITS, PLACE_DEFINITIONS, SHARED, STORAGE} from './places.ts'
import {manifestKeys, type ServiceValues, unitNames} from './units.ts'

/** The schema of `serves`, from which the catalogue of endpoints is made. */
export const SERVES = meaning(
  'the endpoints of its components for everybody: `port`, `scheme`, `path`, `auth`, as below `endpoints`',
  mapOf(ref('endpoint')),
)

/** Returns the schema of a chart's values; `values` are those of its own `values.yaml`. */
export function chartSchema(name: string, values: ServiceValues): Schema {
  const names = unitNames(name, values)
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: `Values of ${name}`,
    ...closed({
      ...FACTS,
      ...(values.serves && {serves: SERVES}),
      ...SHARED,
      ...OF_UNITS,
      manifests: closed(Object.fromEntries(manifestKeys(values).map((key) => [key, {type: 'boolean'}]))),
      // What a section that is several releases gives to each of them.
      kk: closed({section: text, components: texts}),
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
