import type {JsonSchema} from '../../environment/schema.ts'

const LABELS: JsonSchema = {type: 'object', additionalProperties: {type: 'string'}}
const HOOKS: JsonSchema = {
  type: 'array',
  items: closed({name: {type: 'string'}, type: {type: 'string'}, labels: LABELS}, ['type']),
}
const WAIT_RESOURCE = closed(
  {type: {type: 'string'}, labels: LABELS, min_ready: {type: ['number', 'string']}},
  ['type'],
)

const DATA = closed(
  {
    namespace: {type: 'string'},
    chart_name: {type: 'string'},
    release: {type: 'string'},
    source: closed(
      {
        type: {type: 'string', enum: ['git', 'local', 'tar']},
        location: {type: 'string'},
        subpath: {type: 'string'},
        reference: {type: 'string'},
        proxy_server: {type: 'string'},
        auth_method: {type: 'string'},
      },
      ['type', 'location', 'subpath'],
    ),
    values: {type: 'object'},
    dependencies: {type: 'array', items: {type: 'string'}},
    protected: closed({continue_processing: {type: 'boolean'}}),
    test: {
      anyOf: [
        {type: 'boolean'},
        closed({
          enabled: {type: 'boolean'},
          timeout: {type: 'number'},
          options: closed({cleanup: {type: 'boolean'}}),
        }),
      ],
    },
    timeout: {type: 'number'},
    wait: closed({
      timeout: {type: 'number'},
      labels: LABELS,
      resources: {type: 'array', items: WAIT_RESOURCE},
      native: closed({enabled: {type: 'boolean'}}),
    }),
    delete: closed({timeout: {type: 'number'}}),
    install: {type: 'object'},
    upgrade: closed(
      {
        no_hooks: {type: 'boolean'},
        pre: closed({delete: HOOKS, update: HOOKS, create: HOOKS}),
        post: closed({create: HOOKS}),
        options: closed({force: {type: 'boolean'}}),
      },
      ['no_hooks'],
    ),
  },
  ['namespace', 'chart_name', 'release', 'source'],
)

/** A document `armada/Chart/v1` that is complete. Armada: schemas/armada-chart-schema-v1.yaml. */
export const ARMADA_CHART_SCHEMA: JsonSchema = closed(
  {
    schema: {type: 'string', enum: ['armada/Chart/v1']},
    metadata: {
      type: 'object',
      properties: {schema: {type: 'string'}, name: {type: 'string'}},
      required: ['schema', 'name'],
    },
    data: DATA,
  },
  ['schema', 'metadata', 'data'],
)

function closed(
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
): JsonSchema {
  return {type: 'object', properties, required, additionalProperties: false}
}
