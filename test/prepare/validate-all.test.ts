import {describe, expect, it} from 'vitest'
import type {ChartFacts} from '../../src/graph/inference/facts.ts'
import type {ValidateOptions, Validation} from '../../src/kubernetes/dry-run/dry-runs.ts'
import type {KubernetesObject} from '../../src/kubernetes/manifest/kubernetes-object.ts'
import type {StoredRelease} from '../../src/kubernetes/records/release-record.ts'
import {validateAll} from '../../src/prepare/validate-all.ts'
import {id} from '../graph/graph-of.ts'
import {port} from '../kubernetes/support/port.ts'
import {planOf} from '../run/plan-of.ts'

const MAP: KubernetesObject = {apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'a'}}
const FAR: KubernetesObject = {...MAP, metadata: {name: 'a', namespace: 'far'}}
const THING: KubernetesObject = {apiVersion: 'example.org/v1', kind: 'Thing', metadata: {name: 't'}}
const TYPO: KubernetesObject = {apiVersion: 'apps/v1', kind: 'Deploymnt', metadata: {name: 'd'}}
const FAR_NAMESPACE: KubernetesObject = {apiVersion: 'v1', kind: 'Namespace', metadata: {name: 'far'}}
const DEFINITION: KubernetesObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: {name: 'things.example.org'},
  spec: {group: 'example.org', names: {kind: 'Thing'}, versions: [{name: 'v1'}]},
}
const definers = (verbs: readonly string[]): KubernetesObject => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: {name: 'operator'},
  rules: [{apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs}],
})

interface Setting {
  /** By release; `api` requires `db`. */
  readonly rendered: Readonly<Record<string, readonly KubernetesObject[]>>
  readonly kinds?: Parameters<typeof planOf>[1]
  /** Was rendered before, and makes nothing that matters here. */
  readonly cached?: string
  /** Of helm: 4, if left out. */
  readonly major?: 3 | 4
}

const PLAIN = {wants: [], provided: {objects: [], kinds: []}} as unknown as ChartFacts

const HOOK = 'openstack/hook'
const ISSUER: KubernetesObject = {apiVersion: 'v1', kind: 'Issuer', metadata: {name: 'i'}}
const HOOK_SERVICE: KubernetesObject = {apiVersion: 'v1', kind: 'Service', metadata: {name: 'hook'}}

/**
 * A cluster that has neither the kind Thing nor the namespace `far`, and whose webhook about Issuers does not
 * answer.
 */
async function validate({objects}: ValidateOptions): Promise<readonly Validation[]> {
  return objects.map(({apiVersion, kind, metadata}) => {
    const object = `${kind}/${metadata.name}`
    if (kind === 'Issuer')
      return {object, outcome: 'refused', message: 'failed calling webhook', webhook: HOOK}
    if (apiVersion === 'dead.example.org/v1') return {object, outcome: 'known-after-apply', missing: 'server'}
    if (kind === 'Deploymnt' || apiVersion === 'example.org/v1')
      return {object, outcome: 'known-after-apply', missing: 'kind'}
    if (metadata.namespace === 'far') return {object, outcome: 'known-after-apply', missing: 'namespace'}
    return {object, outcome: 'accepted'}
  })
}

const mask = (text: string) => text.replaceAll('s3cret', '***')

function validated({rendered, kinds, cached: known, major = 4}: Setting) {
  const plan = planOf({db: [], api: ['db']}, kinds)
  const objects = new Map(Object.entries(rendered).map(([name, each]) => [id(name), each]))
  const cachedRenders = new Map(
    known === undefined ? [] : [[id(known), {layers: '', rendered: undefined, facts: PLAIN}]],
  )
  const helm = {version: {major}} as const
  const preflight = {plan, previous: new Map(), helm, forceConflicts: false, mask, cachedRenders} as const
  return validateAll(objects, port({validate}), preflight)
}

describe('before the first change', () => {
  it.each<[string, Setting, RegExp]>([
    [
      'a kind that is not served',
      {rendered: {db: [MAP], api: [THING]}},
      /api: Thing\/t: the cluster serves no kind Thing of example.org\/v1/,
    ],
    [
      'an object that a chart renders twice with differences',
      {rendered: {db: [MAP, {...MAP, data: {a: '1'}}]}},
      /db: ConfigMap\/a: the chart renders it more than once, and not the same/,
    ],
    [
      'an object that a chart renders twice and helm 3 creates',
      {rendered: {db: [MAP, MAP]}, major: 3, kinds: {db: 'install'}},
      /db: ConfigMap\/a: the chart renders it more than once$/m,
    ],
    [
      'a kind of an API whose server does not answer',
      {rendered: {db: [MAP], api: [{...THING, apiVersion: 'dead.example.org/v1'}]}},
      /api: Thing\/t: the API dead.example.org\/v1 is registered, but its server does not answer: see APIService\/v1.dead.example.org/,
    ],
    [
      'a kind in an API group of Kubernetes, even if an operator may define kinds',
      {rendered: {db: [definers(['create'])], api: [TYPO]}},
      /Deploymnt\/d: the cluster serves no kind Deploymnt of apps\/v1/,
    ],
    [
      'an unknown kind if the facts of other releases are cached',
      {rendered: {api: [THING]}, cached: 'db'},
      /api: Thing\/t: the cluster serves no kind Thing of example.org\/v1/,
    ],
    [
      'an unknown kind if an operator may only read definitions',
      {rendered: {db: [definers(['get', 'list'])], api: [THING]}},
      /no kind Thing/,
    ],
    [
      'an object in a namespace that does not exist',
      {rendered: {db: [MAP], api: [FAR]}},
      /api: ConfigMap\/a: there is no namespace far/,
    ],
  ])('%s is refused', async (_what, setting, message) => {
    const refused = validated(setting)

    await expect(refused).rejects.toMatchObject({
      code: 'KK_INVALID_OBJECT',
      message: expect.stringMatching(message),
    })
  })

  it.each<[string, Setting]>([
    ['a kind that the plan defines', {rendered: {db: [DEFINITION], api: [THING]}}],
    ['a kind that an operator of the plan may define', {rendered: {db: [definers(['*'])], api: [THING]}}],
    ['a kind if another release was never rendered', {rendered: {api: [THING]}}],
    ['a kind if another release is only awaited', {rendered: {api: [THING]}, kinds: {db: 'await'}}],
    ['an object for a webhook that the plan adds', {rendered: {db: [HOOK_SERVICE], api: [ISSUER]}}],
    ['a namespace that the plan creates', {rendered: {db: [FAR_NAMESPACE], api: [FAR, THING, DEFINITION]}}],
  ])('%s is known after apply', async (_what, setting) => {
    const later = await validated(setting)

    const left = later.get(id('api'))!.map(({kind}) => kind)
    expect(left).toEqual(
      setting.rendered.api!.map(({kind}) => kind).filter((kind) => kind !== DEFINITION.kind),
    )
  })
})

it('replicas set by an autoscaler are refused with a hint to omit them', async () => {
  const preflight = {
    plan: planOf({api: []}, {api: 'install'}),
    previous: new Map(),
    helm: {version: {major: 4}},
    forceConflicts: false,
    mask,
  } as const
  const conflicts = [{field: '.spec.replicas', manager: 'kube-controller-manager'}]
  const scaled = async (): Promise<readonly Validation[]> => [
    {object: 'Deployment/api', outcome: 'accepted', conflicts},
  ]

  const refused = validateAll(new Map([[id('api'), [MAP]]]), port({validate: scaled}), preflight)

  await expect(refused).rejects.toMatchObject({
    code: 'KK_CONFLICT',
    hint: expect.stringContaining('an autoscaler sets spec.replicas: have the chart omit it'),
  })
})

it('a webhook that does not answer is not reported as a refused object', async () => {
  await expect(validated({rendered: {api: [ISSUER]}})).rejects.toMatchObject({
    code: 'KK_WEBHOOK',
    message: expect.stringMatching(/openstack\/hook, for Issuer\/i/),
  })
})

describe('validation uses the apply method of helm', () => {
  it.each([
    ['a new release with helm 4', 'install', 4, undefined, 'server-side'],
    ['a new release with helm 3', 'install', 3, undefined, 'client-side'],
    ['a release that helm 4 applied', 'upgrade', 4, 'ssa', 'server-side'],
    ['a release that helm 3 installed', 'upgrade', 4, undefined, 'client-side'],
  ] as const)('%s', async (_what, kind, major, applyMethod, method) => {
    const asked: ValidateOptions[] = []
    const plan = planOf({api: []}, {api: kind})
    const stored = {manifest: JSON.stringify(MAP), applyMethod} as StoredRelease
    const previous = new Map(kind === 'install' ? [] : [[id('api'), [stored]]])

    await validateAll(
      new Map([[id('api'), [MAP]]]),
      port({
        validate: (options) => {
          asked.push(options)
          return validate(options)
        },
      }),
      {plan, previous, helm: {version: {major}}, forceConflicts: true, mask},
    )

    const before = kind === 'install' ? [] : [MAP]
    expect(asked[0]!.writes).toEqual({method, force: true, before})
    expect(asked[0]!.redact?.('Invalid value: "s3cret"')).toBe('Invalid value: "***"')
    expect(asked[0]!.objects[0]!.metadata.labels).toEqual({'app.kubernetes.io/managed-by': 'Helm'})
  })

  it('conflicts with fields of other managers are refused, with all fields', async () => {
    const conflicts = [{field: '.spec.containers[name="main"].image', manager: 'kubectl-set'}]
    const answer = {object: 'Deployment/api', outcome: 'accepted', conflicts} as const

    const refused = validateAll(new Map([[id('api'), [MAP]]]), port({validate: async () => [answer]}), {
      plan: planOf({api: []}),
      previous: new Map(),
      helm: {version: {major: 4}},
      forceConflicts: false,
      mask,
    })

    await expect(refused).rejects.toMatchObject({
      code: 'KK_CONFLICT',
      message: expect.stringContaining(
        'Deployment/api spec.containers[main].image is managed by kubectl-set',
      ),
    })
  })

  it('many fields of one manager are one line per release', async () => {
    const conflicts = Array.from({length: 40}, (_, at) => ({
      field: `.data.k${at}`,
      manager: 'helm-controller',
    }))
    const answers = ['ConfigMap/one', 'ConfigMap/two'].map(
      (object) => ({object, outcome: 'accepted', conflicts}) as const,
    )

    const refused = validateAll(
      new Map([
        [id('api'), [MAP, {...MAP, metadata: {name: 'two'}}]],
        [id('db'), [MAP, {...MAP, metadata: {name: 'two'}}]],
      ]),
      port({validate: async () => answers}),
      {
        plan: planOf({api: [], db: []}),
        previous: new Map(),
        helm: {version: {major: 4}},
        forceConflicts: false,
        mask,
      },
    )

    const error = await refused.catch((thrown: Error) => thrown)
    expect((error as Error).message.split('\n')).toEqual([
      'other managers own fields that helm would set:',
      '  openstack/api: ConfigMap/one data.k0 and 79 more fields, of 2 objects, are managed by helm-controller',
      '  openstack/db: ConfigMap/one data.k0 and 79 more fields, of 2 objects, are managed by helm-controller',
    ])
  })
})
