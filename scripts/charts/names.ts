import {join, relative} from 'node:path'
import {suggest} from '../../src/base/suggest.ts'
import {isMap, type Values} from '../../src/base/values.ts'
import {readChart} from '../../src/charts/read-chart.ts'
import {type NamedTemplate, namedTemplates} from '../../src/charts/template-names.ts'
import {locator} from '../../src/environment/position.ts'
import {readYaml} from '../../src/yaml/yaml.ts'
import type {Schema} from './json-schema.ts'
import type {OwnChart} from './read-charts.ts'
import {chartSchema} from './schema.ts'
import {jobNames} from './units.ts'

const ROOT = join(import.meta.dirname, '../..')

type Path = readonly (string | number)[]

/** A name in the values of a chart, and the allowed names at its place. */
interface Named {
  readonly path: Path
  readonly name: string
  /** The kind of name: `key`, `block`. */
  readonly what: string
  readonly allowed: readonly string[]
}

/**
 * Returns a line for each name in the facts of a chart that refers to nothing: its place, a suggestion and
 * the allowed names. Names are keys, and those of blocks, scripts, files, components, jobs, endpoints and
 * roles; `endpoints` are those of the catalogue.
 */
export function wrongNames(chart: OwnChart, endpoints: readonly string[]): readonly string[] {
  const file = relative(ROOT, join(chart.directory, 'values.yaml'))
  const position = locator({file, text: chart.text})
  return [...keysOf(chart), ...referencesOf(chart, endpoints)]
    .filter(({name, allowed}) => !allowed.includes(name))
    .map(({path, name, what, allowed}) => {
      const {line, column} = position(path) ?? {line: 1, column: 1}
      const close = suggest(name, allowed)
      const meant = close === undefined ? '' : ` did you mean ${close}?`
      const names = allowed.length === 0 ? 'there is none' : `there are: ${allowed.toSorted().join(', ')}`
      return `${file}:${line}:${column}: ${path.join('.')}: there is no ${what} ${name}:${meant} ${names}`
    })
}

/** Returns each key at a place where the schema restricts keys. */
function keysOf({name, values}: OwnChart): readonly Named[] {
  const root = chartSchema(name, values)
  const found: Named[] = []
  const walk = (value: unknown, schema: Schema, path: Path) => {
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) walk(item, resolved(schema.items, root), [...path, index])
    }
    if (!isMap(value)) return
    const properties = isMap(schema.properties) ? schema.properties : {}
    for (const [key, inner] of Object.entries(value)) {
      const at = [...path, key]
      if (schema.additionalProperties === false)
        found.push({path: at, name: key, what: 'key', allowed: Object.keys(properties)})
      walk(inner, resolved(properties[key] ?? schema.additionalProperties, root), at)
    }
  }
  walk(values, root, [])
  return found
}

function resolved(schema: unknown, root: Schema): Schema {
  if (!isMap(schema)) return {}
  const {$ref} = schema
  if (typeof $ref !== 'string') return schema
  return (root.definitions as Record<string, Schema>)[$ref.replace('#/definitions/', '')] ?? {}
}

/** Returns each name that refers to something elsewhere: in the chart, in its templates or in the library. */
function referencesOf({name, directory, values}: OwnChart, catalogue: readonly string[]): readonly Named[] {
  const chart = readChart(directory)
  const blocks = namedTemplates(chart, 'common.config.block.')
  const scripts = namedTemplates(chart, 'common.scripts.').map((script) => script.name)
  const components = keysAt(values, 'components')
  const files = [
    ...keysAt(values, 'files'),
    ...components.map((component) => `${name}_${component}_uwsgi`.replaceAll('-', '_')),
  ]
  const endpoints = [...new Set([...catalogue, ...keysAt(values, 'serves'), ...keysAt(values, 'endpoints')])]
  const all: Readonly<Record<string, Omit<Named, 'path' | 'name'>>> = {
    files: {what: 'file', allowed: files},
    argv: {what: 'file', allowed: files},
    script: {what: 'script', allowed: scripts},
    scripts: {what: 'script', allowed: scripts},
    endpoint: {what: 'endpoint', allowed: endpoints},
    needs: {what: 'endpoint', allowed: endpoints},
    after: {what: 'job', allowed: jobNames(values)},
    rollout: {what: 'component', allowed: components},
    callers: {what: 'component', allowed: components},
    for: {what: 'component', allowed: components},
    node: {what: 'role', allowed: rolesOf(namedTemplates(chart, 'common.context.defaults'))},
  }
  const units = ['components', 'jobs', 'cronjobs', 'tests', 'files'].flatMap((kind) =>
    mapsAt(values, kind).flatMap(([key, facts]) => referred([kind, key], facts, all)),
  )
  const status = values.service_status ?? {}
  const checks = mapsAt(status, 'checks').flatMap(([key, facts]) => [
    ...referred(['service_status', 'checks', key], facts, {script: all['script']!}),
    ...mapsAt(facts, 'least').flatMap(([what, {replicas}]) =>
      typeof replicas === 'string'
        ? [{path: ['service_status', 'checks', key, 'least', what], ...all['rollout']!, name: replicas}]
        : [],
    ),
  ])
  const secrets = [...keysAt(values, 'generated'), 'env', 'files']
  return [
    ...units,
    ...referred(['service_status'], status, all),
    ...checks,
    ...mapsAt(values, 'files').flatMap(([key, facts]) => usesOf(['files', key, 'uses'], facts, blocks)),
    ...keysAt(values, 'conf').map((key) => ({path: ['conf', key], name: key, what: 'file', allowed: files})),
    ...['components', 'jobs', 'cronjobs', 'tests'].flatMap((kind) =>
      mapsAt(values, kind).flatMap(([key, facts]) => [
        ...mapsAt(facts, 'volumes').flatMap(([volume, {secret}]) =>
          typeof secret === 'string'
            ? [
                {
                  path: [kind, key, 'volumes', volume, 'secret'],
                  name: secret,
                  what: 'Secret',
                  allowed: secrets,
                },
              ]
            : [],
        ),
        ...mapsAt(facts, 'variables').flatMap(([variable, reference]) =>
          referredNames([kind, key, 'variables', variable], reference, {endpoints, files, components}),
        ),
      ]),
    ),
  ]
}

/** Returns the names below these keys of a unit or file, which are strings or lists of strings. */
function referred(
  path: Path,
  facts: Values,
  all: Readonly<Record<string, Omit<Named, 'path' | 'name'>>>,
): readonly Named[] {
  return Object.entries(facts).flatMap(([key, value]) => {
    const kind = Object.hasOwn(all, key) ? all[key] : undefined
    if (!kind) return []
    if (typeof value === 'string') return [{...kind, path: [...path, key], name: value}]
    const names: readonly unknown[] = Array.isArray(value) ? value : []
    return names.map((name, index) => ({...kind, path: [...path, key, index], name: String(name)}))
  })
}

/** Returns the names of the blocks that a file uses, and of their parameters. */
function usesOf(path: Path, {uses}: Values, blocks: readonly NamedTemplate[]): readonly Named[] {
  const allowed = blocks.map(({name}) => name)
  return Object.entries(isMap(uses) ? uses : {}).flatMap(([name, parameters]) => [
    {path: [...path, name], name, what: 'block', allowed},
    ...Object.keys(isMap(parameters) ? parameters : {}).map((parameter) => ({
      path: [...path, name, parameter],
      name: parameter,
      what: `parameter of the block ${name}`,
      allowed: parametersOf(blocks.find((block) => block.name === name)),
    })),
  ])
}

/** Returns the names of the parameters that a block reads (`.params.NAME`). */
export function parametersOf(block: NamedTemplate | undefined): readonly string[] {
  const found = (block?.text ?? '').matchAll(/\.params\.(\w+)/g)
  return [...new Set([...found].map(([, parameter]) => parameter!))]
}

/**
 * Returns the endpoint, file or component with which a reference of a variable begins: `oslo_db` of `{port:
 * oslo_db.mysql}`.
 */
function referredNames(
  path: Path,
  reference: Values,
  {endpoints, files, components}: Readonly<Record<'endpoints' | 'files' | 'components', readonly string[]>>,
): readonly Named[] {
  return Object.entries(reference).flatMap(([key, value]) => {
    const [first = ''] = String(value).split('.', 1)
    if (key === 'option') return [{path: [...path, key], name: first, what: 'file', allowed: files}]
    if (key === 'image') return [{path: [...path, key], name: first, what: 'component', allowed: components}]
    if (!['credential', 'uri', 'host', 'port', 'members', 'auth', 'self'].includes(key)) return []
    return [{path: [...path, key], name: first, what: 'endpoint', allowed: endpoints}]
  })
}

/** Returns the node roles of the library. */
function rolesOf([defaults]: readonly NamedTemplate[]): readonly string[] {
  const text = (defaults?.text ?? '').replace(/^[\s\S]*?define[^}]*}}\n/, '').replace(/{{- end -}}\s*$/, '')
  const {labels} = readYaml(text) as Values
  return isMap(labels) ? keysAt(labels, 'roles') : []
}

function keysAt(values: object, key: string): readonly string[] {
  const found = (values as Values)[key]
  return isMap(found) ? Object.keys(found) : []
}

function mapsAt(values: object, key: string): readonly (readonly [string, Values])[] {
  const found = (values as Values)[key]
  return Object.entries(isMap(found) ? found : {}).filter((each): each is [string, Values] => isMap(each[1]))
}
