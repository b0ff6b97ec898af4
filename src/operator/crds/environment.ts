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
  description: 'Desired state: what the operator deploys to the cluster.',
  required: ['source'],
  properties: {
    source: {
      type: 'object',
      description:
        'The environment file, as a string in an object of the same namespace, or in a registry. It is not stored as an API object because the API server sorts keys and rewrites numbers.',
      properties: {
        configMap: {...OBJECT_NAME, description: 'Name of the ConfigMap that holds the file.'},
        secret: {...OBJECT_NAME, description: 'Name of the Secret that holds the file.'},
        oci: {
          type: 'string',
          description:
            'OCI artifact with the environment file as its only file, by digest: registry.example.org/clouds/production@sha256:….',
          pattern: '^[^@]+@sha256:[0-9a-f]{64}$',
          maxLength: 512,
        },
        key: {
          type: 'string',
          description: 'Key in the ConfigMap or Secret. Defaults to environment.yaml.',
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
      description: "The user's overrides, as `kk overrides export --show-secrets` writes them.",
      required: ['secret'],
      properties: {
        secret: {
          ...OBJECT_NAME,
          description: 'Name of the Secret that holds the overrides under the key overrides.yaml.',
        },
      },
    },
    cluster: {
      type: 'object',
      description:
        'Cluster of the releases. Defaults to the cluster of the operator. Immutable: it cannot be added or removed later.',
      required: ['kubeconfigSecret'],
      properties: {
        kubeconfigSecret: {
          ...OBJECT_NAME,
          description:
            'Name of the Secret that holds the kubeconfig. It is read again at each reconciliation. Certificates and tokens must be inline: references to programs or files are rejected.',
        },
        key: {
          type: 'string',
          description: 'Key in the Secret. Defaults to kubeconfig.',
          minLength: 1,
          maxLength: 253,
        },
        context: {
          type: 'string',
          description: 'Context in the kubeconfig. Defaults to its current context.',
          minLength: 1,
          maxLength: 253,
        },
        identity: {
          type: 'string',
          description:
            'UID of the namespace kube-system of the cluster. Every other cluster is rejected. Defaults to the UID found at the first connection. Immutable once set.',
          minLength: 1,
          maxLength: 64,
        },
      },
      'x-kubernetes-validations': [
        {
          rule: '!has(oldSelf.identity) || (has(self.identity) && self.identity == oldSelf.identity)',
          message: 'spec.cluster.identity is immutable',
        },
      ],
    },
    after: {
      type: 'array',
      description:
        'Environments that must be ready with their current inputs before changes start in this one.',
      maxItems: 16,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['environment'],
      items: {
        type: 'object',
        required: ['environment'],
        properties: {
          environment: {type: 'string', description: 'Name of the Environment.', minLength: 1, maxLength: 40},
          for: {
            type: 'string',
            description: 'Minimum time for which it must have been ready, such as 24h. Defaults to none.',
            pattern: '^[1-9][0-9]{0,4}[smh]$',
            maxLength: 6,
          },
        },
      },
    },
    suspend: {
      type: 'boolean',
      description:
        'Pauses the operator for this Environment. The condition Paused is True once no helm process of the operator runs; from then on the command line can change the environment.',
    },
    approval: {
      type: 'object',
      description: 'Plans that wait for approval.',
      properties: {
        required: {
          type: 'array',
          description:
            'Actions that need approval: install and upgrade for any release, protected for any change of a protected release.',
          maxItems: 3,
          'x-kubernetes-list-type': 'set',
          items: {type: 'string', enum: ['install', 'upgrade', 'protected']},
        },
        after: {
          type: 'array',
          description:
            'Releases after which changes stop. Each of them is changed first, together with what it requires; the rest waits for approval, up to the next release in the list.',
          maxItems: 16,
          'x-kubernetes-list-type': 'atomic',
          items: {type: 'string', minLength: 1, maxLength: 253},
        },
        test: {
          type: 'boolean',
          description:
            'Whether the tests of all installed releases are run, as by kk test, at each stop of `after` and at the end. Nothing further starts, and the Environment is not ready, until they pass. Defaults to false.',
        },
        plan: {
          type: 'string',
          description: 'Digest of the approved plan or removal. Only this plan is approved.',
          pattern: '^[0-9a-f]{64}$',
          maxLength: 64,
        },
      },
    },
    drift: {
      type: 'object',
      description: 'Handling of objects that differ from the manifests of their releases.',
      properties: {
        mode: {
          type: 'string',
          enum: ['warn', 'correct', 'ignore'],
          description:
            'warn: the condition Drifted lists the objects. correct: the objects are also rewritten as in the manifests, without a new revision. ignore: no drift checks. Defaults to warn.',
        },
        every: {
          type: 'string',
          description: 'Interval between drift checks, such as 30m. Defaults to 1h.',
          pattern: '^[1-9][0-9]{0,4}[smh]$',
          maxLength: 6,
        },
        ignore: {
          type: 'array',
          description:
            'Fields that another controller or a user manages. They do not count as drift and are never corrected.',
          maxItems: 64,
          'x-kubernetes-list-type': 'atomic',
          items: {
            type: 'object',
            required: ['paths'],
            properties: {
              paths: {
                type: 'array',
                description:
                  'JSON pointers to the fields, including everything below them, such as /spec/replicas. List items are given by their key, as in drift reports: /spec/template/spec/containers/[main]/image.',
                maxItems: 64,
                'x-kubernetes-list-type': 'set',
                items: {type: 'string', pattern: '^(/[^/]+)+$', maxLength: 512},
              },
              target: {
                type: 'object',
                description:
                  'Objects with these fields, selected by shell patterns. Defaults to all objects.',
                properties: {
                  kind: {...PATTERN, description: 'Pattern for the kind, such as Deployment.'},
                  name: {...PATTERN, description: 'Pattern for the name, such as nova-*.'},
                  namespace: {...PATTERN, description: 'Pattern for the namespace.'},
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
        'What happens to the releases when the Environment is deleted. Orphan: the releases stay. RemoveUnshared: releases that nothing else uses and that are not protected are removed; it must be set before the deletion, and the annotation kk.openstack.org/confirm-remove must be the UID of the Environment. Defaults to Orphan.',
    },
  },
  'x-kubernetes-validations': [
    {
      rule: 'has(self.cluster) == has(oldSelf.cluster)',
      message: 'spec.cluster is immutable: create another Environment for another cluster',
    },
  ],
} as const satisfies Schema

const STATUS = {
  type: 'object',
  properties: {
    observedGeneration: {type: 'integer', format: 'int64'},
    inputs: {
      type: 'string',
      description: 'Digest of the user inputs that were read last: file, overrides and retry.',
    },
    summary: {type: 'string', description: 'Number of ready releases of all releases, such as 3/4.'},
    plan: {
      type: 'object',
      description: 'The next plan, or the plan in progress, up to where changes stop.',
      required: ['digest', 'actions'],
      properties: {
        digest: {type: 'string', description: 'Value of spec.approval.plan that approves the plan.'},
        actions: {
          type: 'array',
          description: 'Actions of the plan, such as `upgrade openstack/keystone`.',
          'x-kubernetes-list-type': 'atomic',
          items: {type: 'string'},
        },
        notes: {
          type: 'array',
          description:
            'Notes of the plan, as kk plan prints them. Once the plan runs, also the notes of the preflight checks.',
          'x-kubernetes-list-type': 'atomic',
          items: {type: 'string'},
        },
      },
    },
    removal: {
      type: 'object',
      description:
        'Releases in the cluster that are no longer in the environment file. None is removed without approval.',
      required: ['digest', 'releases', 'kept'],
      properties: {
        digest: {
          type: 'string',
          description: 'Value of spec.approval.plan that approves the removal.',
        },
        releases: {
          type: 'array',
          description: 'Releases that would be removed.',
          'x-kubernetes-list-type': 'atomic',
          items: {type: 'string'},
        },
        kept: {
          type: 'array',
          description: 'Releases that would stay, each with the reason.',
          'x-kubernetes-list-type': 'atomic',
          items: {type: 'string'},
        },
      },
    },
    deployed: {
      type: 'string',
      description: 'Digest of the inputs with which every gate passed last.',
    },
    approved: {
      type: 'string',
      description: 'Approval of the last successful run. It cannot be used again.',
    },
    begun: {
      type: 'string',
      description: 'Digest of the inputs of the run in progress.',
    },
    failed: {
      type: 'object',
      description: 'The last attempt, if it failed. It is not retried automatically.',
      required: ['inputs', 'message'],
      properties: {
        inputs: {type: 'string', description: 'Digest of the inputs.'},
        message: {type: 'string', maxLength: 1024},
      },
    },
    tested: {
      type: 'object',
      description: 'The last tests of `spec.approval.test`.',
      required: ['state'],
      properties: {
        state: {type: 'string', description: 'Digest of the revisions that were tested.'},
        failure: {type: 'string', description: 'The first failure; absent if all passed.', maxLength: 1024},
      },
    },
    retried: {type: 'string', description: 'Last retry request that was handled.'},
    run: {type: 'string', description: 'ID of the last run.'},
    cluster: {
      type: 'object',
      description: 'Cluster of spec.cluster, as found at the first connection.',
      required: ['identity'],
      properties: {
        identity: {type: 'string', description: 'UID of its namespace kube-system.'},
      },
    },
    steady: {
      type: 'object',
      description:
        'Start of the current ready period with the same inputs. Environments that list this one in spec.after wait for it.',
      required: ['since', 'generation', 'source'],
      properties: {
        since: {type: 'string', format: 'date-time'},
        generation: {type: 'integer', format: 'int64'},
        source: {type: 'string', description: 'Digest of the environment file and the overrides.'},
      },
    },
    conditions: CONDITIONS,
  },
} as const satisfies Schema

/** The CRD of an Environment, which users write: the environment file that the operator deploys, and how. */
export const ENVIRONMENT = {
  kind: 'Environment',
  plural: 'environments',
  shortName: 'kkenv',
  description: 'An environment that the kk operator deploys from its environment file and keeps up to date.',
  spec: SPEC,
  status: STATUS,
  rules: [
    {
      rule: 'self.metadata.name.size() <= 40',
      message: 'the name of an Environment has at most 40 characters',
    },
    {
      rule: '!has(self.spec.after) || !self.spec.after.exists(each, each.environment == self.metadata.name)',
      message: 'an Environment cannot list itself in spec.after',
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

/** The annotation with which `kk operator retry` requests another attempt. */
export const RETRY = 'kk.openstack.org/retry'

/** The annotation that confirms `RemoveUnshared`: the UID of the Environment. */
export const CONFIRM_REMOVE = 'kk.openstack.org/confirm-remove'
/**
 * The finalizer of an Environment whose releases are removed at its deletion; absent with the policy Orphan.
 */
export const REMOVAL_FINALIZER = 'kk.openstack.org/removal'

/** An Environment as the API server returns it. */
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
