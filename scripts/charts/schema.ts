import {FACT_DEFINITIONS, FACTS} from './facts.ts'
import {ANY_OBJECT, closed, flag, mapOf, meaning, ref, type Schema, text, texts} from './json-schema.ts'
import {GLOBAL, OF_UNITS, PLACE_DEFINITIONS, SHARED} from './places.ts'
import {manifestKeys, type ServiceValues, unitNames} from './units.ts'

/** The schema of `serves`, from which the catalogue of endpoints is generated. */
export const SERVES = meaning(
  'the endpoints of its components for all charts: `port`, `scheme`, `path`, `auth`, as below `endpoints`',
  mapOf(ref('endpoint')),
)

/** The schema of `classes`, for a chart with a component that is a CSI `driver`. */
export const CLASSES = meaning(
  'the StorageClasses of its `driver` by name: `parameters`, `reclaim` (`Delete`), `default: true` for claims that name none; null removes one',
  mapOf({
    anyOf: [
      closed({parameters: mapOf(text), reclaim: {enum: ['Delete', 'Retain']}, default: flag}),
      {type: 'null'},
    ],
  }),
)

/** The schema of `prometheus_operator`, for the chart of Prometheus. */
export const PROMETHEUS_OPERATOR = meaning(
  'for a Prometheus of the Prometheus operator: `enabled` adds PodMonitors and a PrometheusRule, made from the files `prometheus` and `alerts`, with these `labels`',
  closed({enabled: flag, labels: mapOf(text)}),
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
      ...(values.classes && {classes: CLASSES}),
      ...(values.prometheus_operator && {prometheus_operator: PROMETHEUS_OPERATOR}),
      ...SHARED,
      ...OF_UNITS,
      extraObjects: {
        type: ['array', 'null'],
        items: {type: 'object', required: ['apiVersion', 'kind', 'metadata']},
      },
      manifests: closed(Object.fromEntries(manifestKeys(values).map((key) => [key, {type: 'boolean'}]))),
      // The values with which a section of several releases selects each of them.
      kk: closed({section: text, components: texts}),
      // What Helm adds: the values of every chart, and the library's.
      global: GLOBAL,
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
