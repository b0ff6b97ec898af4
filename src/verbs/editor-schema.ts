import {existsSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {isMap, type Values} from '../base/values.ts'
import {defaultValues} from '../charts/default-values.ts'
import {type ChartFinding, chartNames} from '../charts/find-chart.ts'
import {ENVIRONMENT_SCHEMA} from '../environment/schema.ts'
import type {OptionLists} from '../prepare/settings/option-lists.ts'

/** Schemas of more characters are moved to `$defs`, where equal ones are stored once. */
const LONGEST_INLINE = 150

/**
 * Returns the JSON Schema of environment files in which the section of each of kk's own charts has the schema
 * of its values, with the options of its service below `conf`, and `global` the values that all of them read.
 */
export async function editorSchema(finding: ChartFinding, optionLists: OptionLists): Promise<string> {
  const directory = await finding.builtIn()
  const definitions = new Map<string, string>()
  const sections: Record<string, unknown> = {}
  let shared: Values = {}
  for (const name of await chartNames([{kind: 'built-in'}], finding)) {
    const file = join(directory, name, 'values.schema.json')
    if (!existsSync(file)) continue
    const {$schema: _, ...schema} = JSON.parse(readFileSync(file, 'utf8')) as Values
    const {conf, global, ...properties} = schema.properties as Values
    const options = await optionsSchema(join(directory, name), [...(await optionLists(name)).values()])
    const withOptions = {
      ...schema,
      properties: {...properties, conf: {...(conf as Values), ...options}, global},
    }
    sections[name] = interned(withOptions, {definitions, root: schema})
    if (isMap(global)) shared = interned(global, {definitions, root: schema}) as Values
  }
  const {properties = {}, $defs} = ENVIRONMENT_SCHEMA
  const {title, description} = properties['global']!
  const all = {
    ...ENVIRONMENT_SCHEMA,
    properties: {...properties, global: {title, description, ...shared}, ...sections},
    $defs: {
      ...$defs,
      ...Object.fromEntries([...definitions].map(([text, name]) => [name, JSON.parse(text)])),
    },
  }
  return `${JSON.stringify(all)}\n`
}

/** Returns the schema of `conf`: each file of oslo.config with the sections and options of the service. */
async function optionsSchema(
  directory: string,
  lists: readonly (() => Readonly<Record<string, object>>)[],
): Promise<Values> {
  if (lists.length === 0) return {}
  const names = new Map<string, Set<string>>()
  for (const [section, options] of lists.flatMap((list) => Object.entries(list()))) {
    const known = names.get(section) ?? new Set()
    for (const option of Object.keys(options)) known.add(option)
    names.set(section, known)
  }
  const sections = [...names].map(([section, options]) => [section, mapWith(options)] as const)
  const {files} = defaultValues(directory)
  const oslo = Object.entries(isMap(files) ? files : {}).filter(
    ([, facts]) => isMap(facts) && (facts.format ?? 'oslo') === 'oslo',
  )
  const file = {type: ['object', 'null'], properties: Object.fromEntries(sections)}
  return {properties: Object.fromEntries(oslo.map(([name]) => [name, file]))}
}

function mapWith(names: Iterable<string>): Values {
  const properties = Object.fromEntries([...names].sort().map((name) => [name, {}]))
  return {type: ['object', 'null'], properties}
}

interface Interning {
  /** The names of moved schemas, by their text. */
  readonly definitions: Map<string, string>
  /** The schema of the chart, which has its `definitions`. */
  readonly root: Values
}

/** Returns a schema of a chart with its long parts moved to `$defs`. */
function interned(schema: unknown, place: Interning): unknown {
  if (!isMap(schema)) return schema
  const {$ref, definitions: _, ...rest} = schema
  if (typeof $ref === 'string') {
    const name = $ref.replace('#/definitions/', '')
    return interned((place.root.definitions as Values)[name], place)
  }
  const text = JSON.stringify(
    Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, internedKeyword(key, value, place)])),
  )
  if (text.length <= LONGEST_INLINE) return JSON.parse(text)
  const name = place.definitions.get(text) ?? `values-${place.definitions.size + 1}`
  place.definitions.set(text, name)
  return {$ref: `#/$defs/${name}`}
}

function internedKeyword(keyword: string, value: unknown, place: Interning): unknown {
  if (['properties', 'patternProperties'].includes(keyword) && isMap(value))
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, interned(each, place)]))
  if (['items', 'additionalProperties', 'propertyNames', 'not'].includes(keyword))
    return interned(value, place)
  if (['anyOf', 'allOf', 'oneOf'].includes(keyword) && Array.isArray(value))
    return value.map((each) => interned(each, place))
  return value
}
