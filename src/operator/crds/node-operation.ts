import {CONDITIONS} from './conditions.ts'
import {type Crd, crdResource} from './crd.ts'
import type {Schema, ValueOf} from './schema.ts'

const NAME = {type: 'string', minLength: 1, maxLength: 253} as const satisfies Schema
const TEXT = {type: 'string', maxLength: 16_384} as const satisfies Schema
const TIME = {type: 'string', format: 'date-time'} as const satisfies Schema

const SPEC = {
  type: 'object',
  description: 'What is done with a node. Immutable.',
  required: ['environment', 'node', 'operation'],
  properties: {
    environment: {...NAME, description: 'Name of the Environment whose cloud has the node.'},
    node: {...NAME, description: 'Name of the node in Kubernetes.'},
    operation: {
      type: 'string',
      description: 'The command kk node that the operator carries out without a confirmation.',
      enum: ['drain', 'return', 'evacuate', 'remove', 'add', 'replace'],
    },
    dryRun: {
      type: 'boolean',
      description: 'Whether only status.plan is written, and nothing is changed. Defaults to false.',
    },
    maxMigrations: {
      type: 'integer',
      description: 'How many instances drain moves at once. Defaults to 2.',
      minimum: 1,
    },
    labels: {
      type: 'array',
      description:
        'The labels that remove takes from the node. Defaults to all by which the charts select nodes.',
      items: NAME,
      minItems: 1,
      maxItems: 50,
      'x-kubernetes-list-type': 'set',
    },
    replacement: {...NAME, description: 'The node that takes the place of one that is replaced.'},
    timeout: {
      type: 'string',
      description: 'The time that it may take, such as 2h. Defaults to that of the command.',
      pattern: '^([1-9][0-9]{0,4}s|[1-9][0-9]{0,3}m|[1-9][0-9]?h|[1-3][0-9]{2}h)$',
      maxLength: 6,
    },
  },
  'x-kubernetes-validations': [
    {rule: 'self == oldSelf', message: 'spec is immutable: create another NodeOperation'},
    {
      rule: "!has(self.maxMigrations) || self.operation == 'drain'",
      message: 'only drain has maxMigrations',
    },
    {rule: "!has(self.labels) || self.operation == 'remove'", message: 'only remove has labels'},
    {
      rule: "!has(self.replacement) || self.operation == 'replace'",
      message: 'only replace has replacement',
    },
  ],
} as const satisfies Schema

const STATUS = {
  type: 'object',
  properties: {
    observedGeneration: {type: 'integer', format: 'int64'},
    started: {
      ...TIME,
      description: 'When it began; its timeout counts from then, also if the operator restarts.',
    },
    finished: {...TIME, description: 'When it ended.'},
    plan: {...TEXT, description: 'What is done, as the command shows it.'},
    result: {...TEXT, description: 'What became of it, as the command shows it.'},
    conditions: CONDITIONS,
  },
} as const satisfies Schema

/** The CRD of a NodeOperation, which users write: one command of `kk node`, carried out once. */
export const NODE_OPERATION = {
  kind: 'NodeOperation',
  plural: 'nodeoperations',
  shortName: 'kkno',
  description:
    'One operation on a node of a cloud, such as its drain, which the kk operator carries out once. Operations on the same node follow each other in the order of their creation.',
  spec: SPEC,
  status: STATUS,
  rules: [],
  columns: {
    Environment: '.spec.environment',
    Node: '.spec.node',
    Operation: '.spec.operation',
    Ready: '.status.conditions[?(@.type=="Ready")].status',
    Status: '.status.conditions[?(@.type=="Ready")].message',
  },
} as const satisfies Crd

export const NODE_OPERATIONS = crdResource(NODE_OPERATION)

type NodeOperationSpec = ValueOf<typeof SPEC>
export type NodeOperationStatus = ValueOf<typeof STATUS>

/** A NodeOperation as the API server returns it. */
export interface NodeOperationObject {
  readonly metadata: {
    readonly name: string
    readonly uid: string
    readonly generation?: number
    readonly creationTimestamp?: string
    readonly deletionTimestamp?: string
  }
  readonly spec: NodeOperationSpec
  readonly status?: NodeOperationStatus
}
