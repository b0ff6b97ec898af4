import {existsSync, readFileSync} from 'node:fs'
import {readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {suggest} from '../base/suggest.ts'
import {isMap, type Values} from '../base/values.ts'
import type {Chart} from '../charts/chart.ts'
import {defaultValues} from '../charts/default-values.ts'
import {namedTemplates} from '../charts/template-names.ts'
import {locator} from '../environment/position.ts'
import {MissingTemplate} from '../helm/failure.ts'
import {BrokenSchema, type SchemaProblem} from '../helm/schema-problems.ts'
import type {Layer} from '../overrides/layer.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../release.ts'

/** A chart and the layers of its values. */
export interface ChartLayers {
  readonly chart: Pick<Chart, 'name' | 'directory' | 'libraries' | 'origin'>
  readonly layers: readonly Layer[]
}

/** Throws the error as `positionedError` returns it. */
export async function throwPositioned(error: unknown, releases: GivenReleases): Promise<never> {
  throw await positionedError(error, releases)
}

interface GivenReleases {
  get(release: ReleaseId): ChartLayers | undefined
}

/**
 * Returns the error, with the position of each value that breaks a schema, or the template that was probably
 * intended.
 */
export async function positionedError(error: unknown, releases: GivenReleases): Promise<unknown> {
  if (error instanceof BrokenSchema) return positioned(error, releases.get(error.of))
  if (error instanceof MissingTemplate) return named(error, releases.get(error.of))
  return error
}

/** Returns the error with the position of each value and the key that was probably intended. */
export async function positioned(
  error: BrokenSchema,
  chartLayers: ChartLayers | undefined,
): Promise<BrokenSchema> {
  if (!chartLayers || error.problems.length === 0) return error
  const placed = {chart: chartLayers.chart, layers: withDefaults(chartLayers)}
  const lines = await Promise.all(error.problems.map((problem) => problemLines(problem, placed)))
  const call = {name: releaseName(error.of), namespace: releaseNamespace(error.of)}
  const [subject] = error.message.split(': ', 1)
  return new BrokenSchema(
    call,
    [`${subject}: the values break the schema of the chart:`, ...lines.flat()].join('\n'),
    {hint: error.hint ?? '', log: error.log, problems: error.problems, cause: error},
  )
}

/**
 * The kinds of names in values of kk's own charts, by the prefix of the template that each name refers to.
 */
const NAMED = {'common.config.block.': 'block', 'common.scripts.': 'script'}

/**
 * Returns the error with the position of the name in the values and the allowed names, if values contain it.
 */
function named(error: MissingTemplate, chartLayers: ChartLayers | undefined): MissingTemplate {
  const [prefix, what] = Object.entries(NAMED).find(([each]) => error.template.startsWith(each)) ?? []
  if (!chartLayers || prefix === undefined) return error
  const name = error.template.slice(prefix.length)
  const layers = withDefaults(chartLayers)
  const namingPath = layers.flatMap(({values}) => namingPaths(values, what, name)).at(-1)
  if (!namingPath) return error
  const templateNames = namedTemplates(chartLayers.chart, prefix).map((template) => template.name)
  const close = suggest(name, templateNames)
  const suggestion = close === undefined ? '' : `: did you mean ${JSON.stringify(close)}?`
  const call = {name: releaseName(error.of), namespace: releaseNamespace(error.of)}
  const [subject] = error.message.split(': ', 1)
  return new MissingTemplate(
    call,
    `${subject}: the chart does not render: ${formatPosition(namingPath, layers)}${keyText(namingPath)}there is no ${what} ${name}${suggestion}`,
    {
      hint: `the library and the chart have: ${templateNames.join(', ')}`,
      log: [],
      template: error.template,
      cause: error,
    },
  )
}

/** Returns the paths at which the values of a chart name a block or a script. */
function namingPaths(values: Values, what: string | undefined, name: string): readonly (readonly string[])[] {
  const below = (key: string) => Object.entries(isMap(values[key]) ? values[key] : {})
  if (what === 'block')
    return below('files').flatMap(([file, facts]) =>
      holds(facts, ['uses', name]) ? [['files', file, 'uses', name]] : [],
    )
  return ['components', 'jobs', 'cronjobs', 'tests'].flatMap((kind) =>
    below(kind).flatMap(([unit, facts]) => {
      const keys = isMap(facts)
        ? ['script', 'scripts'].filter((key) => [facts[key]].flat().includes(name))
        : []
      return keys.map((key) => [kind, unit, key])
    }),
  )
}

/** Returns the layers above the chart's own values. */
function withDefaults({chart, layers}: ChartLayers): readonly PlacedLayer[] {
  const path = join(chart.directory, 'values.yaml')
  if (!existsSync(path)) return layers
  const source = {file: join(chart.origin, 'values.yaml'), text: readFileSync(path, 'utf8')}
  return [{values: defaultValues(chart.directory), source: source.file, position: locator(source)}, ...layers]
}

type PlacedLayer = Pick<Layer, 'values' | 'source' | 'position' | 'sourceOf'>

/** Returns a line for each unknown key, or one for another problem. */
export async function problemLines(
  problem: SchemaProblem,
  {chart, layers}: {readonly chart: ChartLayers['chart']; readonly layers: readonly PlacedLayer[]},
): Promise<readonly string[]> {
  const {path, text, unknown} = problem
  const above = problem.chart === chart.name ? [] : [problem.chart]
  const at = [...above, ...path]
  if (unknown.length === 0) return [`  ${formatPosition(at, layers)}${keyText(at)}${text}`]
  const schemaKeys = await knownKeys(
    join(chart.directory, ...above.flatMap((name) => ['charts', name])),
    path,
  )
  return unknown.map((key) => {
    if (key === 'global' && at.length === 0)
      return `  ${formatPosition([key], layers)}global: no such key: global applies to every release; to exclude this one, in its section: {global: null}`
    const close = suggest(key, schemaKeys)
    const allowed = schemaKeys.length === 0 ? '' : `; there are: ${schemaKeys.toSorted().join(', ')}`
    const suggestion = close === undefined ? allowed : `: did you mean ${JSON.stringify(close)}?`
    return `  ${formatPosition([...at, key], layers)}${keyText([...at, key])}no such key${suggestion}`
  })
}

function keyText(path: readonly string[]): string {
  return path.length === 0 ? '' : `${path.join('.')}: `
}

/**
 * Returns the position of a path in the last layer that has it; for a missing key, that of its nearest
 * parent.
 */
export function formatPosition(path: readonly string[], layers: readonly PlacedLayer[]): string {
  const layer = layers.findLast(({values}) => holds(values, path))
  if (!layer) return path.length === 0 ? '' : formatPosition(path.slice(0, -1), layers)
  const {file, line, column} = layer.position?.(path) ?? {}
  if (file !== undefined) return `${file}:${line}:${column}: `
  return `${layer.sourceOf?.(path) ?? layer.source}: `
}

function holds(value: unknown, [key, ...rest]: readonly string[]): boolean {
  if (key === undefined) return true
  if (Array.isArray(value)) return /^\d+$/.test(key) && holds(value[Number(key)], rest)
  return isMap(value) && Object.hasOwn(value, key) && holds(value[key], rest)
}

/** Returns the keys that a chart's schema defines at a path; none if the path does not resolve. */
async function knownKeys(directory: string, path: readonly string[]): Promise<readonly string[]> {
  const text = await readFile(join(directory, 'values.schema.json'), 'utf8').catch(() => '{}')
  const root = JSON.parse(text) as Values
  const schemaAtPath = path.reduce<unknown>((schema, step) => below(resolved(schema, root), step), root)
  const {properties} = resolved(schemaAtPath, root)
  return isMap(properties) ? Object.keys(properties) : []
}

function below({properties, additionalProperties, items}: Values, step: string): unknown {
  if (isMap(properties) && Object.hasOwn(properties, step)) return properties[step]
  return additionalProperties ?? items
}

/** Returns a schema merged with the definition that its `$ref` into the same file refers to. */
export function resolved(schema: unknown, root: Values): Values {
  if (!isMap(schema)) return {}
  const {$ref} = schema
  if (typeof $ref !== 'string' || !$ref.startsWith('#/')) return schema
  const steps = $ref.slice(2).split('/')
  const definition = steps.reduce<unknown>((at, step) => (isMap(at) ? at[step] : undefined), root)
  return isMap(definition) ? {...definition, ...schema} : schema
}
