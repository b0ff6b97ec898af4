import {readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import fastify from 'fastify'
import {describe, expect, it} from 'vitest'
import {openFinding, openOptions} from '../../src/cli/open/charts.ts'
import {editorSchema} from '../../src/verbs/editor-schema.ts'
import {readYaml} from '../../src/yaml/yaml.ts'

const ENVIRONMENTS = join(import.meta.dirname, '../../environments')
const text = await editorSchema(openFinding(undefined), openOptions())

/** Returns the violations that Ajv finds in a document. */
const violations = await (async () => {
  const {$schema: _, ...body} = JSON.parse(text) as Record<string, unknown>
  const options = {removeAdditional: false, coerceTypes: false, useDefaults: false, strict: false} as const
  const server = fastify({ajv: {customOptions: options}})
  server.post('/', {schema: {body}}, async () => '')
  await server.ready()
  return async (document: object) => {
    const {statusCode, body: answer} = await server.inject({method: 'POST', url: '/', payload: document})
    return statusCode === 200 ? '' : answer
  }
})()

describe('the schema for editors', () => {
  it.each(readdirSync(ENVIRONMENTS))('accepts %s', async (name) => {
    const file = join(ENVIRONMENTS, name)

    expect(await violations(readYaml(readFileSync(file, 'utf8'), {file}) as object)).toBe('')
  })

  it.each<[object, string]>([
    [{keystone: {pod: {replicas: {appi: 3}}}}, '/keystone/pod/replicas'],
    [{nova: {manifests: {job_dbsync: false}}}, '/nova/manifests'],
    [{global: {tls: {publik: true}}}, '/global/tls'],
    [{kk: {nam: 'cloud'}}, '/kk'],
  ])('refuses a key that no chart has: %j', async (document, place) => {
    expect(await violations(document)).toContain(`body${place}`)
  })

  it('accepts a release with another name, which may be of any chart', async () => {
    expect(await violations({'keystone-2': {anything: true}})).toBe('')
  })

  it('has the options of a service below conf, and accepts those of plugins', async () => {
    const schema = JSON.parse(text) as Schema
    const at = (path: readonly string[]) =>
      path.reduce((from, key) => resolved(schema, resolved(schema, from).properties![key]!), schema)

    expect(at(['keystone', 'conf', 'keystone', 'token']).properties).toHaveProperty('expiration')
    expect(await violations({keystone: {conf: {keystone: {my_plugin: {url: 'x'}}}}})).toBe('')
  })

  it('has every schema once: it is small enough for an editor', () => {
    expect(text.length).toBeLessThan(700_000)
  })
})

interface Schema {
  readonly $ref?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly $defs?: Readonly<Record<string, Schema>>
}

function resolved(root: Schema, schema: Schema): Schema {
  const name = schema.$ref?.replace('#/$defs/', '')
  return name === undefined ? schema : resolved(root, root.$defs![name]!)
}
