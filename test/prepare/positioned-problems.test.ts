import {mkdir, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {beforeAll, expect, it} from 'vitest'
import {readEnvironment} from '../../src/environment/read.ts'
import {helmFailure} from '../../src/helm/failure.ts'
import {BrokenSchema} from '../../src/helm/schema-problems.ts'
import type {Layer} from '../../src/overrides/layer.ts'
import {type LayerSources, releaseLayers} from '../../src/overrides/layers.ts'
import {positioned, positionedError} from '../../src/prepare/positioned-problems.ts'
import {testDirectory} from '../support/test-directory.ts'

const ENVIRONMENT = `kk: {name: cloud}
keystone:
  pods: {}
  pod:
    replica: {api: 2}
    replicas:
      api: many
  memcached:
    prot: 1
`
const REPLICAS = {type: 'object', properties: {api: {type: 'integer'}}, additionalProperties: false}
const SCHEMA = {
  type: 'object',
  additionalProperties: false,
  properties: {pod: {$ref: '#/$defs/pod'}, memcached: {type: 'object'}},
  $defs: {pod: {type: 'object', additionalProperties: false, properties: {replicas: REPLICAS}}},
}

let directory: string
beforeAll(async () => {
  directory = testDirectory()
  await mkdir(join(directory, 'charts/memcached'), {recursive: true})
  await writeFile(join(directory, 'values.schema.json'), JSON.stringify(SCHEMA))
  const sub = {type: 'object', properties: {port: {}}, additionalProperties: false}
  await writeFile(join(directory, 'charts/memcached/values.schema.json'), JSON.stringify(sub))
})

/** What is said of values that helm says this of. */
async function said(lines: readonly string[], {user, sets}: Pick<LayerSources, 'user' | 'sets'> = {}) {
  const environment = readEnvironment({file: 'env.yaml', text: ENVIRONMENT, directory: '/'})
  const layers = releaseLayers({
    environment,
    release: 'keystone',
    ...(user && {user}),
    ...(sets && {sets}),
  })
  const error = helmFailure({
    command: 'template',
    call: {name: 'keystone', namespace: 'openstack'},
    stdout: '',
    stderr: [
      "Error: values don't meet the specifications of the schema(s) in the following chart(s):",
      ...lines,
    ].join('\n'),
    redact: (text) => text,
  })
  expect(error).toBeInstanceOf(BrokenSchema)
  const {code, message} = await positioned(error as BrokenSchema, {
    chart: {name: 'keystone', directory, origin: directory, libraries: []},
    layers,
  })
  expect(code).toBe('KK_VALUES')
  const [first, ...problems] = message.split('\n')
  expect(first).toBe('keystone: the values break the schema of the chart:')
  return problems.map((line) => line.trim())
}

it.each([
  [
    'an unknown key',
    ["- at '': additional properties 'pods' not allowed"],
    ['env.yaml:3:3: pods: no such key: did you mean "pod"?'],
  ],
  [
    'the values of the environment for every release',
    ["- at '': additional properties 'global' not allowed"],
    [
      'env.yaml:2:1: global: no such key: global applies to every release; to exclude this one, in its section: {global: null}',
    ],
  ],
  ['a key that may not be there', ["- at '/pod': false schema"], ['env.yaml:4:3: pod: not allowed here']],
  [
    'an unknown key in the format of older helms',
    ['- (root): Additional property pods is not allowed'],
    ['env.yaml:3:3: pods: no such key: did you mean "pod"?'],
  ],
  [
    'an unknown key below a $ref',
    ["- at '/pod': additional properties 'replica' not allowed"],
    ['env.yaml:5:5: pod.replica: no such key: did you mean "replicas"?'],
  ],
  [
    'an unknown key without a similar one',
    ["- at '/pod': additional properties 'tolerations' not allowed"],
    ['env.yaml:4:3: pod.tolerations: no such key; there are: replicas'],
  ],
  [
    'a wrong type',
    ["- at '/pod/replicas/api': got string, want integer"],
    ['env.yaml:7:7: pod.replicas.api: got string, want integer'],
  ],
  [
    'a wrong type in the format of older helms',
    ['- pod.replicas.api: Invalid type. Expected: integer, given: string'],
    ['env.yaml:7:7: pod.replicas.api: Invalid type. Expected: integer, given: string'],
  ],
  [
    'a missing key',
    ["- at '/pod/replicas': missing property 'os'"],
    ["env.yaml:6:5: pod.replicas: missing property 'os'"],
  ],
  [
    'a value that matches no alternative',
    [
      "- at '/pod/replicas/api': 'oneOf' failed, none matched",
      "  - at '/pod/replicas/api': got string, want integer",
    ],
    [
      "env.yaml:7:7: pod.replicas.api: 'oneOf' failed, none matched; at '/pod/replicas/api': got string, want integer",
    ],
  ],
  [
    'a value that almost matches one alternative',
    [
      "- at '/pod/replicas': 'anyOf' failed",
      "  - at '/pod/replicas': got object, want integer",
      "  - at '/pod/replicas/api': got string, want integer",
    ],
    ['env.yaml:7:7: pod.replicas.api: got string, want integer'],
  ],
  [
    'a value of the chart itself',
    ["- at '/images': got string, want object"],
    ['env.yaml:2:1: images: got string, want object'],
  ],
])('%s is reported with its position and, for a key, a suggestion', async (_what, lines, problems) => {
  expect(await said(['keystone:', ...lines])).toEqual(problems)
})

it('the schema of a subchart applies to its values', async () => {
  const problems = await said(['memcached:', "- at '': additional properties 'prot' not allowed"])

  expect(problems).toEqual(['env.yaml:9:5: memcached.prot: no such key: did you mean "port"?'])
})

it('the layer with the highest precedence is reported: user overrides, and --set without its value', async () => {
  const user: Layer = {name: 'user', source: 'user overrides of openstack/keystone', values: {pods: {a: 1}}}
  const unknown = ['keystone:', "- at '': additional properties 'pods' not allowed"]
  const typed = ['keystone:', "- at '/pod/replicas/api': got string, want integer"]

  const byUser = await said(unknown, {user})
  const bySet = await said(typed, {user, sets: [{flag: '--set', expression: 'pod.replicas.api=lots'}]})

  expect(byUser).toEqual(['user overrides of openstack/keystone: pods: no such key: did you mean "pod"?'])
  expect(bySet).toEqual(['--set keystone:pod.replicas.api=***: pod.replicas.api: got string, want integer'])
})

it.each([
  [
    {files: {keystone: {uses: {midleware: true}}}},
    'common.config.block.midleware',
    'files.keystone.uses.midleware: there is no block midleware: did you mean "middleware"?',
    'the library and the chart have: cache, middleware',
  ],
  [
    {tests: {test: {script: 'a.sh'}}},
    'common.scripts.a.sh',
    'tests.test.script: there is no script a.sh',
    'the library and the chart have: keystone-test.sh',
  ],
])(
  'a name without a template is reported with its position and the existing names: %j',
  async (facts, template, what, hint) => {
    const chart = testDirectory()
    const defines = ['config.block.cache', 'config.block.middleware', 'scripts.keystone-test.sh'].map(
      (name) => `{{- define "common.${name}" -}}a{{- end -}}\n`,
    )
    await mkdir(join(chart, 'charts/common/templates'), {recursive: true})
    await writeFile(join(chart, 'charts/common/templates/_all.tpl'), defines.join(''))
    await writeFile(join(chart, 'values.yaml'), JSON.stringify(facts))
    const stderr = `Error: template: keystone/templates/keystone.yaml:1:3: executing "a" at <include "b" .>: error calling include: template: no template "${template}" associated with template "gotpl"`
    const call = {name: 'keystone', namespace: 'openstack'}
    const error = helmFailure({command: 'template', call, stdout: '', stderr, redact: (text) => text})

    const positioned = await positionedError(error, {
      get: () => ({
        chart: {name: 'keystone', directory: chart, origin: 'charts/keystone', libraries: []},
        layers: [],
      }),
    })

    expect(positioned).toMatchObject({code: 'KK_RENDER', hint, log: []})
    expect((positioned as Error).message).toMatch(
      /^keystone: the chart does not render: charts\/keystone\/values\.yaml:1:\d+: /,
    )
    expect((positioned as Error).message).toContain(what)
  },
)
