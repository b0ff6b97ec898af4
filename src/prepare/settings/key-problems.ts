import {existsSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {mergeValues} from '../../base/merge.ts'
import {isEmpty, isMap, type Values} from '../../base/values.ts'
import type {SchemaProblem} from '../../helm/schema-problems.ts'
import {releaseName} from '../../release.ts'
import {problemLines, resolved} from '../positioned-problems.ts'
import type {Prepared} from '../prepare.ts'
import {isWritten} from '../setting-notes.ts'
import {didYouMean} from './option-problems.ts'
import type {SettingProblem} from './setting-problem.ts'

/**
 * Returns the keys that users set and the schemas of the charts do not allow, in helm's stead: values of
 * wrong types, and combinations, are only found by helm.
 */
export async function keyProblems({
  releases,
}: Pick<Prepared, 'releases'>): Promise<readonly SettingProblem[]> {
  const problems = [...releases].map(async ([release, {chart, layers}]) => {
    const values = mergeValues(...layers.filter(isWritten).map((layer) => layer.values))
    const root = isEmpty(values) ? {} : readSchema(chart.directory)
    const unknown = unknownKeys(values, root, {root, chart: chart.name, path: []})
    const lines = await Promise.all(unknown.map((each) => problemLines(each, {chart, layers})))
    return lines.flat().map(
      (line): SettingProblem => ({
        ...{release, level: 'problem', what: line.trim()},
        subject: `${releaseName(release)}: the values break the schema of the chart`,
      }),
    )
  })
  return (await Promise.all(problems)).flat()
}

/** Returns whether a chart has a schema for its values, without which no key is compared. */
export function hasSchema({directory}: {readonly directory: string}): boolean {
  return existsSync(join(directory, SCHEMA))
}

const SCHEMA = 'values.schema.json'

/**
 * Returns the schema of a chart; an empty one if there is none, or if it cannot be read, which helm reports.
 */
function readSchema(directory: string): Values {
  if (!hasSchema({directory})) return {}
  try {
    const schema: unknown = JSON.parse(readFileSync(join(directory, SCHEMA), 'utf8'))
    return isMap(schema) ? schema : {}
  } catch {
    return {}
  }
}

interface SchemaPlace {
  readonly root: Values
  readonly chart: string
  readonly path: readonly string[]
}

function unknownKeys(value: unknown, stated: unknown, place: SchemaPlace): readonly SchemaProblem[] {
  const {chart, path} = place
  if (stated === false) return [{chart, path, text: 'not allowed here', unknown: []}]
  if (!isMap(value)) return []
  const schema = mapSchema(resolved(stated, place.root), place.root)
  const {properties, propertyNames, additionalProperties, patternProperties} = schema
  const known = isMap(properties) ? properties : {}
  const names = namesOf(propertyNames, place.root)
  return Object.entries(value).flatMap(([key, inner]): readonly SchemaProblem[] => {
    const below = {...place, path: [...path, key]}
    if (inner === null) return []
    if (names && !names.includes(key))
      return [{...{chart, path: below.path, unknown: []}, text: `no such key${didYouMean(key, names)}`}]
    if (Object.hasOwn(known, key)) return unknownKeys(inner, known[key], below)
    if (patternProperties !== undefined) return []
    if (additionalProperties === false) return [{chart, path, text: '', unknown: [key]}]
    return unknownKeys(inner, additionalProperties, below)
  })
}

/** Returns a schema with the only one of its alternatives that allows a map. */
function mapSchema(schema: Values, root: Values): Values {
  if (!Array.isArray(schema.anyOf)) return schema
  const maps = schema.anyOf
    .map((each) => resolved(each, root))
    .filter(
      ({type, enum: words}) =>
        words === undefined && (type === undefined || [type].flat().includes('object')),
    )
  return maps.length === 1 ? {...schema, ...maps[0]} : schema
}

/** Returns the names that a schema of names allows; undefined if it does not list them. */
function namesOf(stated: unknown, root: Values): readonly string[] | undefined {
  const {enum: words, const: word, anyOf} = resolved(stated, root)
  if (Array.isArray(words)) return words
  if (word !== undefined) return [String(word)]
  const names = Array.isArray(anyOf) ? anyOf.map((each) => namesOf(each, root)) : [undefined]
  return names.every((each) => each !== undefined) ? names.flat() : undefined
}
