import {ENVIRONMENT} from '../../src/operator/crds/environment.ts'
import {NODE_OPERATION} from '../../src/operator/crds/node-operation.ts'
import type {Fields, Schema} from '../../src/operator/crds/schema.ts'
import {markdownTable} from './marked.ts'

/** The parts of `docs/environment-resource.md`. */
export function kindTables(): Record<string, string> {
  const table = (spec: Fields) => markdownTable(['field', 'meaning'], rowsOf(spec, 'spec'))
  return {'environment-spec': table(ENVIRONMENT.spec), 'node-operation-spec': table(NODE_OPERATION.spec)}
}

/** One row per field, before its own fields. */
function rowsOf({properties}: Fields, path: string): readonly (readonly string[])[] {
  return Object.entries(properties).flatMap(([key, schema]) => {
    const name = `${path}.${key}${schema.type === 'array' ? '[]' : ''}`
    const inner = schema.type === 'array' ? schema.items : schema
    const below = inner.type === 'object' ? rowsOf(inner, name) : []
    return [[`\`${name}\``, meaning(schema, inner)], ...below]
  })
}

function meaning({description = ''}: Schema, inner: Schema): string {
  const words = inner.type === 'string' ? inner.enum : undefined
  return words ? `${description} One of ${words.map((word) => `\`${word}\``).join(', ')}.` : description
}
