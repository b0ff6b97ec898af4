import {CONDITIONS} from './conditions.ts'
import {type Crd, crdResource} from './crd.ts'
import type {Schema, ValueOf} from './schema.ts'

const OBJECT_NAME = {
  type: 'string',
  pattern: '^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$',
  maxLength: 253,
} as const satisfies Schema

const PATTERN = {type: 'string', minLength: 1, maxLength: 253} as const satisfies Schema

const SPEC = {
  type: 'object',
  description: 'What the operator is to bring to the cluster.',
  required: ['source'],
  properties: {
    source: {
      type: 'object',
      description:
        'The environment file, as text in an object of the same namespace, or in a registry. An API object could not hold it otherwise: the API server sorts keys and rewrites numbers.',
      properties: {
        configMap: {...OBJECT_NAME, description: 'The ConfigMap that holds it.'},
        secret: {...OBJECT_NAME, description: 'The Secret that holds it.'},
        oci: {
          type: 'string',
          description:
            'The OCI artifact that has it as its only file, by its digest: registry.example.org/clouds/production@sha256:….',
          pattern: '^[^@]+@sha256:[0-9a-f]{64}$',
          maxLength: 512,
        },
        key: {
          type: 'string',
          description: 'The key of the object, environment.yaml unless it is said.',
          minLength: 1,
          maxLength: 253,
        },
      },
      'x-kubernetes-validations': [
        {
          rule: '[has(self.configMap), has(self.secret), has(self.oci)].exists_one(is, is)',
          message: 'name one of configMap, secret and oci',
        },
      ],
    },
    overrides: {
      type: 'object',
      description: "The deployer's overrides, as `kk overrides export --show-secrets` writes them.",
      required: ['secret'],
      properties: {
        secret: {...OBJECT_NAME, description: 'The Secret that holds them, under the key overrides.yaml.'},
      },
    },
    cluster: {
      type: 'object',
      description:
        'The cluster that has the releases, if it is not the one of the operator. It is given for good.',
      required: ['kubeconfigSecret'],
      properties: {
        kubeconfigSecret: {
          ...OBJECT_NAME,
          description:
            'The Secret that holds the kubeconfig. It is read again for each pass; certificates and tokens stand in it, for neither programs nor files of the operator are used.',
        },
        key: {
          type: 'string',
          description: 'The key of the Secret, kubeconfig unless it is said.',
          minLength: 1,
          maxLength: 253,
        },
        context: {
          type: 'string',
          description: 'The context of the kubeconfig, its current one unless it is said.',
          minLength: 1,
          maxLength: 253,
        },
        identity: {
          type: 'string',
          description:
            'The UID of the namespace kube-system of the cluster. Any other cluster is refused; unless it is said, any other than the first.',
          minLength: 1,
          maxLength: 64,
        },
      },
      'x-kubernetes-validations': [
        {
          rule: '!has(oldSelf.identity) || (has(self.identity) && self.identity == oldSelf.identity)',
          message: 'the identity of a cluster is given for good',
        },
      ],
    },
    after: {
      type: 'array',
      description:
        'The Environments that must be ready, with what they are now to be, before changes begin here.',
      maxItems: 16,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['environment'],
      items: {
        type: 'object',
        required: ['environment'],
        properties: {
          environment: {type: 'string', description: 'Its name.', minLength: 1, maxLength: 40},
          for: {
            type: 'string',
            description: 'How long it must have been ready, such as 24h; no time unless it is said.',
            pattern: '^[1-9][0-9]{0,4}[smh]$',
            maxLength: 6,
          },
        },
      },
    },
    suspend: {
      type: 'boolean',
      description:
        'Change nothing. The condition Paused is True once no helm of the operator runs any more; from then on the command line may change the environment.',
    },
    approval: {
      type: 'object',
      description: 'Which plans wait until somebody has approved them.',
      properties: {
        required: {
          type: 'array',
          description:
            'The actions that need approval: install and upgrade of any release, protected for any change of a protected one.',
          maxItems: 3,
          'x-kubernetes-list-type': 'set',
          items: {type: 'string', enum: ['install', 'upgrade', 'protected']},
        },
        after: {
          type: 'array',
          description:
            'Releases after which changes stop: first they are changed, with what they require, and what comes after waits for approval, up to the next one of the list.',
          maxItems: 16,
          'x-kubernetes-list-type': 'atomic',
          items: {type: 'string', minLength: 1, maxLength: 253},
        },
        plan: {
          type: 'string',
          description: 'The digest of the plan, or of the removal, that is approved; no other is.',
          pattern: '^[0-9a-f]{64}$',
          maxLength: 64,
        },
      },
    },
    drift: {
      type: 'object',
      description: 'What is done about objects that are not as the manifests of their releases say.',
      properties: {
        mode: {
          type: 'string',
          enum: ['warn', 'correct', 'ignore'],
          description:
            'warn, unless it is said: the condition Drifted names them. correct: they are also written as the manifests say, without a revision.',
        },
        every: {
          type: 'string',
          description: 'How often it is looked, such as 30m; 1h unless it is said.',
          pattern: '^[1-9][0-9]{0,4}[smh]$',
          maxLength: 6,
        },
        ignore: {
          type: 'array',
          description: 'Fields that somebody else decides: no drift, and never corrected.',
          maxItems: 64,
          'x-kubernetes-list-type': 'atomic',
          items: {
            type: 'object',
            required: ['paths'],
            properties: {
              paths: {
                type: 'array',
                description:
                  'JSON pointers to the fields, with all that is below them, such as /spec/replicas; items of lists by what tells them apart, as drift is told: /spec/template/spec/containers/[main]/image.',
                maxItems: 64,
                'x-kubernetes-list-type': 'set',
                items: {type: 'string', pattern: '^(/[^/]+)+$', maxLength: 512},
              },
              target: {
                type: 'object',
                description: 'The objects that have them, by patterns as of a shell; all, unless it is said.',
                properties: {
                  kind: {...PATTERN, description: 'Their kind, such as Deployment.'},
                  name: {...PATTERN, description: 'Their name, such as nova-*.'},
                  namespace: {...PATTERN, description: 'Their namespace.'},
                },
              },
            },
          },
        },
      },
    },
    deletionPolicy: {
      type: 'string',
      enum: ['Orphan', 'RemoveUnshared'],
      description:
        'What becomes of the releases when the Environment is deleted. Orphan, unless it is said: they stay. RemoveUnshared removes those that nobody else uses and that are not protected, if it was set before, and if the annotation kk.openstack.org/confirm-remove is the UID of the Environment.',
    },
  },
  'x-kubernetes-validations': [
    {
      rule: 'has(self.cluster) == has(oldSelf.cluster)',
      message: 'an Environment is of one cluster for good: make another one for another cluster',
    },
  ],
} as const satisfies Schema

const STATUS = {
  type: 'object',
  properties: {
    observedGeneration: {type: 'integer', format: 'int64'},
    inputs: {
      type: 'string',
      description: 'The digest of what people have written, as it was read last: file, overrides and retry.',
    },
    summary: {type: 'string', description: 'How many releases are as they should be, of how many.'},
    plan: {
      type: 'object',
      description: 'What is to be done next, or being done: up to where changes stop.',
      required: ['digest', 'actions'],
      properties: {
        digest: {type: 'string', description: 'What approval.plan has to say.'},
        actions: {
          type: 'array',
          description: 'E.g. `upgrade openstack/keystone`.',
          'x-kubernetes-list-type': 'atomic',
          items: {type: 'string'},
        },
        notes: {
          type: 'array',
          description:
            'The notes of kk plan on it, and once it runs those of the checks before the first change.',
          'x-kubernetes-list-type': 'atomic',
          items: {type: 'string'},
        },
      },
    },
    removal: {
      type: 'object',
      description:
        'What is on the cluster though the file names it no more. Nothing of it goes without approval.',
      required: ['digest', 'releases', 'kept'],
      properties: {
        digest: {
          type: 'string',
          description: 'What approval.plan has to say for the releases to be removed.',
        },
        releases: {
          type: 'array',
          description: 'Those that would be removed.',
          'x-kubernetes-list-type': 'atomic',
          items: {type: 'string'},
        },
        kept: {
          type: 'array',
          description: 'Those that would stay, with the reason.',
          'x-kubernetes-list-type': 'atomic',
          items: {type: 'string'},
        },
      },
    },
    deployed: {
      type: 'string',
      description: 'The digest of all inputs with which every gate has passed last.',
    },
    approved: {
      type: 'string',
      description: 'The approval with which a run has succeeded last. It is good for no other.',
    },
    begun: {
      type: 'string',
      description: 'The digest of all inputs of the run that was begun and has not ended.',
    },
    failed: {
      type: 'object',
      description: 'The last attempt, if it has failed. It is not repeated by itself.',
      required: ['inputs', 'message'],
      properties: {
        inputs: {type: 'string', description: 'The digest of all inputs.'},
        message: {type: 'string', maxLength: 1024},
      },
    },
    retried: {type: 'string', description: 'The retry that was asked for last, and was done.'},
    run: {type: 'string', description: 'The id of the last run.'},
    cluster: {
      type: 'object',
      description: 'The cluster of spec.cluster, as it was found first.',
      required: ['identity'],
      properties: {
        identity: {type: 'string', description: 'The UID of its namespace kube-system.'},
      },
    },
    steady: {
      type: 'object',
      description:
        'Since when it has been ready without a break, with what it is to be. Others may come after it.',
      required: ['since', 'generation', 'source'],
      properties: {
        since: {type: 'string', format: 'date-time'},
        generation: {type: 'integer', format: 'int64'},
        source: {type: 'string', description: 'The digest of the environment file and the overrides.'},
      },
    },
    conditions: CONDITIONS,
  },
} as const satisfies Schema

/** People write it: which environment file the operator deploys, and how. */
export const ENVIRONMENT = {
  kind: 'Environment',
  plural: 'environments',
  shortName: 'kkenv',
  description: 'An environment that the operator of kk keeps as its file says.',
  spec: SPEC,
  status: STATUS,
  rules: [
    {
      rule: 'self.metadata.name.size() <= 40',
      message: 'the name of an environment has at most 40 characters',
    },
    {
      rule: '!has(self.spec.after) || !self.spec.after.exists(each, each.environment == self.metadata.name)',
      message: 'an Environment cannot come after itself',
    },
  ],
  columns: {
    Ready: '.status.conditions[?(@.type=="Ready")].status',
    Status: '.status.conditions[?(@.type=="Ready")].message',
    Releases: '.status.summary',
    Cluster: '.spec.cluster.kubeconfigSecret',
    Reachable: '.status.conditions[?(@.type=="Reachable")].status',
  },
} as const satisfies Crd

export const ENVIRONMENTS = crdResource(ENVIRONMENT)

export type EnvironmentSpec = ValueOf<typeof SPEC>
export type EnvironmentStatus = ValueOf<typeof STATUS>

/** The annotation by which `kk operator retry` asks for another attempt. */
export const RETRY = 'kk.openstack.org/retry'

/** The annotation that confirms `RemoveUnshared`: the UID of the Environment. */
export const CONFIRM_REMOVE = 'kk.openstack.org/confirm-remove'
/** Holds an Environment until its releases are removed; one that leaves them has none. */
export const REMOVAL_FINALIZER = 'kk.openstack.org/removal'

/** An Environment as the API hands it out. */
export interface EnvironmentObject {
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly uid?: string
    readonly generation?: number
    readonly resourceVersion?: string
    readonly annotations?: Readonly<Record<string, string>>
    readonly finalizers?: readonly string[]
    readonly deletionTimestamp?: string
  }
  readonly spec: EnvironmentSpec
  readonly status?: EnvironmentStatus
}
