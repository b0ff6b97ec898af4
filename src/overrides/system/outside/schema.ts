import type {JsonSchema} from '../../../environment/schema.ts'
import {FACT_NAMES, NAMESPACE} from '../../facts/schema.ts'

const FACT_NAME = {
  title: 'the name of a fact',
  type: 'string',
  enum: FACT_NAMES,
} as const satisfies JsonSchema

const TEXTS = {
  title: 'a list of texts',
  type: 'array',
  items: {title: 'a text', type: 'string', pattern: '.'},
} as const

/** What a program says of itself: the answer to `describe`. */
const DECLARATION = {
  chart: {
    title: 'the name of a chart',
    description: 'The chart that the plugin is for.',
    type: 'string',
    pattern: '^[A-Za-z0-9]([-._A-Za-z0-9]*[A-Za-z0-9])?$',
  },
  namespaces: {
    title: 'a list of at least one namespace',
    type: 'array',
    items: NAMESPACE,
    minItems: 1,
    description:
      'Where the chart can be without an environment, which may put it anywhere; by default openstack.',
  },
  reads: {
    title: 'a list of names of facts',
    description: 'The facts that decide the overrides; no other is handed to the plugin.',
    type: 'array',
    items: FACT_NAME,
  },
  secrets: {
    title: 'a list of secrets',
    description: 'Passwords and keys that kk is to make once, and where the chart wants them.',
    type: 'array',
    items: {
      title: '{name, kind, path}',
      type: 'object',
      properties: {
        name: {title: 'a text', type: 'string', pattern: '^[A-Za-z0-9]([-._A-Za-z0-9]*[A-Za-z0-9])?$'},
        kind: {
          title: '"password", "fernet", "uuid", "rsa" or "token"',
          type: 'string',
          enum: ['password', 'fernet', 'uuid', 'rsa', 'token'],
        },
        path: {...TEXTS, title: 'a list of keys'},
      },
      required: ['name', 'kind', 'path'],
      additionalProperties: false,
    },
  },
} as const satisfies Record<string, JsonSchema>

export const DECLARATION_SCHEMA: JsonSchema = {
  title: '{chart, namespaces, reads, secrets}',
  type: 'object',
  properties: DECLARATION,
  required: ['chart'],
  additionalProperties: false,
}

export const ANSWER_SCHEMA: JsonSchema = {
  title: '{values}',
  type: 'object',
  properties: {values: {title: 'a map of values', type: 'object'}},
  required: ['values'],
  additionalProperties: false,
}
