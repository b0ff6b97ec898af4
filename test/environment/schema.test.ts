import {readdir, readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {describe, expect, it} from 'vitest'
import {type JsonSchema, resolveRef, validate} from '../../src/base/validate.ts'
import {ENVIRONMENT_SCHEMA} from '../../src/environment/schema.ts'
import {readYaml} from '../../src/yaml/yaml.ts'

/** Every key of the file with its schema, as `kk.releases.*.chart`. */
function keysOf(schema: JsonSchema, path: string[] = []): [path: string, schema: JsonSchema][] {
  const own = resolveRef(schema, ENVIRONMENT_SCHEMA)
  const below = [
    ...Object.entries(own.properties ?? {}),
    ...(own.additionalProperties ? [['*', own.additionalProperties] as const] : []),
  ]
  return [
    ...below.flatMap(([key, inner]) => [
      [[...path, key].join('.'), resolveRef(inner, ENVIRONMENT_SCHEMA)] as [string, JsonSchema],
      ...keysOf(inner, [...path, key]),
    ]),
    ...[own.items, ...(own.anyOf ?? [])].flatMap((inner) => (inner ? keysOf(inner, path) : [])),
  ]
}

const KEYS = keysOf(ENVIRONMENT_SCHEMA)

describe('the schema of the environment file', () => {
  it('has the documented keys', () => {
    expect(KEYS.map(([path]) => path)).toMatchSnapshot()
  })

  it.each(KEYS)('describes the purpose and the expected value of %s', (_, schema) => {
    expect(schema.description).toMatch(/\.$/)
    expect(schema.title ?? '').not.toBe('')
  })

  it.each(KEYS.filter(([, schema]) => schema.examples))('has valid examples of %s', (_, schema) => {
    const problems = (schema.examples ?? []).flatMap((example) =>
      validate({...schema, $defs: ENVIRONMENT_SCHEMA.$defs!}, example),
    )

    expect(problems).toEqual([])
  })

  it('accepts the built-in environments', async () => {
    const directory = join(import.meta.dirname, '../../environments')
    const files = await readdir(directory)

    for (const file of files) {
      const value = readYaml(await readFile(join(directory, file), 'utf8'), {file})
      expect(validate(ENVIRONMENT_SCHEMA, value), file).toEqual([])
    }
    expect(files).toContain('all-in-one.yaml')
  })
})
