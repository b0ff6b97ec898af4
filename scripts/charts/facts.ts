import {
  ANY_OBJECT,
  closed,
  flag,
  mapOf,
  meaning,
  ref,
  type Schema,
  scalar,
  text,
  texts,
  whole,
} from './json-schema.ts'

/** The places from which a variable of a pod can take its value (`common.pod.env.variables`). */
export const REFERENCES: Readonly<Record<string, Schema>> = {
  field: meaning('a field of the pod itself: `status.podIP`', text),
  credential: meaning(
    'a password or key below `endpoints.TYPE.auth`, from a Secret: `oslo_db.admin.password`',
    text,
  ),
  uri: meaning('the URL of an endpoint at an interface: `identity.internal`, `identity.public`', text),
  host: meaning('the host name of an endpoint: `oslo_db`', text),
  port: meaning('a port of an endpoint: `oslo_db.mysql`', text),
  members: meaning(
    'all members of an endpoint of a StatefulSet, in the format of OVN clients: `ovn_ovsdb_nb`',
    text,
  ),
  auth: meaning('a public field of an account below `endpoints.TYPE.auth`: `identity.admin.username`', text),
  default: meaning('with `auth`: the value if the account does not have the field', text),
  option: meaning('an option of a file: `keystone.fernet_tokens.max_active_keys`', text),
  value: meaning(
    "a value of all releases: `region`, `public_certificate` (the name of the ingress controller's Secret)",
    text,
  ),
  object: meaning('the name of an object of the release: `fernet-keys`', text),
  image: meaning('the image of a component: `compute`', text),
  self: meaning("the pod's own URL for an endpoint: `image`", text),
  peer: meaning("a prefix of the pod's own name among its peers: `rabbit@`", text),
  json: meaning('any value, as JSON', {}),
}

const reference: Schema = {
  type: 'object',
  minProperties: 1,
  additionalProperties: false,
  properties: REFERENCES,
}
const variables = ref('variables')

const handler = {
  path: meaning('a path for an HTTP request', text),
  tcp: meaning('whether to check only that the port is open; the default without `path` and `exec`', flag),
  exec: meaning('a command that must exit with 0', texts),
  reaches: meaning('types of endpoints whose ports are further arguments of `exec`', texts),
  port: meaning('the port; by default the first of the endpoint', {type: ['string', 'integer']}),
}

export const PROBE: Readonly<Record<string, Schema>> = {
  ...handler,
  rpc: meaning(
    'queues of RPC servers of oslo.messaging, which must answer pings; `{section.option}` is an option of the file with the key of the chart, a queue for each value of a list',
    texts,
  ),
  consumes: meaning(
    'queues of notifications, which must have a consumer; its loop must have a `heartbeat`, by default the one of oslo.messaging',
    texts,
  ),
  heartbeat: meaning(
    'for a service in Python without an RPC server: `functions` (`module:class.function`) that its main loop calls, one of them at least `every` so many seconds, a number or `{option, default}`',
    closed({functions: texts, every: {anyOf: [whole, closed({option: text, default: whole})]}}),
  ),
  startup: meaning('`path`, `tcp`, `exec` and `port` of the startup probe instead', ref('handler')),
  readiness: meaning('the same for the readiness probe', ref('handler')),
  liveness: meaning('the same for the liveness probe', ref('handler')),
  timeout: meaning('timeout of one probe, in seconds (10)', whole),
  period: meaning('period of the readiness probe, in seconds (10)', whole),
  patience: meaning('timeout of the start, in seconds (300)', whole),
}

export const VOLUME: Readonly<Record<string, Schema>> = {
  path: meaning('its mount path', text),
  readOnly: meaning('whether it is mounted read-only', flag),
  propagation: meaning('mount propagation between the node and the pod', {
    enum: ['None', 'HostToContainer', 'Bidirectional'],
  }),
  secret: meaning(
    'a Secret of the release, such as one of `generated`; or `{name: public_certificate}`, the one of the ingress controller',
    ref('object'),
  ),
  mode: meaning('the mode of its files, as a decimal number (288, which is 0440)', whole),
  host: meaning('a directory of the node', text),
  claim: meaning(
    "the size of an ephemeral claim, created and deleted with the pod, of the first of the chart's `classes`",
    text,
  ),
  empty: meaning("Kubernetes' `emptyDir`, the default", ANY_OBJECT),
}

/** The description of each pod of a chart. */
export const UNIT: Readonly<Record<string, Schema>> = {
  image: meaning("the name of kolla's image; by default the chart's `image`", text),
  command: meaning('the command that `kolla_start` runs: the service', text),
  script: meaning(
    'a script of the templates (`common.scripts.NAME`), run without `kolla_start`; its `files` are in `/var/lib/kolla/config_files`',
    text,
  ),
  scripts: meaning('scripts of the templates for the command, mounted in `/scripts`', texts),
  args: meaning('the arguments of `script`', texts),
  files: meaning(
    'the keys of the `files` that it gets; by default all files without `for`, or with `for` naming it',
    texts,
  ),
  reads: meaning(
    'the sections of its files that it reads: it gets no secrets of others, and a job runs again only if one of these changes',
    texts,
  ),
  variables: meaning('its environment variables: strings, or [references](#variables)', variables),
  login: meaning('the keystone user whose account it gets', text),
  identity: meaning('variables that the library sets for `login`; `variables` take precedence', variables),
  volumes: meaning('[volumes](#volumes) by name', mapOf(ref('volume'))),
  owners: meaning(
    'directories whose owner `kolla_start` sets: `{/var/lib/glance: "glance:glance"}`',
    mapOf(text),
  ),
  init: meaning(
    'init containers by name: `command`, `env`, and `kolla: false` for one without privileges; with `sidecar: true` it keeps running next to the main container',
    mapOf(closed({command: texts, env: variables, kolla: flag, sidecar: flag})),
  ),
  needs: meaning('endpoints that it waits for, in addition to those of the `uses` of its files', texts),
  after: meaning(
    'jobs that it waits for; a component waits by default for all jobs except those with `gate: false` or `rollout`',
    texts,
  ),
  rbac: meaning(
    'RBAC rules by name: `apiGroups`, `resources`, `resourceNames` (those of the release, or `{name: public_certificate}`, or `{name: signer}`, its signer of certificates), `verbs`; with `cluster: true` in all namespaces',
    mapOf(ref('rule')),
  ),
  host: meaning('host namespaces: `network`, `pid`, `ipc`', closed({network: flag, pid: flag, ipc: flag})),
  privileged: meaning('whether it is privileged', flag),
  security: meaning("merged over the container's security context", ANY_OBJECT),
  node: meaning(
    'the role of its nodes, of `labels.roles`: `control_plane` (the default), `compute`, `openvswitch`, `node`',
    text,
  ),
  resources: meaning('requests and limits', ANY_OBJECT),
}

export const COMPONENT: Readonly<Record<string, Schema>> = {
  kind: meaning('its kind; by default a Deployment', {enum: ['Deployment', 'StatefulSet', 'DaemonSet']}),
  endpoint: meaning('the endpoint that it serves, a key of `endpoints`, which also has its ports', text),
  wsgi: meaning('a WSGI module, which uwsgi serves on the port of the endpoint, instead of `command`', text),
  max_replicas: meaning('the most pods that it may have, whatever `pod.replicas` says', whole),
  argv: meaning('the key of a file of the format `argv`, whose arguments are appended to the command', text),
  ports: meaning(
    'further ports by name; next to an `endpoint`, they are only for members of the component; a name that ends in `-udp` is a UDP port',
    mapOf(whole),
  ),
  any_port: meaning('whether it listens on unpredictable ports', flag),
  callers: meaning('components that may reach the ports for members of a StatefulSet', texts),
  probe: meaning('its [probes](#probes)', closed(PROBE)),
  storage: meaning(
    'its data: `path` and `size`; `device`: a raw block device; `backend`: only with that `storage.backend`',
    closed({path: text, size: text, device: flag, backend: {enum: ['ceph', 'file']}}),
  ),
  management: meaning('whether members of a StatefulSet start one by one', {
    enum: ['OrderedReady', 'Parallel'],
  }),
  primary: meaning(
    'whether its Service selects only one member: the one with the label `kk.openstack.org/primary`, which the members set',
    flag,
  ),
  controller: meaning(
    'its name as an ingress controller; the chart creates its class, `ingress.class`',
    text,
  ),
  driver: meaning('its name as a CSI driver; the chart creates the CSIDriver and its `classes`', text),
  sessionAffinity: meaning('whether a client keeps using the same pod (session affinity)', {
    enum: ['None', 'ClientIP'],
  }),
  tls: meaning(
    'overrides of these facts when TLS between services is on (`tls.internal`); `{}` if its files already handle TLS',
    ANY_OBJECT,
  ),
  grace: meaning(
    'termination grace period, in seconds (60), or an option with the seconds to which 30 are added: `nova.DEFAULT.graceful_shutdown_timeout`',
    {type: ['integer', 'string']},
  ),
  drain: meaning(
    'seconds that it keeps serving after termination starts, until nodes send new clients elsewhere (5 with an endpoint)',
    whole,
  ),
  blocks: meaning(
    'the PodDisruptionBudget of pods that it creates itself, and that must not be evicted: the end of its name (`budget`), and the label `app.kubernetes.io/component` of the pods (`component`)',
    closed({budget: text, component: text}),
  ),
  lifecycle: meaning("Kubernetes' `lifecycle` of the container", ANY_OBJECT),
  rootwrap: meaning(
    "the service whose rootwrap runs commands as root; it starts oslo.privsep's helper once before the component starts",
    text,
  ),
  stable_after: meaning(
    'the time after its start in which it may still fail, such as `200s`, [for which its gate waits](concepts.md#what-is-gated)',
    text,
  ),
  noticed: meaning(
    'what `users` and `instances` notice while a pod of it is replaced, [for the forecast](operating.md#how-long-and-who-notices); empty: nothing. Needed where Kubernetes does not keep enough pods',
    closed({users: text, instances: text}),
  ),
}

export const JOB: Readonly<Record<string, Schema>> = {
  rollout: meaning(
    'components whose old pods must have ended before it starts; no pod waits for such a job',
    texts,
  ),
  migration: meaning(
    'whether it changes the schema of a database; it must accept the schema of a later release',
    flag,
  ),
  gate: meaning('`false`: no component waits for it', flag),
  when: meaning(
    'a value of all releases without which it is omitted: `node_groups`, or `aggregates`, those groups with an aggregate',
    text,
  ),
  retries: meaning('the number of retries before it fails (10; for a cronjob 3)', whole),
}

export const FILE: Readonly<Record<string, Schema>> = {
  format: meaning(
    'the format of its options; `oslo`, the default, is `ini` with secrets in environment variables',
    {
      enum: [
        'oslo',
        'ini',
        'properties',
        'python',
        'json',
        'yaml',
        'text',
        'argv',
        'apache',
        'dashboard',
        'rules',
      ],
    },
  ),
  path: meaning('the path to which `kolla_start` copies it', text),
  name: meaning(
    'its key in the ConfigMap, if two files have the same name; by default the last part of the path',
    text,
  ),
  owner: meaning("its owner; by default the chart's user", text),
  perm: meaning('its mode, `0600` by default', {type: 'string', pattern: '^0[0-7]{3}$'}),
  uses: meaning(
    'the [blocks](#blocks) of options that it includes, each with `true` or its parameters',
    mapOf({type: ['boolean', 'object']}),
  ),
  configmap: meaning('the ConfigMap of the release that has it, instead of a pod: `dashboards`', text),
  optional: meaning('whether to omit an empty file', flag),
  secret: meaning('whether it is in a Secret', flag),
  live: meaning('whether running pods reload it, so that a change replaces no pod', flag),
  for: meaning('the only component that gets it', text),
}

const STATUS_KEYS = ['image', 'files', 'reads', 'variables', 'resources', 'security', 'node', 'rbac']
/** The keys of `service_status`. */
const STATUS: Readonly<Record<string, Schema>> = {
  ...Object.fromEntries(Object.entries(UNIT).filter(([key]) => STATUS_KEYS.includes(key))),
  checks: meaning('the [checks](#service-status) by name', mapOf(ref('check'))),
}

const number = {anyOf: [whole, closed({option: text, default: whole})]}

/** A question to the service, for the component `status`. */
export const CHECK: Readonly<Record<string, Schema>> = {
  query: meaning(
    'SQL whose rows are the parts of the service: `name`, `host`, `problem` (a text, or NULL), `seen` (the UTC time of its last report)',
    text,
  ),
  section: meaning('the section of its files with the `connection` to the database (`database`)', text),
  cells: meaning(
    'further databases instead: a `query` in the database of a `section` whose first column has their URLs',
    closed({section: text, query: text}),
  ),
  down_after: meaning(
    'the seconds after its last report in which a part counts as up: a number, or the `option` of a file (`nova.DEFAULT.service_down_time`) with its `default`',
    number,
  ),
  moves: meaning(
    'whether hosts are names of pods: one that no longer reports has been replaced, and only `least` counts',
    flag,
  ),
  least: meaning(
    'how many there must be, by `name`: a number, or the `replicas` of a component, `times` an option of a file',
    mapOf({anyOf: [whole, closed({replicas: text, times: text})]}),
  ),
  summary: meaning('what is counted: `volume services up`', text),
  script: meaning(
    'instead of a query, a script of the templates: Python with a function `check()` that returns a summary and a list of findings, or bash that prints a line of JSON',
    text,
  ),
}

/** The facts of a service: declarations of its chart that a deployer seldom changes. */
export const FACTS: Readonly<Record<string, Schema>> = {
  image: meaning("the name of kolla's image", text),
  user: meaning('its user: `name`, and the numeric `id`', closed({name: text, id: whole})),
  components: meaning(
    'the workloads: one Deployment, StatefulSet or DaemonSet each',
    mapOf(closed({...UNIT, ...COMPONENT})),
  ),
  files: meaning('configuration files: format, path, and common blocks', mapOf(closed(FILE))),
  conf: meaning('`conf.FILE.SECTION.OPTION`, merged over the options of the blocks', ANY_OBJECT),
  kolla: meaning(
    'generated files of kolla: see [configuration from kolla](kolla-configuration.md)',
    mapOf(
      closed({
        command: text,
        config_files: {
          type: 'array',
          items: closed({
            ...{source: text, dest: text, owner: text, perm: text},
            ...{optional: flag, merge: flag, preserve_properties: flag},
          }),
        },
        permissions: {
          type: 'array',
          items: closed({path: text, owner: text, perm: text, recurse: flag, exclude: texts}),
        },
        files: mapOf(text),
        secrets: mapOf(text),
      }),
    ),
  ),
  databases: meaning(
    'databases, each with its owner `user` (by default of the same name); the job `db-create` creates them',
    mapOf(closed({user: text})),
  ),
  registration: meaning(
    'keystone resources: services (`type`, `description`; `endpoint`, if its name differs from the type), users (`role`), `roles`, and domains for users that the service creates (`administrator`, with the password of the `account`); the job `register` creates them',
    closed({
      services: mapOf(closed({type: text, description: text, endpoint: text})),
      users: mapOf(closed({role: text})),
      domains: mapOf(closed({administrator: text, account: text})),
      roles: texts,
    }),
  ),
  generated: meaning('Secrets that a job fills once', mapOf(ANY_OBJECT)),
  jobs: meaning('other jobs before the components', mapOf(closed({...UNIT, ...JOB}))),
  cronjobs: meaning(
    'cronjobs: the keys of a job, and `schedule`; without one it never runs by itself',
    mapOf(closed({...UNIT, ...JOB, schedule: text})),
  ),
  tests: meaning(
    'pods for `helm test`: the keys of every pod, and `scope: user` for one that uses the whole cloud, which kk runs after all other tests',
    mapOf(closed({...UNIT, grace: whole, scope: {type: 'string', enum: ['user']}})),
  ),
  service_status: meaning(
    'what the component `status` asks the service: its [`checks`](#service-status), and keys of a pod',
    closed(STATUS),
  ),
}

export const FACT_DEFINITIONS: Readonly<Record<string, Schema>> = {
  variables: mapOf({anyOf: [scalar, reference]}),
  volume: closed(VOLUME),
  check: closed(CHECK),
  handler: closed(handler),
  object: {anyOf: [text, closed({name: text})]},
  rule: closed({
    ...{apiGroups: texts, resources: texts, verbs: texts, cluster: flag},
    resourceNames: {type: ['array', 'null'], items: ref('object')},
  }),
}
