import {readFile} from 'node:fs/promises'
import {join} from 'node:path'
import type {Chart} from '../../charts/chart.ts'
import {suggest} from '../../environment/suggest.ts'
import {BrokenSchema, type SchemaProblem} from '../../helm/schema-problems.ts'
import type {Layer} from '../../overrides/layer.ts'
import {isMap} from '../../overrides/merge.ts'
import {type ReleaseId, releaseName, releaseNamespace, type Values} from '../../release.ts'

/** A chart, and the layers of values that it was given. */
export interface Given {
  readonly chart: Pick<Chart, 'name' | 'directory'>
  readonly layers: readonly Layer[]
}

/**
 * Throws the error; if values break a schema, with the place where each was written and the key that was probably
 * meant.
 */
export async function throwPlaced(
  error: unknown,
  releases: {get(release: ReleaseId): Given | undefined},
): Promise<never> {
  throw error instanceof BrokenSchema ? await placed(error, releases.get(error.of)) : error
}

/** Returns the error with the place where each value was written and the key that was probably meant. */
export async function placed(error: BrokenSchema, given: Given | undefined): Promise<BrokenSchema> {
  if (!given || error.problems.length === 0) return error
  const lines = await Promise.all(error.problems.map((problem) => linesOf(problem, given)))
  const call = {name: releaseName(error.of), namespace: releaseNamespace(error.of)}
  const [subject] = error.message.split(': ', 1)
  return new BrokenSchema(
    call,
    [`${subject}: the values break the schema of the chart:`, ...lines.flat()].join('\n'),
    {hint: error.hint ?? '', log: error.log, problems: error.problems, cause: error},
  )
}

/** Returns a line for each unknown key, or one for another problem. */
async function linesOf(problem: SchemaProblem, {chart, layers}: Given): Promise<readonly string[]> {
  const {path, text, unknown} = problem
  const above = problem.chart === chart.name ? [] : [problem.chart]
  const at = [...above, ...path]
  if (unknown.length === 0) return [`  ${placeOf(at, layers)}${keyText(at)}${text}`]
  const known = await knownKeys(join(chart.directory, ...above.flatMap((name) => ['charts', name])), path)
  return unknown.map((key) => {
    const close = suggest(key, known)
    const meant = close === undefined ? '' : `: did you mean ${JSON.stringify(close)}?`
    return `  ${placeOf([...at, key], layers)}${keyText([...at, key])}no such key${meant}`
  })
}

function keyText(path: readonly string[]): string {
  return path.length === 0 ? '' : `${path.join('.')}: `
}

/**
 * Returns the place in the last layer that has the path; if none has it, as for a missing key, the place of what is
 * above it.
 */
function placeOf(path: readonly string[], layers: readonly Layer[]): string {
  const layer = layers.findLast(({values}) => holds(values, path))
  if (!layer) return path.length === 0 ? '' : placeOf(path.slice(0, -1), layers)
  const {file, line, column} = layer.position?.(path) ?? {}
  if (file !== undefined) return `${file}:${line}:${column}: `
  return `${layer.sourceOf?.(path) ?? layer.source}: `
}

function holds(value: unknown, [key, ...rest]: readonly string[]): boolean {
  if (key === undefined) return true
  if (Array.isArray(value)) return /^\d+$/.test(key) && holds(value[Number(key)], rest)
  return isMap(value) && Object.hasOwn(value, key) && holds(value[key], rest)
}

/** Returns the keys that a chart's schema knows at a path; none if the path cannot be followed. */
async function knownKeys(directory: string, path: readonly string[]): Promise<readonly string[]> {
  const text = await readFile(join(directory, 'values.schema.json'), 'utf8').catch(() => '{}')
  const root = JSON.parse(text) as Values
  const found = path.reduce<unknown>((schema, step) => below(resolved(schema, root), step), root)
  const {properties} = resolved(found, root)
  return isMap(properties) ? Object.keys(properties) : []
}

function below({properties, additionalProperties, items}: Values, step: string): unknown {
  if (isMap(properties) && Object.hasOwn(properties, step)) return properties[step]
  return additionalProperties ?? items
}

/** Returns a schema with the definition behind its `$ref` into the same file merged in. */
function resolved(schema: unknown, root: Values): Values {
  if (!isMap(schema)) return {}
  const {$ref} = schema
  if (typeof $ref !== 'string' || !$ref.startsWith('#/')) return schema
  const steps = $ref.slice(2).split('/')
  const found = steps.reduce<unknown>((at, step) => (isMap(at) ? at[step] : undefined), root)
  return isMap(found) ? {...found, ...schema} : schema
}
