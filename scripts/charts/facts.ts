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
    'a password or key below `endpoints.TYPE.auth`: `oslo_db.admin.password`; it goes through a Secret',
    text,
  ),
  uri: meaning(
    'the URL of an endpoint, as an interface sees it: `identity.internal`, `identity.public`',
    text,
  ),
  host: meaning('the host name of an endpoint: `oslo_db`', text),
  port: meaning('a port of an endpoint: `oslo_db.mysql`', text),
  members: meaning(
    'every member of an endpoint that a StatefulSet serves, as clients of OVN name them: `ovn_ovsdb_nb`',
    text,
  ),
  auth: meaning(
    'what an account says in public, below `endpoints.TYPE.auth`: `identity.admin.username`',
    text,
  ),
  default: meaning('beside `auth`: the value where the account does not say it', text),
  option: meaning('an option of a file: `keystone.fernet_tokens.max_active_keys`', text),
  value: meaning(
    'a value that all releases share: `region`, `public_certificate`, which is the name of the Secret that the ingress controller has',
    text,
  ),
  object: meaning('the name of an object of the release: `fernet-keys`', text),
  self: meaning("the pod's own URL for an endpoint: `image`", text),
  peer: meaning("text before the pod's own name among its peers: `rabbit@`", text),
  json: meaning('anything, as JSON', {}),
}

const reference: Schema = {
  type: 'object',
  minProperties: 1,
  additionalProperties: false,
  properties: REFERENCES,
}
const variables = ref('variables')

const handler = {
  path: meaning('a path that answers HTTP', text),
  tcp: meaning('whether an open port is enough; so it is where nothing else is said', flag),
  exec: meaning('a command that ends with 0', texts),
  reaches: meaning('types of endpoints whose ports `exec` is given as further arguments', texts),
  port: meaning('the port; by default the first of the endpoint', {type: ['string', 'integer']}),
}

export const PROBE: Readonly<Record<string, Schema>> = {
  ...handler,
  startup: meaning('`path`, `tcp`, `exec` and `port` of the startup probe instead', ref('handler')),
  readiness: meaning('the same of the readiness probe', ref('handler')),
  liveness: meaning('the same of the liveness probe', ref('handler')),
  timeout: meaning('seconds that one probe may take (10)', whole),
  period: meaning('seconds between two readiness probes (10)', whole),
  patience: meaning('seconds that a start may take (300)', whole),
}

export const VOLUME: Readonly<Record<string, Schema>> = {
  path: meaning('where it is mounted', text),
  readOnly: meaning('whether it is mounted to be read only', flag),
  propagation: meaning('which mounts pass between the node and the pod', {
    enum: ['None', 'HostToContainer', 'Bidirectional'],
  }),
  secret: meaning(
    'a Secret of the release, such as one of `generated`; or `{name: public_certificate}`, that of the ingress controller',
    ref('object'),
  ),
  mode: meaning('the mode of its files, as a decimal number (288, which is 0440)', whole),
  host: meaning('a directory of the node', text),
  claim: meaning(
    "the size of a claim that comes and goes with the pod, of the first of the chart's `classes`",
    text,
  ),
  empty: meaning("Kubernetes' `emptyDir`; a volume is one where nothing else is said", ANY_OBJECT),
}

/** The description of each pod of a chart. */
export const UNIT: Readonly<Record<string, Schema>> = {
  image: meaning("the name of kolla's image; by default the chart's `image`", text),
  command: meaning('what `kolla_start` becomes: the service', text),
  script: meaning(
    'a script of the templates (`common.scripts.NAME`), run as it is, without `kolla_start`; the `files` that are listed with it are in `/var/lib/kolla/config_files`',
    text,
  ),
  scripts: meaning('scripts of the templates that the command needs; they are mounted in `/scripts`', texts),
  args: meaning('the arguments of `script`', texts),
  files: meaning(
    'the keys of the `files` that it gets; by default all that are for everybody or for it',
    texts,
  ),
  reads: meaning(
    'the sections of its files that it reads: it gets no secret of another, and a job runs again only when one of them changes',
    texts,
  ),
  variables: meaning('its environment: text, or [a reference](#variables)', variables),
  login: meaning('the user of keystone whose account it gets', text),
  identity: meaning(
    'variables that are weaker than `variables`; the library fills them for `login`',
    variables,
  ),
  volumes: meaning('[volumes](#volumes) by name', mapOf(ref('volume'))),
  owners: meaning(
    'directories that `kolla_start` gives to an owner: `{/var/lib/glance: "glance:glance"}`',
    mapOf(text),
  ),
  init: meaning(
    'init containers by name: `command`, `env`, and `kolla: false` for one without privileges; with `sidecar: true` it goes on beside the main container',
    mapOf(closed({command: texts, env: variables, kolla: flag, sidecar: flag})),
  ),
  needs: meaning('endpoints that it waits for, beside those of the `uses` of its files', texts),
  after: meaning(
    "jobs that it waits for; a component's are by default all that do not say `gate: false` or `rollout`",
    texts,
  ),
  rbac: meaning(
    "rules for Kubernetes' API by name: `apiGroups`, `resources`, `resourceNames` (those of the release, or `{name: public_certificate}`), `verbs`; with `cluster: true` in all namespaces",
    mapOf(ref('rule')),
  ),
  host: meaning(
    'what it shares with its node: `network`, `pid`, `ipc`',
    closed({network: flag, pid: flag, ipc: flag}),
  ),
  privileged: meaning('whether it may do everything on its node', flag),
  security: meaning("laid over the container's security context", ANY_OBJECT),
  node: meaning(
    'the role of its nodes, of `labels.roles`: `control_plane` (the default), `compute`, `openvswitch`, `node`',
    text,
  ),
  resources: meaning('requests and limits', ANY_OBJECT),
}

export const COMPONENT: Readonly<Record<string, Schema>> = {
  kind: meaning('what it is; a Deployment by default', {enum: ['Deployment', 'StatefulSet', 'DaemonSet']}),
  endpoint: meaning(
    'the endpoint that it serves, in the tree of `endpoints`; its ports come from there',
    text,
  ),
  wsgi: meaning('a WSGI module, which uwsgi serves on the port of the endpoint, instead of `command`', text),
  argv: meaning('the key of a file of the format `argv`, whose text is appended to the command', text),
  ports: meaning(
    'ports by name, beside those of the endpoint; with an endpoint, for its members alone; a name that ends in `-udp` is one of UDP',
    mapOf(whole),
  ),
  any_port: meaning('whether it listens on ports that are not known beforehand', flag),
  callers: meaning('components that may reach the ports that a StatefulSet has for its members', texts),
  probe: meaning('how it is [probed](#probes)', closed(PROBE)),
  storage: meaning(
    'its data: the `path` where it is, and the `size`; `device`: it is a whole device, without a file system; `backend`: only with that `storage.backend`',
    closed({path: text, size: text, device: flag, backend: {enum: ['ceph', 'file']}}),
  ),
  management: meaning('whether members of a StatefulSet start one after the other', {
    enum: ['OrderedReady', 'Parallel'],
  }),
  primary: meaning(
    'whether its Service leads to one member alone: the one that has the label `kk.openstack.org/primary`, which the members give',
    flag,
  ),
  controller: meaning(
    'what it is called as an ingress controller: the one of the class `ingress.class`, which is made',
    text,
  ),
  driver: meaning(
    'what it is called as a driver of volumes (CSI), which is made together with the `classes` of the chart',
    text,
  ),
  sessionAffinity: meaning('whether a client stays with one pod', {enum: ['None', 'ClientIP']}),
  tls: meaning(
    'what is otherwise in these facts where servers are reached by TLS inside (`tls.internal`); `{}` if its files say all of it',
    ANY_OBJECT,
  ),
  grace: meaning('seconds that it may take to end (60)', whole),
  drain: meaning(
    'seconds that it goes on when it is to end, until nodes send new clients elsewhere (5 with an endpoint)',
    whole,
  ),
  lifecycle: meaning("Kubernetes' `lifecycle` of the container", ANY_OBJECT),
}

export const JOB: Readonly<Record<string, Schema>> = {
  rollout: meaning(
    'components of which only new pods may run before it starts; no pod waits for such a job',
    texts,
  ),
  migration: meaning(
    'whether it changes the schema of a database: it is content with one of a later release',
    flag,
  ),
  gate: meaning('`false`: no component waits for it', flag),
  retries: meaning('how often it is tried again before it has failed (10; by the clock 3)', whole),
}

export const FILE: Readonly<Record<string, Schema>> = {
  format: meaning(
    'how its options are written; `oslo`, the default, is `ini` with what is secret in the environment',
    {
      enum: ['oslo', 'ini', 'properties', 'python', 'json', 'yaml', 'text', 'argv'],
    },
  ),
  path: meaning('where `kolla_start` copies it', text),
  name: meaning(
    'its name in the ConfigMap, where two have the same; by default the last part of the path',
    text,
  ),
  owner: meaning("its owner; by default the chart's user", text),
  perm: meaning('its mode, `0600` by default', {type: 'string', pattern: '^0[0-7]{3}$'}),
  uses: meaning(
    'the [blocks](#blocks) of options that it gets, each with `true` or its parameters',
    mapOf({type: ['boolean', 'object']}),
  ),
  optional: meaning('whether there is no file while nothing is in it', flag),
  secret: meaning('whether it is kept in a Secret', flag),
  live: meaning('whether a running pod reads it again, so that a change replaces none', flag),
  for: meaning('the one component that gets it', text),
}

/** The facts of a service: declarations of its chart that a deployer seldom changes. */
export const FACTS: Readonly<Record<string, Schema>> = {
  image: meaning("the name of kolla's image", text),
  user: meaning('the user that runs in it: `name`, and its number, `id`', closed({name: text, id: whole})),
  components: meaning(
    'what runs: one Deployment, StatefulSet or DaemonSet each',
    mapOf(closed({...UNIT, ...COMPONENT})),
  ),
  files: meaning(
    'configuration files: their format, where they go, and which common blocks they get',
    mapOf(closed(FILE)),
  ),
  conf: meaning('`conf.FILE.SECTION.OPTION`, laid over what the blocks write', ANY_OBJECT),
  kolla: meaning(
    'files that were generated elsewhere: see [configuration from kolla](kolla-configuration.md)',
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
    'databases, each with the `user` that owns it (by default of its name); the job `db-create` makes them',
    mapOf(closed({user: text})),
  ),
  registration: meaning(
    'services (`type`, `description`; `endpoint`, where that is not called as the type), users (`role`), `roles` and domains of users that the service makes (`administrator`, whose password is that of the `account`) in keystone; the job `register` makes them',
    closed({
      services: mapOf(closed({type: text, description: text, endpoint: text})),
      users: mapOf(closed({role: text})),
      domains: mapOf(closed({administrator: text, account: text})),
      roles: texts,
    }),
  ),
  generated: meaning('Secrets that a job fills once', mapOf(ANY_OBJECT)),
  jobs: meaning('what else must run before the components', mapOf(closed({...UNIT, ...JOB}))),
  cronjobs: meaning(
    'what runs by the clock: the keys of a job, and `schedule`',
    mapOf(closed({...UNIT, ...JOB, schedule: text})),
  ),
  tests: meaning('pods for `helm test`: the keys of every pod', mapOf(closed(UNIT))),
}

export const FACT_DEFINITIONS: Readonly<Record<string, Schema>> = {
  variables: mapOf({anyOf: [scalar, reference]}),
  volume: closed(VOLUME),
  handler: closed(handler),
  object: {anyOf: [text, closed({name: text})]},
  rule: closed({
    ...{apiGroups: texts, resources: texts, verbs: texts, cluster: flag},
    resourceNames: {type: ['array', 'null'], items: ref('object')},
  }),
}
