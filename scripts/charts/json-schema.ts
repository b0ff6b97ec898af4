/** A part of a JSON Schema (draft 7). */
export interface Schema {
  readonly [keyword: string]: unknown
}

export const text: Schema = {type: 'string'}
export const flag: Schema = {type: 'boolean'}
export const whole: Schema = {type: 'integer', minimum: 0}
export const scalar: Schema = {type: ['string', 'number', 'boolean', 'null']}
export const texts: Schema = {type: 'array', items: text}
export const ANY_OBJECT: Schema = {type: ['object', 'null']}

/** An object with only these keys. Null removes a default, so it is allowed everywhere. */
export function closed(properties: Readonly<Record<string, Schema>>): Schema {
  return {type: ['object', 'null'], additionalProperties: false, properties}
}

/** An object with keys of the user's choice. */
export function mapOf(schema: Schema): Schema {
  return {type: ['object', 'null'], additionalProperties: schema}
}

/** An object whose keys are among the names that `names` describes. */
export function keyed(names: Schema, schema: Schema): Schema {
  return {type: ['object', 'null'], propertyNames: names, additionalProperties: schema}
}

/**
 * A definition of this same file: charts render without a network, and Helm resolves `$ref` in no other file.
 */
export function ref(name: string): Schema {
  return {$ref: `#/definitions/${name}`}
}

/**
 * JSON omits symbols, so the meaning is not in the schemas: another byte there would change the digest of
 * each release.
 */
const MEANING = Symbol('meaning')

/** Returns the schema with its description for the documentation. */
export function meaning(words: string, schema: Schema): Schema {
  return {...schema, [MEANING]: words}
}

/** Returns the description of `meaning`; undefined if there is none. */
export function meaningOf(schema: Schema): string | undefined {
  return (schema as {readonly [MEANING]?: string})[MEANING]
}
