/** JSON Schemas of the store as a whole: its history, and what is exported and imported. */

import {flag, name, namespace, yaml} from '../helm-charts/schemas.ts'

const show_secrets = flag('Show secrets as they are; needs a token that may write.')

/** Entries of a page, where nobody says how many. */
export const HISTORY_LIMIT = 1000

export const HISTORY_QUERY = {
  type: 'object',
  additionalProperties: false,
  properties: {
    name: {...name, description: 'The chart; to be given together with `namespace`.'},
    namespace: {...namespace, description: 'Its namespace; to be given together with `name`.'},
    show_secrets,
    limit: {
      type: 'string',
      pattern: '^[1-9][0-9]{0,3}$',
      description: `At most so many entries, by default ${HISTORY_LIMIT}, and fewer where they are long.`,
    },
    before: {
      type: 'string',
      pattern: '^[0-9]{1,15}$',
      description: 'Only what is older than the entry with this `id`: the last one of the page before.',
    },
  },
} as const

const nullableYaml = (description: string) =>
  ({type: ['string', 'null'], description: `${description} YAML; null for none.`}) as const

export const HISTORY = {
  type: 'object',
  required: ['entries'],
  properties: {
    entries: {
      type: 'array',
      description: 'Newest first.',
      items: {
        type: 'object',
        required: ['id', 'at', 'who', 'name', 'namespace', 'before', 'after'],
        properties: {
          id: {type: 'integer'},
          at: {type: 'string', description: 'ISO 8601.'},
          who: {type: 'string'},
          name,
          namespace,
          before: nullableYaml('What the deployer gave before the change.'),
          after: nullableYaml('The same after it.'),
        },
      },
    },
  },
} as const

export const EXPORT_QUERY = {
  type: 'object',
  additionalProperties: false,
  properties: {
    show_secrets: flag(
      'In clear, with generated secrets; needs a token that may write. Else what is encrypted stays so.',
    ),
  },
} as const

const document = yaml('All that the store holds, but its history.')

export const EXPORTED = {type: 'object', required: ['document'], properties: {document}} as const

export const IMPORT_QUERY = {
  type: 'object',
  additionalProperties: false,
  properties: {dry_run: flag('Only say what would change.')},
} as const

export const IMPORT = {
  type: 'object',
  required: ['document'],
  additionalProperties: false,
  properties: {
    document,
    prune: {type: 'boolean', description: 'Delete overrides that the document does not have.'},
  },
  examples: [{document: 'version: 1\noverrides: {rabbitmq: {openstack: {pod: {replicas: 2}}}}\n'}],
} as const

const place = {type: 'object', required: ['name', 'namespace'], properties: {name, namespace}} as const

export const IMPORTED = {
  type: 'object',
  required: ['changed', 'secrets'],
  properties: {
    changed: {
      type: 'array',
      items: {...place, properties: {name, namespace, action: {type: 'string', enum: ['set', 'delete']}}},
    },
    secrets: {type: 'array', items: place, description: 'Generated secrets that are added or replaced.'},
    becomes: {type: 'string', description: 'The id of the store that a new one becomes.'},
  },
} as const
