import {describe, expect, it} from 'vitest'
import {discoverKinds} from '../../../src/kubernetes/api/discovery.ts'
import {validateObjects} from '../../../src/kubernetes/dry-run/validate.ts'
import type {KubernetesObject} from '../../../src/kubernetes/manifest/kubernetes-object.ts'
import {json, scriptedServer} from '../support/api-server.ts'

const SERVICE: KubernetesObject = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: {name: 'api'},
  spec: {ports: [{port: 99999}]},
}
const SERVICES = {apiVersion: 'v1', kind: 'Service', plural: 'services', namespaced: true} as const

interface Said {
  readonly status: number
  readonly message?: string
  readonly causes?: readonly {readonly field: string; readonly message: string}[]
}

/** What is said of a Service of a namespace that does not exist, by an API server that answers so. */
async function validated(
  {status, message, causes = []}: Said,
  method?: 'server-side' | 'client-side',
  redact?: (text: string) => string,
) {
  const server = await scriptedServer(({path}, response) => {
    if (path === '/api/v1/namespaces/new')
      return json(response, {kind: 'Status', message: 'not found', code: 404}, 404)
    json(
      response,
      status < 300 ? SERVICE : {kind: 'Status', message, code: status, details: {causes}},
      status,
    )
  })
  const writes = method && ({writes: {method, force: true, before: []}} as const)
  const discovery = {find: async () => SERVICES, isUnavailable: async () => false}
  const [said] = await validateObjects(server.client, discovery, {
    namespace: 'new',
    objects: [SERVICE],
    ...writes,
    ...(redact && {redact}),
  })
  return {said, asked: server.asked.filter(({method: each}) => each !== 'GET')}
}

it('an object whose API server does not respond is distinguished from one whose kind is not served', async () => {
  const server = await scriptedServer(({path}, response) => {
    const dead = {version: 'v1', freshness: 'Stale', resources: []}
    const items = path === '/apis' ? [{metadata: {name: 'dead.example.org'}, versions: [dead]}] : []
    json(response, {items})
  })
  const object = (group: string) => ({apiVersion: `${group}/v1`, kind: 'Thing', metadata: {name: 'a'}})

  const validations = await validateObjects(server.client, discoverKinds(server.client), {
    namespace: 'new',
    objects: [object('dead.example.org'), object('none.example.org')],
  })

  expect(validations.map((each) => 'missing' in each && each.missing)).toEqual(['server', 'kind'])
})

describe('an object whose namespace does not exist yet', () => {
  it.each<Said>([
    {
      status: 422,
      message:
        'Service "api" is invalid: spec.ports[0].port: Invalid value: 99999: must be between 1 and 65535',
      causes: [{field: 'spec.ports[0].port', message: 'Invalid value: 99999'}],
    },
    {
      status: 400,
      message: 'Secret in version "v1" cannot be handled as a Secret: illegal base64 data at input byte 0',
    },
  ])('is refused for a fault in any namespace: $message', async (answer) => {
    const {said} = await validated(answer)

    expect(said).toEqual({object: 'Service/api', outcome: 'refused', message: answer.message})
  })

  it('masks the secrets that the API server quotes in a refusal', async () => {
    const message =
      'Service "api" is invalid: spec.clusterIPs[0]: Invalid value: "s3cret": must be a valid IP'
    const causes = [{field: 'spec.clusterIPs[0]', message: 'Invalid value: "s3cret"'}]

    const {said} = await validated({status: 422, message, causes}, undefined, (text) =>
      text.replace('s3cret', '***'),
    )

    expect(said).toMatchObject({outcome: 'refused', message: message.replace('s3cret', '***')})
  })

  it.each<Said>([
    {status: 201},
    {
      status: 403,
      message: 'services is forbidden: User "ada" cannot create resource "services" in "default"',
    },
    {status: 403, message: 'pods "api" is forbidden: exceeded quota: few'},
    {status: 404, message: 'namespaces "default" not found'},
    {status: 409, message: 'services "api" already exists'},
    {status: 400, message: 'admission webhook "a.example.org" denied the request: not here'},
    {status: 400, message: 'admission webhook "a.example.org" does not support dry run'},
    {status: 422, message: 'admission webhook "a.example.org" denied the request: not here'},
    {
      status: 422,
      message:
        "services \"api\" is forbidden: ValidatingAdmissionPolicy 'a' with binding 'b' denied request: no",
    },
    {
      status: 422,
      message: 'Service "api" is invalid: metadata.namespace: Invalid value: "default": not here',
      causes: [{field: 'metadata.namespace', message: 'Invalid value: "default": not here'}],
    },
    {
      status: 500,
      message:
        'Internal error occurred: failed calling webhook "a.example.org": failed to call webhook: no endpoints available',
    },
  ])('is known after apply, whatever the answer of another namespace: $status $message', async (answer) => {
    const {said} = await validated(answer)

    expect(said).toEqual({object: 'Service/api', outcome: 'known-after-apply', missing: 'namespace'})
  })

  it.each([
    ['server-side', 'Strict'],
    ['client-side', null],
  ] as const)('is validated in the namespace default for the %s', async (method, fieldValidation) => {
    const {asked} = await validated({status: 201}, method)

    expect(asked.map(({path, query}) => [path, query.get('dryRun'), query.get('fieldValidation')])).toEqual([
      ['/api/v1/namespaces/default/services', 'All', fieldValidation],
    ])
    expect(JSON.parse(asked[0]!.body).metadata.namespace).toBe('default')
  })

  it('is refused under its own name for two list items with one key', async () => {
    const message = (name: string) =>
      `failed to create typed patch object (default/${name}; /v1, Kind=Service): .spec.ports: duplicate entries for key [port=80,protocol="TCP"]`
    const twice = {...SERVICE, spec: {ports: [{port: 80}, {port: 80}]}}
    const server = await scriptedServer(({path, method}, response) => {
      if (method === 'POST') return json(response, twice, 201)
      if (path === '/api/v1/namespaces/new') return json(response, {kind: 'Status', code: 404}, 404)
      json(response, {kind: 'Status', message: message('kk-dry-run-of-an-object'), code: 500}, 500)
    })

    const said = await validateObjects(
      server.client,
      {find: async () => SERVICES, isUnavailable: async () => false},
      {namespace: 'new', objects: [twice], writes: {method: 'server-side', force: true, before: []}},
    )

    expect(said).toEqual([{object: 'Service/api', outcome: 'refused', message: message('api')}])
  })
})

it.each([
  [
    'failed to call webhook: Post "https://hook.certs.svc:443/mutate?timeout=10s": connection refused',
    'certs/hook',
  ],
  ['failed to call webhook: Post "https://10.0.0.1/": connection refused', 'a.example.org'],
])('a webhook that does not respond is named: %s', async (why, webhook) => {
  const message = `Internal error occurred: failed calling webhook "a.example.org": ${why}`
  const server = await scriptedServer(({path}, response) =>
    path === '/api/v1/namespaces/here'
      ? json(response, {metadata: {name: 'here'}})
      : json(response, {kind: 'Status', message, code: 500}, 500),
  )

  const said = await validateObjects(
    server.client,
    {find: async () => SERVICES, isUnavailable: async () => false},
    {namespace: 'here', objects: [SERVICE]},
  )

  expect(said).toEqual([{object: 'Service/api', outcome: 'refused', message, webhook}])
})
