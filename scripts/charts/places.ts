import {
  ANY_OBJECT,
  closed,
  flag,
  keyed,
  mapOf,
  ref,
  type Schema,
  scalar,
  text,
  texts,
  whole,
} from './json-schema.ts'

const port = mapOf({anyOf: [whole, mapOf({type: ['integer', 'null']})]})
const byInterface: Schema = {type: ['string', 'object', 'null']}
const endpoint = closed({
  name: scalar,
  namespace: scalar,
  hosts: ANY_OBJECT,
  host_fqdn_override: ANY_OBJECT,
  path: byInterface,
  scheme: byInterface,
  port,
  auth: ANY_OBJECT,
  statefulset: closed({name: text, replicas: whole}),
  public: text,
})

/** The nodes of a group, and what is made from them; the same for all releases. */
const GROUP: Readonly<Record<string, Schema>> = {
  selector: mapOf({anyOf: [text, texts]}),
  hosts: texts,
  extends: text,
  aggregate: closed({name: text, metadata: mapOf(text)}),
  availability_zone: text,
}

/** The name is part of those of objects and files. */
const groups = (schema: Readonly<Record<string, Schema>>): Schema => ({
  ...mapOf(closed(schema)),
  propertyNames: {pattern: '^[a-z0-9]([a-z0-9-]{0,28}[a-z0-9])?$'},
})

/** Places with the same meaning in every chart, so that `global` may have them too. */
export const SHARED: Readonly<Record<string, Schema>> = {
  region: text,
  endpoints: {
    type: ['object', 'null'],
    properties: {cluster_domain_suffix: text},
    additionalProperties: ref('endpoint'),
  },
  images: closed({
    registry: text,
    namespace: text,
    distro: text,
    type: text,
    tag: {...text, not: {const: 'latest'}},
    pull_policy: {enum: ['Always', 'IfNotPresent', 'Never']},
    tags: mapOf({type: ['string', 'null'], not: {pattern: ':latest$'}}),
    pull_secrets: texts,
  }),
  storage: closed({
    class: text,
    size: text,
    access: {enum: ['ReadWriteOnce', 'ReadWriteMany', 'ReadWriteOncePod']},
    ephemeral: flag,
    backend: {enum: ['ceph', 'file']},
  }),
  ingress: closed({
    enabled: flag,
    class: text,
    gateway: text,
    domain: text,
    tls_secret: text,
    certificate: {enum: ['shared', 'release']},
    annotations: mapOf(scalar),
  }),
  notifications: closed({enabled: flag}),
  federation: closed({
    oidc: closed({
      name: {...text, pattern: '^[A-Za-z0-9_-]+$'},
      public_name: text,
      issuer: {...text, pattern: '^https?://'},
      client_id: text,
      client_secret: {...closed({secret: text, key: text}), required: ['secret', 'key']},
      scope: text,
      domain: text,
      mapping: {type: 'array', items: {type: 'object', required: ['local', 'remote']}},
      dashboards: texts,
    }),
  }),
  dumps: closed({claim: text, keep: {type: 'integer', minimum: 1}, size: text}),
  tls: closed({
    public: flag,
    internal: flag,
    secret: text,
    issuer: closed({name: text, kind: text, group: text}),
    files: closed({'ca.crt': text, 'tls.crt': text, 'tls.key': text}),
    plain: {type: ['array', 'null'], items: text},
  }),
  secrets: closed({env: text, files: text}),
}

/**
 * The values of all releases. Third-party charts may read more there; keys that kk's charts read only in a
 * section are refused, because they would have no effect.
 */
export const GLOBAL: Schema = {
  ...ANY_OBJECT,
  properties: {
    ...SHARED,
    // One word for all releases, too.
    storage: {anyOf: [{enum: ['persistent', 'ephemeral']}, SHARED['storage']]},
    network_policy: {type: 'object', properties: {nodes: texts}},
    node_groups: groups(GROUP),
    conf: false,
    extraObjects: false,
    manifests: closed({network_policy: flag}),
  },
}

const amount: Schema = {type: ['integer', 'string']}
const strategy = (...names: string[]): Schema => ({enum: names})
const each = (schema: Schema) => keyed(ref('unit'), schema)
const component = (schema: Schema) => keyed(ref('component'), schema)
const anti = (schema: Schema) => keyed({anyOf: [ref('component'), {const: 'default'}]}, schema)

const pod = closed({
  replicas: {anyOf: [whole, component(whole)]},
  resources: {
    ...keyed({anyOf: [ref('component'), {enum: ['enabled', 'jobs']}]}, ANY_OBJECT),
    properties: {enabled: flag, jobs: keyed(ref('job'), ANY_OBJECT)},
  },
  env: each(mapOf({anyOf: [scalar, {...closed({secret: text, key: text}), required: ['secret', 'key']}]})),
  mounts: each(closed({volumes: {type: 'array'}, volumeMounts: {type: 'array'}})),
  affinity: closed({
    anti: closed({type: anti(text), topologyKey: anti(text), weight: anti(whole)}),
    nodeAffinity: each(ANY_OBJECT),
    podAffinity: each(ANY_OBJECT),
    podAntiAffinity: each(ANY_OBJECT),
  }),
  topologySpreadConstraints: each({type: 'array', items: {type: 'object'}}),
  hostAliases: each({type: 'array', items: {type: 'object'}}),
  lifecycle: closed({
    upgrades: closed({
      deployments: closed({
        pod_replacement_strategy: strategy('RollingUpdate', 'Recreate', 'AllAtOnce'),
        revision_history: whole,
        rolling_update: closed({max_surge: amount, max_unavailable: amount}),
      }),
      daemonsets: closed({
        pod_replacement_strategy: strategy(
          'RollingUpdate',
          'Recreate',
          'AllAtOnce',
          'NodeByNode',
          'OnDelete',
        ),
        rolling_update: closed({max_unavailable: amount}),
      }),
      statefulsets: closed({pod_replacement_strategy: strategy('RollingUpdate', 'OnDelete')}),
    }),
    disruption_budget: component(closed({min_available: whole})),
    termination_grace_period: component(closed({timeout: whole})),
  }),
  probes: component(
    component(closed({startup: ref('probe'), readiness: ref('probe'), liveness: ref('probe')})),
  ),
  security_context: each(closed({pod: ANY_OBJECT, container: ANY_OBJECT})),
  tolerations: each(closed({enabled: flag, tolerations: {type: 'array'}})),
  priorityClassName: each({type: ['string', 'null']}),
  runtimeClassName: each({type: ['string', 'null']}),
})

/** The fields of a Service that a deployer may set, by Kubernetes' names. */
const service = closed({
  type: {enum: ['ClusterIP', 'NodePort', 'LoadBalancer']},
  loadBalancerIP: text,
  loadBalancerClass: text,
  loadBalancerSourceRanges: texts,
  allocateLoadBalancerNodePorts: flag,
  externalTrafficPolicy: {enum: ['Cluster', 'Local']},
  internalTrafficPolicy: {enum: ['Cluster', 'Local']},
  externalIPs: texts,
  clusterIP: text,
  ipFamilies: texts,
  ipFamilyPolicy: {enum: ['SingleStack', 'PreferDualStack', 'RequireDualStack']},
})

/** Places of openstack-helm's whose keys are the names of a chart's components, jobs and tests. */
export const OF_UNITS: Readonly<Record<string, Schema>> = {
  annotations: closed({pod: each(mapOf(text)), job: each(mapOf(text)), service: each(mapOf(text))}),
  labels: {
    ...keyed({anyOf: [ref('component'), {enum: ['job', 'test', 'roles']}]}, ref('label')),
    properties: {roles: mapOf(ref('label'))},
  },
  network: component(
    closed({
      node_port: closed({enabled: flag, port: whole}),
      service,
      ingress: closed({
        ...{enabled: flag, class: text, gateway: text, tls_secret: text},
        annotations: mapOf(scalar),
      }),
    }),
  ),
  network_policy: {
    ...keyed(
      {anyOf: [ref('component'), {const: 'nodes'}]},
      closed({ingress: {type: 'array', items: {type: 'object'}}}),
    ),
    properties: {nodes: texts},
  },
  node_groups: groups({
    ...GROUP,
    conf: ANY_OBJECT,
    pod: {$ref: '#/properties/pod'},
    images: {$ref: '#/properties/images'},
  }),
  dependencies: closed({
    enabled: flag,
    static: each(
      closed({
        jobs: {type: ['array', 'null'], items: text},
        services: {type: ['array', 'null'], items: closed({service: text, endpoint: text})},
      }),
    ),
  }),
  pod,
}

export const PLACE_DEFINITIONS: Readonly<Record<string, Schema>> = {
  endpoint,
  label: closed({node_selector_key: text, node_selector_value: text}),
  probe: closed({enabled: flag, params: mapOf(whole)}),
}
