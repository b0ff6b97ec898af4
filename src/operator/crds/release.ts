import type {ReleaseId} from '../../release.ts'
import {CONDITIONS} from './conditions.ts'
import {type Crd, crdResource} from './crd.ts'
import type {Schema, ValueOf} from './schema.ts'

const NAME = {type: 'string', minLength: 1, maxLength: 63} as const satisfies Schema

const SPEC = {
  type: 'object',
  description: 'Desired state of the release, from the last plan.',
  required: ['release', 'chart', 'action', 'requires', 'protected'],
  properties: {
    release: {
      type: 'object',
      description: 'Namespace and name of the Helm release.',
      required: ['namespace', 'name'],
      properties: {namespace: NAME, name: NAME},
      'x-kubernetes-validations': [{rule: 'self == oldSelf', message: 'spec.release is immutable'}],
    },
    section: {
      type: 'string',
      description: 'Section of the environment file, if the section has several releases.',
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
    inputs: {type: 'string', description: 'Digest of the inputs of the release.', maxLength: 40},
    action: {
      type: 'string',
      description: 'Action of the last plan on the release.',
      enum: ['install', 'upgrade', 'await', 'relabel', 'check', 'unchanged'],
    },
    requires: {
      type: 'array',
      description:
        'Releases that must be healthy (ready), or whose objects must exist (applied), before this release is changed.',
      maxItems: 200,
      'x-kubernetes-list-type': 'atomic',
      items: {
        type: 'object',
        required: ['namespace', 'name', 'kind'],
        properties: {namespace: NAME, name: NAME, kind: {type: 'string', enum: ['ready', 'applied']}},
      },
    },
    protected: {
      type: 'boolean',
      description: 'Whether the release is removed only when it is named and confirmed.',
    },
    planned: {
      type: 'object',
      description:
        'Task for a child process. The parent process sets it once all requirements have passed their gates, and removes it when the task has ended.',
      required: ['run', 'plan', 'shard', 'task'],
      properties: {
        run: {type: 'string', description: 'ID of the run.', maxLength: 63},
        plan: {type: 'string', description: 'Digest of the plan of the run.', maxLength: 64},
        shard: {type: 'string', description: 'Shard whose child processes run the task.', maxLength: 253},
        task: {
          type: 'string',
          description: 'Name of the Secret, in the namespace of the release, with the chart and the values.',
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
  description: 'Progress of the child process on the last task.',
  required: ['run', 'by', 'reached'],
  properties: {
    run: {type: 'string'},
    by: {...TEXT, description: 'Child process that runs the task.'},
    reached: {
      type: 'string',
      enum: ['running', 'applied', 'gating'],
      description:
        'running: the task has started. applied: the objects of the release exist. gating: helm has ended, and the gate is checked.',
    },
    changing: {type: 'boolean', description: 'Whether helm has started.'},
    phase: {type: 'string', enum: ['validate', 'lease', 'helm', 'gate']},
    message: TEXT,
    blames: {
      type: 'array',
      description: 'Causes of a gate that has not passed: objects that are not healthy.',
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
    revision: {type: 'integer', description: 'Revision whose gate has passed. The task has succeeded.'},
    error: {
      type: 'object',
      description: 'Why the task has failed.',
      required: ['code', 'message'],
      properties: {code: TEXT, message: TEXT, hint: TEXT},
    },
  },
} as const satisfies Schema

const STATUS = {
  type: 'object',
  properties: {
    observedGeneration: {type: 'integer', format: 'int64'},
    revision: {type: 'integer', description: 'Last revision whose gate has passed in this plan.'},
    conditions: CONDITIONS,
    work: WORK,
  },
} as const satisfies Schema

/**
 * The CRD of a Release, which the operator writes and users read: the state of one release of an Environment.
 */
export const RELEASE = {
  kind: 'Release',
  plural: 'releases',
  shortName: 'kkr',
  description:
    'State of one Helm release of an Environment, written by the kk operator. Deleting it removes nothing from the cluster: the operator creates it again.',
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

/** A Release as the API server returns it. */
export interface ReleaseObject {
  readonly metadata: {readonly name: string; readonly labels?: Readonly<Record<string, string>>}
  readonly spec: ReleaseSpec
  readonly status?: ReleaseStatus
}

/** Returns the name of the Release object of a release. */
export function releaseObjectName(environment: string, release: ReleaseId): string {
  return `${environment}.${release.replace('/', '.')}`
}
