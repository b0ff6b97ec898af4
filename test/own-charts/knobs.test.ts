import {describe, expect, it} from 'vitest'
import {SERVICES, useCharts, withAllObjects} from './support/charts.ts'
import {find, type KubernetesObject, ofKind, pods, workloads} from './support/objects.ts'

const charts = await useCharts()

/** What a deployer sets for all components, jobs and tests of a chart. */
const FOR_ALL = {
  images: {pull_secrets: ['registry-login']},
  annotations: {
    pod: {default: {'example.org/of': 'pods'}},
    job: {default: {'example.org/of': 'jobs'}},
    service: {default: {'example.org/of': 'services'}},
  },
  pod: {hostAliases: {default: [{ip: '192.0.2.1', hostnames: ['ldap.example.org']}]}},
  extraObjects: [{apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'mine'}, data: {key: 'value'}}],
}

/** The annotations of an object's pods. */
function podAnnotations(object: KubernetesObject): unknown {
  if (object.kind === 'Pod') return object.metadata.annotations
  const {spec} = object as unknown as {
    spec: {template?: Template; jobTemplate?: {spec: {template: Template}}}
  }
  return (spec.template ?? spec.jobTemplate!.spec.template).metadata.annotations
}
interface Template {
  readonly metadata: {readonly annotations?: Readonly<Record<string, string>>}
}

describe.each(SERVICES)('settings for all pods of %s', async (chart) => {
  const objects = await charts.render(chart, {values: {...withAllObjects(chart), ...FOR_ALL}})

  it('are in each of them, with the login of the registry', () => {
    for (const {spec} of pods(objects)) {
      expect(spec).toMatchObject({
        imagePullSecrets: [{name: 'registry-login'}],
        hostAliases: FOR_ALL.pod.hostAliases.default,
      })
    }
  })

  it('annotate pods of components, of jobs, and Services', () => {
    const jobs = ['CronJob', 'Job', 'Pod'].flatMap((kind) => ofKind(objects, kind))
    const services = ofKind(objects, 'Service').filter(({metadata}) => !metadata.name.endsWith('-peers'))

    for (const one of workloads(objects))
      expect(podAnnotations(one)).toMatchObject({'example.org/of': 'pods'})
    for (const one of jobs) expect(podAnnotations(one)).toMatchObject({'example.org/of': 'jobs'})
    for (const {metadata} of services)
      expect(metadata.annotations).toMatchObject({'example.org/of': 'services'})
  })

  it('include objects of the deployer', () => {
    expect(find(objects, 'ConfigMap', 'mine')).toEqual(FOR_ALL.extraObjects[0])
  })
})

describe('the Service of a component', () => {
  const service = async (values: object) =>
    find(await charts.render('keystone', {values}), 'Service', 'keystone-api')

  it('can have an address of a load balancer', async () => {
    const own = {
      type: 'LoadBalancer',
      loadBalancerClass: 'example.org/lb',
      loadBalancerIP: '192.0.2.5',
      externalTrafficPolicy: 'Local',
    }

    expect((await service({network: {api: {service: own}}})).spec).toMatchObject(own)
  })

  it('keeps the port on the nodes that is stated next to it', async () => {
    const network = {api: {service: {type: 'LoadBalancer'}, node_port: {enabled: true, port: 30500}}}
    const {spec} = await service({network})

    expect(spec).toMatchObject({type: 'LoadBalancer', ports: [{port: 5000, nodePort: 30500}]})
  })

  it.each([
    ['a load balancer', {type: 'LoadBalancer'}],
    ['external addresses', {externalIPs: ['192.0.2.7']}],
  ])('with %s is open to any client', async (_, own) => {
    const values = {
      ...{manifests: {network_policy: true}, network_policy: {nodes: []}},
      network: {api: {service: own}},
    }
    const {spec} = find(await charts.render('keystone', {values}), 'NetworkPolicy', 'keystone-api')

    expect((spec as unknown as {ingress: readonly object[]}).ingress[0]).not.toHaveProperty('from')
  })
})

describe('the nodes of a component', () => {
  const specOf = async (pod: object, chart = 'keystone') => {
    const [workload] = workloads(await charts.render(chart, {values: {pod}}))
    return workload!.spec!.template!.spec as unknown as {
      readonly affinity?: Readonly<Record<string, unknown>>
      readonly topologySpreadConstraints?: unknown
    }
  }

  it('are spread by topology, with the labels of the component unless others are stated', async () => {
    const zone = {maxSkew: 1, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'DoNotSchedule'}
    const others = {...zone, labelSelector: {matchLabels: {a: 'b'}}}

    const {topologySpreadConstraints} = await specOf({topologySpreadConstraints: {api: [zone, others]}})

    const own = {
      'app.kubernetes.io/name': 'keystone',
      'app.kubernetes.io/instance': 'keystone',
      'app.kubernetes.io/component': 'api',
    }
    expect(topologySpreadConstraints).toEqual([{...zone, labelSelector: {matchLabels: own}}, others])
  })

  it('are not spread if it has a pod on each node', async () => {
    const zone = {maxSkew: 1, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'DoNotSchedule'}

    const values = {pod: {topologySpreadConstraints: {default: [zone]}}}
    const spread = workloads(await charts.render('nova', {values})).filter(
      ({spec}) => 'topologySpreadConstraints' in spec!.template!.spec,
    )

    expect(new Set(spread.map(({kind}) => kind))).toEqual(new Set(['Deployment']))
  })

  it('are chosen by affinity, in addition to the anti-affinity among its pods', async () => {
    const nodeAffinity = {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{matchExpressions: [{key: 'disk', operator: 'Exists'}]}],
      },
    }

    const {affinity} = await specOf({affinity: {nodeAffinity: {api: nodeAffinity}}})

    expect(affinity).toEqual({nodeAffinity, podAntiAffinity: expect.any(Object)})
  })

  it('are chosen by the whole podAntiAffinity if one is stated', async () => {
    const podAntiAffinity = {
      preferredDuringSchedulingIgnoredDuringExecution: [
        {weight: 1, podAffinityTerm: {topologyKey: 'rack', labelSelector: {}}},
      ],
    }

    expect((await specOf({affinity: {podAntiAffinity: {api: podAntiAffinity}}})).affinity).toEqual({
      podAntiAffinity,
    })
  })
})

describe('settings of pods', () => {
  it('of another component change nothing', async () => {
    const values = {pod: {hostAliases: {'db-expand': [{ip: '192.0.2.1', hostnames: ['a']}]}}}
    const [plain, changed] = [await charts.render('keystone'), await charts.render('keystone', {values})]

    expect(find(changed, 'Job', 'keystone-bus-create-')).toEqual(find(plain, 'Job', 'keystone-bus-create-'))
  })

  it('that annotate a job create another one, because a Job is immutable', async () => {
    const name = async (values: object) =>
      find(await charts.render('keystone', {values}), 'Job', 'keystone-db-expand-').metadata.name

    const annotations = {job: {'db-expand': {'sidecar.istio.io/inject': 'false'}}}
    expect(await name({annotations})).not.toBe(await name({}))
  })

  it.each([
    ['an unknown component', {annotations: {pod: {apii: {a: 'b'}}}}, "invalid propertyName 'apii'"],
    [
      'an unknown field of a Service',
      {network: {api: {service: {loadbalancerIP: 'a'}}}},
      '/network/api/service',
    ],
    ['an object without a kind', {extraObjects: [{apiVersion: 'v1', metadata: {}}]}, '/extraObjects/0'],
  ])('are refused for %s', async (_, values, place) => {
    expect(await charts.refusal('keystone', {values})).toContain(place)
  })
})
