import {suggest} from './suggest.ts'

/**
 * The part of JSON Schema 2020-12 that kk writes and `validate` checks. `title` describes the expected value
 * in messages.
 */
export interface JsonSchema {
  readonly $schema?: string
  readonly $id?: string
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, JsonSchema>>
  readonly title?: string
  readonly description?: string
  readonly examples?: readonly unknown[]
  readonly default?: unknown
  readonly type?: JsonType | readonly JsonType[]
  readonly enum?: readonly string[]
  readonly pattern?: string
  readonly maxLength?: number
  readonly minimum?: number
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly propertyNames?: JsonSchema
  readonly additionalProperties?: false | JsonSchema
  readonly items?: JsonSchema
  readonly minItems?: number
  readonly anyOf?: readonly JsonSchema[]
}

type JsonType = 'null' | 'boolean' | 'number' | 'integer' | 'string' | 'array' | 'object'

/** A violation of the schema. `path` is the path of the invalid value or key. */
export interface Problem {
  readonly path: readonly (string | number)[]
  readonly expected: string
  /** The actual value, as messages show it. */
  readonly got: string
  readonly hint: string | undefined
}

interface SchemaPath {
  readonly root: JsonSchema
  readonly isSecret: boolean
  readonly path: readonly (string | number)[]
}

/**
 * Returns all problems of a value in the order of its keys; none if the value follows the schema. With
 * `isSecret`, problems name only the types of values.
 */
export function validate(schema: JsonSchema, value: unknown, {isSecret = false} = {}): Problem[] {
  return check(schema, value, {root: schema, isSecret, path: []})
}

function check(unresolved: JsonSchema, value: unknown, place: SchemaPath): Problem[] {
  const schema = resolveRef(unresolved, place.root)
  if (schema.anyOf) return checkAnyOf(schema, schema.anyOf, value, place)
  const type = typeOf(value)
  if (schema.type !== undefined && ![schema.type].flat().some((each) => isOfType(each, value)))
    return [wrongType(schema, value, place)]
  if (typeof value === 'number' && value < (schema.minimum ?? value)) return [wrongType(schema, value, place)]
  if (typeof value === 'string') return checkString(schema, value, place)
  if (Array.isArray(value)) return checkList(schema, value, place)
  return type === 'object' ? checkMap(schema, value as Record<string, unknown>, place) : []
}

/** Resolves `$ref`; keys next to it override those of the definition. */
export function resolveRef(schema: JsonSchema, root: JsonSchema): JsonSchema {
  if (schema.$ref === undefined) return schema
  return {...root.$defs?.[schema.$ref.slice('#/$defs/'.length)], ...schema}
}

function isOfType(type: JsonType, value: unknown): boolean {
  return type === 'integer' ? Number.isInteger(value) : typeOf(value) === type
}

function typeOf(value: unknown): JsonType {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value as JsonType
}

function wrongType(schema: JsonSchema, value: unknown, place: SchemaPath): Problem {
  const types = [schema.type].flat()
  const word = typeof value === 'number' || typeof value === 'boolean'
  const hint = types.includes('string') && word ? 'write it in quotes' : undefined
  const got = types.includes('object') ? describeType(value) : shown(value, place)
  return {path: place.path, expected: expectation(schema), got, hint}
}

function expectation(schema: JsonSchema): string {
  return schema.title ?? [schema.type].flat().join(' or ')
}

function describeType(value: unknown): string {
  if (value === null) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'a map' : `a ${typeof value}`
}

/**
 * Returns a value as messages show it. Only settings of kk may be shown: values of sections may be secrets.
 */
function shown(value: unknown, {isSecret}: SchemaPath): string {
  const isWord = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
  return isWord && !isSecret ? `the ${typeof value} ${JSON.stringify(value)}` : describeType(value)
}

function checkString(schema: JsonSchema, value: string, {path, isSecret}: SchemaPath): Problem[] {
  const short = schema.maxLength === undefined || value.length <= schema.maxLength
  const matches = schema.pattern === undefined || new RegExp(schema.pattern, 'u').test(value)
  const allowed = schema.enum === undefined || schema.enum.includes(value)
  if (short && matches && allowed) return []
  const close = schema.enum && suggest(value, schema.enum)
  const hint = close === undefined ? undefined : `did you mean "${close}"?`
  return [
    {path, expected: expectation(schema), got: isSecret ? describeType(value) : JSON.stringify(value), hint},
  ]
}

function checkList(schema: JsonSchema, value: readonly unknown[], place: SchemaPath): Problem[] {
  const {items, minItems = 0} = schema
  if (value.length < minItems) {
    return [{path: place.path, expected: expectation(schema), got: 'an empty list', hint: undefined}]
  }
  if (!items) return []
  return value.flatMap((item, index) => check(items, item, {...place, path: [...place.path, index]}))
}

function checkMap(schema: JsonSchema, value: Record<string, unknown>, place: SchemaPath): Problem[] {
  const missing = (schema.required ?? []).filter((key) => !Object.hasOwn(value, key))
  const problems = missing.map((key) => ({
    path: place.path,
    expected: `the key "${key}"`,
    got: `only ${Object.keys(value).join(', ') || 'an empty map'}`,
    hint: `add ${key}:`,
  }))
  return [
    ...problems,
    ...Object.entries(value).flatMap(([key, inner]) => checkEntry(schema, [key, inner], place)),
  ]
}

function checkEntry(schema: JsonSchema, [key, value]: [string, unknown], place: SchemaPath): Problem[] {
  const path = [...place.path, key]
  const properties = schema.properties ?? {}
  const property = Object.hasOwn(properties, key) ? properties[key] : undefined
  if (property) return check(property, value, {...place, path})
  const names = schema.propertyNames && check(schema.propertyNames, key, {...place, path})
  if (names && names.length > 0) return names
  if (schema.additionalProperties) return check(schema.additionalProperties, value, {...place, path})
  return schema.additionalProperties === false ? [unknownKey(Object.keys(properties), key, path)] : []
}

function unknownKey(allowed: readonly string[], key: string, path: SchemaPath['path']): Problem {
  const close = suggest(key, allowed)
  const hint = close === undefined ? 'remove it, or move it into a section' : `did you mean "${close}"?`
  return {path, expected: `one of the keys ${allowed.join(', ')}`, got: JSON.stringify(key), hint}
}

/** Checks a value against the alternative it most likely means, chosen by its type and its required keys. */
function checkAnyOf(
  schema: JsonSchema,
  choices: readonly JsonSchema[],
  value: unknown,
  place: SchemaPath,
): Problem[] {
  const type = typeOf(value)
  const sameType = choices
    .map((each) => resolveRef(each, place.root))
    .filter((each) => [each.type].flat().includes(type))
  if (sameType.length === 0)
    return [wrongType({...schema, type: choices.flatMap((each) => each.type ?? [])}, value, place)]
  const match = sameType.find((each) =>
    (each.required ?? []).every((key) => Object.hasOwn(value as object, key)),
  )
  if (match) return check(match, value, place)
  if (sameType.length === 1) return check(sameType[0] as JsonSchema, value, place)
  return [{path: place.path, expected: expectation(schema), got: shown(value, place), hint: undefined}]
}
