import type {JsonSchema} from '../../../environment/schema.ts'
import {FACT_NAMES, NAMESPACE} from '../../facts/schema.ts'

const FACT_NAME = {
  title: 'the name of a fact',
  type: 'string',
  enum: FACT_NAMES,
} as const satisfies JsonSchema

const SCALAR = {title: 'a text, a number or true or false', type: ['string', 'number', 'boolean']} as const

const TEXTS = {
  title: 'a list of texts',
  type: 'array',
  items: {title: 'a text', type: 'string', pattern: '.'},
} as const

/** What a plugin from outside says of itself, in a rule file or as the answer to `describe`. */
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

/** A plugin without a program. `kk schema plugin` prints it. */
export const RULES_SCHEMA: JsonSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://kk.openstack.org/schema/plugin.json',
  title: 'a map with chart and rules',
  description: 'Rules that make the system overrides of one chart from facts.',
  type: 'object',
  properties: {
    ...DECLARATION,
    rules: {
      title: 'a list of rules',
      description: 'Each rule that holds is merged over those before it.',
      type: 'array',
      items: {
        title: '{when, values}',
        type: 'object',
        properties: {
          when: {
            title: 'a map of facts',
            description:
              'What must be so, all of it; a fact that nobody knows is nothing. Without it the rule always holds.',
            type: 'object',
            propertyNames: FACT_NAME,
            additionalProperties: {
              title: 'a value, or {min, max, in}',
              anyOf: [
                SCALAR,
                {
                  title: '{min, max, in}',
                  type: 'object',
                  properties: {
                    min: {title: 'a number', description: 'At least; of a list, its length.', type: 'number'},
                    max: {title: 'a number', description: 'At most; of a list, its length.', type: 'number'},
                    in: {
                      title: 'a list of values',
                      description: 'One of these.',
                      type: 'array',
                      items: SCALAR,
                    },
                  },
                  additionalProperties: false,
                },
              ],
            },
          },
          values: {
            title: 'a map of values',
            description:
              'Values for the chart. `$(fact)` stands for a fact; where nobody knows it, the key is left out. `$$(` is a `$(`.',
            type: 'object',
          },
        },
        required: ['values'],
        additionalProperties: false,
      },
    },
  },
  required: ['chart', 'rules'],
  additionalProperties: false,
}
