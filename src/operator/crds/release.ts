import type {ReleaseId} from '../../release.ts'
import {CONDITIONS} from './conditions.ts'
import {type Crd, crdResource} from './crd.ts'
import type {Schema, ValueOf} from './schema.ts'

const NAME = {type: 'string', minLength: 1, maxLength: 63} as const satisfies Schema

const SPEC = {
  type: 'object',
  description: 'The release as the last plan wants it.',
  required: ['release', 'chart', 'action', 'requires', 'protected'],
  properties: {
    release: {
      type: 'object',
      description: 'What identifies the release.',
      required: ['namespace', 'name'],
      properties: {namespace: NAME, name: NAME},
      'x-kubernetes-validations': [
        {rule: 'self == oldSelf', message: 'a Release is of one release for good'},
      ],
    },
    section: {
      type: 'string',
      description:
        'The section of the environment file that it is a part of, where that is several releases.',
      maxLength: 63,
    },
    chart: {
      type: 'object',
      required: ['name', 'version'],
      properties: {
        name: {type: 'string', maxLength: 253},
        version: {type: 'string', maxLength: 253},
      },
    },
    inputs: {type: 'string', description: 'The digest of all that decides the release.', maxLength: 40},
    action: {
      type: 'string',
      description: 'What the last plan does with it.',
      enum: ['install', 'upgrade', 'await', 'relabel', 'check', 'unchanged'],
    },
    requires: {
      type: 'array',
      description: 'The releases that must be healthy, or whose objects must exist, before it is changed.',
      maxItems: 200,
      'x-kubernetes-list-type': 'atomic',
      items: {
        type: 'object',
        required: ['namespace', 'name', 'kind'],
        properties: {namespace: NAME, name: NAME, kind: {type: 'string', enum: ['ready', 'applied']}},
      },
    },
    protected: {type: 'boolean', description: 'Whether it is removed only when it is named and confirmed.'},
    planned: {
      type: 'object',
      description:
        'While it is there, a child does the action of the plan. The parent writes it once everything that is required passes its gate, and takes it away again.',
      required: ['run', 'plan', 'shard', 'task'],
      properties: {
        run: {type: 'string', description: 'The run that the action is part of.', maxLength: 63},
        plan: {type: 'string', description: 'The digest of its plan.', maxLength: 64},
        shard: {type: 'string', description: 'Whose children do it.', maxLength: 253},
        task: {
          type: 'string',
          description: 'The Secret in the namespace of the release that holds its chart and its values.',
          maxLength: 253,
        },
      },
    },
  },
  'x-kubernetes-validations': [
    {
      rule: '!self.requires.exists(each, each.__namespace__ == self.release.__namespace__ && each.name == self.release.name)',
      message: 'a release cannot require itself',
    },
  ],
} as const satisfies Schema

const TEXT = {type: 'string', maxLength: 1024} as const satisfies Schema

const WORK = {
  type: 'object',
  description: 'How far a child is with what was planned last.',
  required: ['run', 'by', 'reached'],
  properties: {
    run: {type: 'string'},
    by: {...TEXT, description: 'The process that does it.'},
    reached: {
      type: 'string',
      enum: ['running', 'applied', 'gating'],
      description: 'applied: its objects exist. gating: helm has ended.',
    },
    changing: {type: 'boolean', description: 'Whether helm was started.'},
    phase: {type: 'string', enum: ['validate', 'lease', 'helm', 'gate']},
    message: TEXT,
    blames: {
      type: 'array',
      description: 'What is not healthy yet.',
      'x-kubernetes-list-type': 'atomic',
      items: {
        type: 'object',
        required: ['object', 'message'],
        properties: {
          object: {type: 'string'},
          namespace: {type: 'string'},
          message: {type: 'string'},
          pod: {type: 'string'},
          container: {type: 'string'},
          reason: {type: 'string'},
          detail: {type: 'string'},
        },
      },
    },
    revision: {type: 'integer', description: 'The revision whose gate has passed: it is done.'},
    error: {
      type: 'object',
      description: 'Why it has failed: it is done.',
      required: ['code', 'message'],
      properties: {code: TEXT, message: TEXT, hint: TEXT},
    },
  },
} as const satisfies Schema

const STATUS = {
  type: 'object',
  properties: {
    observedGeneration: {type: 'integer', format: 'int64'},
    revision: {type: 'integer', description: 'The revision whose gate has passed last in this plan.'},
    conditions: CONDITIONS,
    work: WORK,
  },
} as const satisfies Schema

/** The operator writes it, people read it: one release of an Environment, and how it is. */
export const RELEASE = {
  kind: 'Release',
  plural: 'releases',
  shortName: 'kkr',
  description:
    'A release of an Environment, as the operator of kk sees it. To delete it removes nothing: it is written again.',
  spec: SPEC,
  status: STATUS,
  rules: [],
  columns: {
    Ready: '.status.conditions[?(@.type=="Ready")].status',
    Status: '.status.conditions[?(@.type=="Ready")].message',
    Chart: '.spec.chart.name',
    Revision: '.status.revision',
  },
} as const satisfies Crd

export const RELEASES = crdResource(RELEASE)

/** The label of a Release that names its Environment. */
export const ENVIRONMENT_LABEL = 'kk.openstack.org/environment'

export type ReleaseSpec = ValueOf<typeof SPEC>
export type ReleaseStatus = ValueOf<typeof STATUS>
export type PlannedTask = NonNullable<ReleaseSpec['planned']>
export type TaskReport = NonNullable<ReleaseStatus['work']>

/** A Release as the API hands it out. */
export interface ReleaseObject {
  readonly metadata: {readonly name: string; readonly labels?: Readonly<Record<string, string>>}
  readonly spec: ReleaseSpec
  readonly status?: ReleaseStatus
}

/** Returns the name of the Release object of a release. */
export function releaseObjectName(environment: string, release: ReleaseId): string {
  return `${environment}.${release.replace('/', '.')}`
}
