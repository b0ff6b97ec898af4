import type {JsonSchema} from '../../base/validate.ts'
import {NAMESPACE, text, yesOrNo} from '../../environment/schema.ts'
import type {FactName} from './facts.ts'

const DOMAIN = {
  title: 'a domain name, e.g. cloud.example.org',
  type: 'string',
  pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$',
  maxLength: 253,
} as const satisfies JsonSchema

const count = (least: number, description: string) =>
  ({
    title: `a whole number, at least ${least}`,
    description,
    type: 'integer',
    minimum: least,
  }) as const satisfies JsonSchema

const words = (title: string, description: string) =>
  ({title, description, type: 'array', items: {title: 'a string', type: 'string', pattern: '.'}}) as const

const FACTS = {
  charts: {
    title: 'a map of charts, each with a list of namespaces',
    description:
      'The active charts, if no environment defines them; without namespaces, a chart is in all that its plugin declares, and it cannot be in others.',
    type: 'object',
    additionalProperties: {title: 'a list of namespaces', type: ['array', 'null'], items: NAMESPACE},
    examples: [{ingress: ['kube-system', 'openstack'], rabbitmq: ['openstack']}],
  },
  controllers: count(1, 'Nodes that bear the label `openstack-control-plane=enabled`.'),
  computes: count(0, 'Nodes that bear the label `openstack-compute-node=enabled`.'),
  nodes: count(1, 'All nodes.'),
  cpus: count(1, 'CPUs of the smallest controller.'),
  memory: count(1, 'Memory of the smallest controller, in MiB.'),
  zones: words(
    'a list of failure domains',
    'The failure domains of the controllers, by `topology.kubernetes.io/zone`.',
  ),
  kubernetesVersion: text('a version such as v1.36.3', 'The version of the cluster.', {
    pattern: '^v?[0-9]+\\.[0-9]+',
    examples: ['v1.36.3'],
  }),
  storageClasses: words('a list of names of storage classes', 'All storage classes of the cluster.'),
  defaultStorageClass: text(
    'the name of a storage class',
    'The class of volumes; only used if `storage` requires volumes.',
    {pattern: '.'},
  ),
  storage: text(
    '"ceph", "class" or "ephemeral"',
    'Where volumes, images and databases live: in Ceph, in volumes of a storage class, or only in the pod. Never guessed from a cluster.',
    {enum: ['ceph', 'class', 'ephemeral']},
  ),
  ceph: {
    title: 'a map with monitors, user and replication',
    description: 'How Ceph is reached.',
    type: 'object',
    properties: {
      monitors: words('a list of host:port', 'The monitors.'),
      user: {title: 'a string', description: 'The account of the clients.', type: 'string', pattern: '.'},
      replication: count(1, 'Copies of each object.'),
    },
    required: ['monitors'],
    additionalProperties: false,
  },
  dnsDomain: {...DOMAIN, description: 'The domain of cluster services.', examples: ['cluster.local']},
  publicDomain: {
    ...DOMAIN,
    description: 'What public endpoints end with: `keystone.<domain>` and so on.',
    examples: ['cloud.example.org'],
  },
  ipFamily: text('"ipv4" or "ipv6"', 'The only IP family of pods; omitted if they have both.', {
    enum: ['ipv4', 'ipv6'],
  }),
  region: text('the name of a region', 'The region of OpenStack.', {pattern: '.', examples: ['RegionOne']}),
  tls: yesOrNo(
    'Whether public endpoints speak TLS; it needs `publicDomain`, for a certificate is for a name.',
  ),
  allInOne: yesOrNo('Everything on one machine: small limits, no spreading. Never guessed from a cluster.'),
} as const satisfies Record<FactName, JsonSchema>

/** The names of all facts. */
export const FACT_NAMES = Object.keys(FACTS) as readonly FactName[]

/** The schema of the facts file. `kk schema facts` prints it, and the reader validates files with it. */
export const FACTS_SCHEMA: JsonSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://kk.openstack.org/schema/facts.json',
  title: 'a map of facts',
  description:
    'Facts about a cloud, from which kk generates the system overrides of its charts. Each is optional.',
  type: 'object',
  properties: FACTS,
  additionalProperties: false,
}
