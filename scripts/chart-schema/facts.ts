import {ANY_OBJECT, closed, flag, mapOf, ref, type Schema, scalar, text, texts, whole} from './schema.ts'

/** A variable of a pod: text, or one reference to what the library knows (`common.pod.env.variable`). */
const reference: Schema = {
  type: 'object',
  minProperties: 1,
  additionalProperties: false,
  properties: {
    ...Object.fromEntries(
      [
        'field',
        'credential',
        'uri',
        'host',
        'port',
        'auth',
        'default',
        'option',
        'value',
        'object',
        'self',
        'peer',
      ].map((key) => [key, text]),
    ),
    json: {},
  },
}
const variables = ref('variables')

const handler = {path: text, tcp: flag, exec: texts, port: {type: ['string', 'integer']}}
const probe = closed({
  ...handler,
  startup: ref('handler'),
  readiness: ref('handler'),
  liveness: ref('handler'),
  timeout: whole,
  period: whole,
  patience: whole,
})

const volume = closed({
  path: text,
  readOnly: flag,
  propagation: {enum: ['None', 'HostToContainer', 'Bidirectional']},
  secret: text,
  mode: whole,
  host: text,
  empty: ANY_OBJECT,
})

/** What every pod of a chart is described by. */
const unit = {
  image: text,
  command: text,
  script: text,
  scripts: texts,
  args: texts,
  files: texts,
  variables,
  identity: variables,
  volumes: mapOf(ref('volume')),
  owners: mapOf(text),
  init: mapOf(closed({command: texts, env: variables, kolla: flag})),
  needs: texts,
  after: texts,
  rbac: mapOf(ref('rule')),
  host: closed({network: flag, pid: flag, ipc: flag}),
  privileged: flag,
  security: ANY_OBJECT,
  node: text,
  resources: ANY_OBJECT,
}
const job = {...unit, reads: texts, rollout: texts, migration: flag, gate: flag}

/** The facts of a service: what its chart says about it, and a deployer seldom changes. */
export const FACTS: Readonly<Record<string, Schema>> = {
  image: text,
  user: closed({name: text, id: whole}),
  components: mapOf(
    closed({
      ...unit,
      kind: {enum: ['Deployment', 'StatefulSet', 'DaemonSet']},
      endpoint: text,
      wsgi: text,
      argv: text,
      ports: mapOf(whole),
      probe,
      storage: closed({path: text, size: text}),
      management: {enum: ['OrderedReady', 'Parallel']},
      sessionAffinity: {enum: ['None', 'ClientIP']},
      grace: whole,
      drain: whole,
      lifecycle: ANY_OBJECT,
    }),
  ),
  files: mapOf(
    closed({
      format: {enum: ['oslo', 'ini', 'properties', 'python', 'json', 'yaml', 'text', 'argv']},
      path: text,
      name: text,
      owner: text,
      perm: {type: 'string', pattern: '^0[0-7]{3}$'},
      uses: mapOf({type: ['boolean', 'object']}),
      optional: flag,
      secret: flag,
      live: flag,
      for: text,
    }),
  ),
  conf: ANY_OBJECT,
  kolla: mapOf(
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
  databases: mapOf(closed({user: text})),
  registration: closed({
    services: mapOf(closed({type: text, description: text})),
    users: mapOf(closed({role: text})),
  }),
  generated: mapOf(ANY_OBJECT),
  jobs: mapOf(closed(job)),
  cronjobs: mapOf(closed({...job, schedule: text})),
  tests: mapOf(closed({...unit, login: text})),
}

export const FACT_DEFINITIONS: Readonly<Record<string, Schema>> = {
  variables: mapOf({anyOf: [scalar, reference]}),
  volume,
  handler: closed(handler),
  rule: closed({apiGroups: texts, resources: texts, resourceNames: texts, verbs: texts}),
}
