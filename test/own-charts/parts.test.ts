import {describe, expect, it} from 'vitest'
import {mergeValues} from '../../src/base/merge.ts'
import type {Values} from '../../src/base/values.ts'
import {partsOf} from '../../src/charts/parts-of.ts'
import type {Part} from '../../src/environment/environment.ts'
import {mergedValues, releaseLayers} from '../../src/overrides/layers.ts'
import {GIVEN, nested, SERVICES, useCharts, valuesOf} from './support/charts.ts'
import type {KubernetesObject} from './support/objects.ts'

const charts = await useCharts()

describe.each(SERVICES)('the component releases of %s', (chart) => {
  const parts = partsOf({
    section: 'cell',
    chart,
    values: {...valuesOf(chart)},
    file: 'cloud.yaml',
    position: undefined,
  })

  const values = valuesFor(parts)
  const whole = () => charts.render(chart, {release: 'cell', values})
  const rendered = ([release, part]: readonly [string, Part]) =>
    charts.render(chart, {release, values: valuesOfPart(values, part)})

  it('render the same objects as the chart as one release, each once', async () => {
    const all = (await Promise.all([...parts].map(rendered))).flat()

    expect(all.filter(isNotOwn).map(text).sort()).toEqual((await whole()).filter(isNotOwn).map(text).sort())
  })

  it('each have their own removal guard if the chart is protected', async () => {
    const removals = (await whole()).filter((object) => !isNotOwn(object))

    for (const [release, part] of parts) {
      const own = await rendered([release, part])
      expect(own.filter((object) => !isNotOwn(object)).map(named)).toEqual(
        removals.map(() => `${release} ConfigMap ${release}-removal`),
      )
    }
  })

  it('have no job before the components that waits for a job after the components', () => {
    const jobs: Readonly<Record<string, Job>> = valuesOf(chart).jobs ?? {}
    const isLate = (job: Job | undefined) => job?.rollout !== undefined || job?.gate === false
    const waited = Object.values(jobs).flatMap((job) => (isLate(job) ? [] : (job.after ?? [])))

    expect(waited.filter((name) => isLate(jobs[name]))).toEqual([])
  })
})

interface Job {
  readonly rollout?: readonly string[]
  readonly gate?: boolean
  readonly after?: readonly string[]
}

it('a changed value of one component is not in the values of the others', () => {
  const parts = partsOf({
    section: 'nova',
    chart: 'nova',
    values: {...valuesOf('nova')},
    file: 'cloud.yaml',
    position: undefined,
  })
  const before = {conf: {nova: {DEFAULT: {debug: true}}}, pod: {replicas: {conductor: 1, api: 1}}}
  const after = mergeValues(before, {
    images: {tags: {nova_conductor: 'registry/nova-conductor:2'}},
    pod: {
      replicas: {conductor: 3},
      resources: {conductor: {requests: {cpu: '1'}}},
      env: {conductor: {A: 'b'}},
    },
  })

  const changed = [...parts]
    .filter(([, part]) => digestOf(valuesOfPart(before, part)) !== digestOf(valuesOfPart(after, part)))
    .map(([release]) => release)

  // The environment of a pod may hold a secret, which the common part has.
  expect(changed).toEqual(['nova-common', 'nova-conductor'])
})

/** What a deployer can say for each component, beside what the chart has by default. */
function valuesFor(parts: ReadonlyMap<string, Part>): Values {
  const said = [...parts.values()].map(({name, chart, siblings: others}) => {
    if (name === 'common' || name === 'rollout') return {}
    const [other = 'none'] = others
    return mergeValues(
      nested(['images', 'tags', name], `registry/${name}:1`),
      nested(['labels', name], {node_selector_key: `${name}-node`, node_selector_value: 'yes'}),
      nested(['network', name], {node_port: {enabled: true}}),
      nested(['network_policy', name], {ingress: [{from: [{podSelector: {matchLabels: {of: name}}}]}]}),
      nested(['pod', 'replicas', name], 2),
      nested(['pod', 'resources', name], {requests: {cpu: '1'}}),
      nested(['pod', 'env', name.replaceAll('-', '_')], {OF: name}),
      nested(['pod', 'mounts', name], {volumes: [{name: 'more', emptyDir: {}}]}),
      nested(['pod', 'affinity', 'anti', 'topologyKey', name], `zone-${name}`),
      nested(['pod', 'lifecycle', 'termination_grace_period', `${chart}_${name}`.replaceAll('-', '_')], {
        timeout: 90,
      }),
      nested(['pod', 'lifecycle', 'disruption_budget', name], {min_available: 1}),
      nested(['pod', 'tolerations', name], {enabled: true, tolerations: [{key: name, operator: 'Exists'}]}),
      nested(['pod', 'priorityClassName', name], `class-${name}`),
      nested(['dependencies', 'static', name], {services: [{endpoint: 'internal', service: 'identity'}]}),
      nested(['conf', `${chart}_${other}_uwsgi`], {uwsgi: {processes: 2}}),
    )
  })
  return mergeValues({manifests: {network_policy: true}, network_policy: {nodes: []}}, ...said)
}

function valuesOfPart(values: Values, part: Part): Values {
  const layers = releaseLayers({
    environment: {
      file: 'cloud.yaml',
      global: GIVEN,
      sections: new Map([['part', values]]),
      position: () => undefined,
    },
    release: 'part',
    part,
  })
  const {global: _, ...rest} = mergedValues(layers)
  return rest
}

function digestOf({kk: _, ...values}: Values): string {
  return JSON.stringify(values)
}

/** The hook before a removal is each release's own. */
function isNotOwn({metadata}: KubernetesObject): boolean {
  return !metadata.name.endsWith('-removal')
}

function text(object: KubernetesObject): string {
  return JSON.stringify(object)
}

function named({kind, metadata}: KubernetesObject): string {
  return `${metadata.labels?.['app.kubernetes.io/instance']} ${kind} ${metadata.name}`
}
