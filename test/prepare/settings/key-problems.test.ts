import {writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {expect, it} from 'vitest'
import type {Values} from '../../../src/base/values.ts'
import type {Prepared} from '../../../src/prepare/prepare.ts'
import {keyProblems} from '../../../src/prepare/settings/key-problems.ts'
import {id} from '../../graph/graph-of.ts'
import {testDirectory} from '../../support/test-directory.ts'

const closed = (properties: Values) => ({type: 'object', additionalProperties: false, properties})

const SCHEMA = JSON.stringify({
  ...closed({
    pod: {$ref: '#/definitions/pod'},
    env: {patternProperties: {'^X_': {}}, additionalProperties: false},
    store: {anyOf: [{type: 'string'}, closed({size: {}})]},
    either: {anyOf: [closed({a: {}}), closed({b: {}})]},
    global: {properties: {conf: false}},
  }),
  definitions: {
    pod: closed({replicas: {propertyNames: {anyOf: [{enum: ['api']}, {const: 'all'}]}}}),
  },
})

/** The problems of the values of a chart with this schema. */
async function problems(values: Values, schema = SCHEMA): Promise<readonly string[]> {
  const directory = testDirectory()
  await writeFile(join(directory, 'values.schema.json'), schema)
  const chart = {name: 'own', directory, origin: directory, libraries: []}
  const layers = [{name: 'section', source: 'the section', values}]
  const releases = new Map([[id('own'), {chart, layers}]]) as unknown as Prepared['releases']
  return (await keyProblems({releases})).map(({what}) => what)
}

it.each<[string, Values, string]>([
  ['in a definition', {pod: {replica: 1}}, 'pod.replica: no such key: did you mean "replicas"?'],
  ['among names', {pod: {replicas: {apii: 1}}}, 'pod.replicas.apii: no such key: did you mean "api"?'],
  ['in the only alternative for a map', {store: {sise: 1}}, 'store.sise: no such key'],
  ['that no value is allowed for', {global: {conf: {}}}, 'global.conf: not allowed here'],
])('a key %s is a problem', async (_, values, line) => {
  expect(await problems(values)).toEqual([`the section: ${line}`])
})

it.each<[string, Values]>([
  ['a known name', {pod: {replicas: {all: 1, api: 2}}}],
  ['null, which removes a default', {pods: null}],
  ['a key that a pattern may allow', {env: {X_A: 1}}],
  ['a string instead of a map', {store: 'memory'}],
  ['a key with several alternatives, which helm decides', {either: {c: 1}}],
])('%s is none', async (_, values) => {
  expect(await problems(values)).toEqual([])
})

it('a schema that is no JSON is left to helm', async () => {
  expect(await problems({pods: {}}, '{')).toEqual([])
})
