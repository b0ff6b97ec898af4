import {dig} from '../../base/dig.ts'
import {KkError} from '../../base/errors.ts'
import {type JsonSchema, type Problem, validate} from '../../base/validate.ts'
import type {Values} from '../../base/values.ts'

/** Returns the name of a document; empty if it has none. */
export function documentName({metadata}: Values): string {
  return String(dig(metadata, 'name') ?? '')
}

/** Throws `KK_ARMADA` if an Armada document violates its schema; other documents are ignored. */
export function expectDocument(document: Values, at: string): void {
  const schema = SCHEMAS[String(document.schema)]
  const [problem] = schema === undefined ? [] : validate(schema, document)
  if (problem === undefined) return
  throw new KkError('KK_ARMADA', `${at}: ${problemText(problem)}`, {
    hint: `make it a complete document of the schema ${document.schema}`,
  })
}

function problemText({path, expected, got}: Problem): string {
  const place = path.length === 0 ? '' : `${path.join('.')}: `
  return got === '' ? `${place}${expected}` : `${place}expected ${expected}, got ${got}`
}

const TEXT: JsonSchema = {type: 'string'}
const TEXTS: JsonSchema = {type: 'array', items: TEXT}
const WHOLE: JsonSchema = {type: 'integer'}
const SWITCH: JsonSchema = {type: 'boolean'}
const LABELS: JsonSchema = {type: 'object', additionalProperties: TEXT}
const MIN_READY: JsonSchema = {type: ['integer', 'string']}

function closed(
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
): JsonSchema {
  return {type: 'object', properties, required, additionalProperties: false}
}

function list(items: JsonSchema): JsonSchema {
  return {type: 'array', items}
}

const SOURCE = {
  type: {type: 'string', enum: ['git', 'local', 'tar']},
  location: TEXT,
  subpath: TEXT,
  reference: TEXT,
  proxy_server: TEXT,
  auth_method: TEXT,
} satisfies Record<string, JsonSchema>

const TEST = closed({enabled: SWITCH, timeout: WHOLE, options: closed({cleanup: SWITCH})})
const COMMON = {
  release: TEXT,
  namespace: TEXT,
  values: {type: 'object'},
  dependencies: TEXTS,
  protected: closed({continue_processing: SWITCH}),
  delete: closed({timeout: WHOLE}),
} satisfies Record<string, JsonSchema>

const HOOKS_V1 = list(closed({name: TEXT, type: TEXT, labels: LABELS}, ['type']))

const CHART_V1 = closed(
  {
    ...COMMON,
    chart_name: TEXT,
    source: closed(SOURCE, ['type', 'location', 'subpath']),
    test: {anyOf: [SWITCH, TEST]},
    timeout: WHOLE,
    wait: closed({
      timeout: WHOLE,
      resources: list(closed({type: TEXT, labels: LABELS, min_ready: MIN_READY}, ['type'])),
      labels: LABELS,
      native: closed({enabled: SWITCH}),
    }),
    install: {type: 'object'},
    upgrade: closed(
      {
        no_hooks: SWITCH,
        pre: closed({delete: HOOKS_V1, update: HOOKS_V1, create: HOOKS_V1}),
        post: closed({create: HOOKS_V1}),
        options: closed({force: SWITCH, recreate_pods: SWITCH}),
      },
      ['no_hooks'],
    ),
  },
  ['namespace', 'chart_name', 'release', 'source'],
)

const WAITED: JsonSchema = {
  type: 'object',
  properties: {labels: LABELS, min_ready: MIN_READY, required: SWITCH},
}

const CHART_V2 = closed(
  {
    ...COMMON,
    source: closed(SOURCE, ['type', 'location']),
    test: TEST,
    wait: closed({
      timeout: WHOLE,
      resources: {
        anyOf: [
          {type: 'object', additionalProperties: {anyOf: [WAITED, list(WAITED)]}},
          list({type: 'object', properties: {...WAITED.properties, type: TEXT}, required: ['type']}),
        ],
      },
      labels: LABELS,
      native: closed({enabled: SWITCH}),
    }),
    upgrade: closed({
      pre: closed({delete: list(closed({type: TEXT, labels: LABELS}, ['type']))}),
      options: closed({force: SWITCH, recreate_pods: SWITCH, no_hooks: SWITCH}),
    }),
  },
  ['namespace', 'release', 'source'],
)

const GROUP_V1 = closed(
  {name: TEXT, description: TEXT, sequenced: SWITCH, test_charts: SWITCH, chart_group: TEXTS},
  ['chart_group'],
)
const GROUP_V2 = closed({name: TEXT, description: TEXT, sequenced: SWITCH, chart_group: TEXTS}, [
  'chart_group',
])
const MANIFEST = closed({release_prefix: TEXT, chart_groups: TEXTS}, ['chart_groups', 'release_prefix'])

/** Armada: armada/schemas, each with the metadata of a document around its data. */
const SCHEMAS: Readonly<Record<string, JsonSchema>> = Object.fromEntries(
  Object.entries({
    'armada/Chart/v1': CHART_V1,
    'armada/Chart/v2': CHART_V2,
    'armada/ChartGroup/v1': GROUP_V1,
    'armada/ChartGroup/v2': GROUP_V2,
    'armada/Manifest/v1': MANIFEST,
    'armada/Manifest/v2': MANIFEST,
  }).map(([schema, data]) => [schema, documentSchema(schema, data)]),
)

function documentSchema(schema: string, data: JsonSchema): JsonSchema {
  const metadata: JsonSchema = {
    type: 'object',
    properties: {schema: TEXT, name: TEXT},
    required: ['schema', 'name'],
  }
  return closed({schema: {type: 'string', enum: [schema]}, metadata, data}, ['schema', 'metadata', 'data'])
}
