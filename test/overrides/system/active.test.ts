import {describe, expect, it} from 'vitest'
import {activeCharts} from '../../../src/overrides/system/active.ts'
import {definePlugin} from '../../../src/overrides/system/plugin.ts'
import {builtInPlugins, withPlugins} from '../../../src/overrides/system/plugins.ts'
import {factsRead, systemOverrides} from '../../../src/overrides/system/system-overrides.ts'

const plugins = builtInPlugins()
const active = [
  {name: 'gnocchi', namespaces: ['openstack']},
  {name: 'ingress', namespaces: ['kube-system', 'openstack']},
]

describe('the active charts', () => {
  it('are those of the releases, each with its namespaces', async () => {
    const releases = [
      {chart: 'nova', namespace: 'cloud'},
      {chart: 'ingress', namespace: 'openstack'},
      {chart: 'ingress', namespace: 'kube-system'},
    ]

    const charts = await activeCharts({releases, facts: {charts: {heat: []}}, plugins})

    expect(charts).toEqual([
      {name: 'ingress', namespaces: ['kube-system', 'openstack']},
      {name: 'nova', namespaces: ['cloud']},
    ])
  })

  it('are those of the facts without an environment; in all namespaces of their plugin, unless the facts name some', async () => {
    const facts = {charts: {'rbd-provisioner': [], ingress: ['openstack'], cinder: []}}

    const charts = await activeCharts({facts, plugins})

    expect(charts).toEqual([
      {name: 'cinder', namespaces: ['openstack']},
      {name: 'ingress', namespaces: ['openstack']},
      {name: 'rbd-provisioner', namespaces: ['kube-system']},
    ])
  })

  it('are all charts with system overrides if neither an environment nor facts name any', async () => {
    const charts = await activeCharts({facts: {}, plugins})

    expect(charts.map(({name}) => name)).toEqual(plugins.charts)
    expect(charts).toContainEqual({name: 'ingress', namespaces: ['kube-system', 'openstack']})
    expect(charts).toContainEqual({name: 'rbd-provisioner', namespaces: ['kube-system']})
  })

  it.each([
    [
      {gnocci: []},
      'KK_UNKNOWN_CHART',
      'facts.yaml: charts.gnocci: no plugin exists for the chart gnocci',
      'did you mean gnocchi?',
    ],
    [
      {rabbitmq: ['openstak']},
      'KK_UNKNOWN_NAMESPACE',
      'facts.yaml: charts.rabbitmq: the plugin of the chart rabbitmq is not for the namespace openstak',
      'did you mean openstack?',
    ],
    [
      {ingress: ['openstack', 'edge']},
      'KK_UNKNOWN_NAMESPACE',
      'facts.yaml: charts.ingress: the plugin of the chart ingress is not for the namespace edge',
      'it is for: kube-system, openstack; only an environment (-e) can put the chart in another one',
    ],
  ])('are refused if the facts contain %j', async (charts, code, message, hint) => {
    const active = activeCharts({facts: {charts}, file: 'facts.yaml', plugins})

    await expect(active).rejects.toMatchObject({code, message, hint})
  })

  it('are in the namespaces that an external plugin declares', async () => {
    const outside = definePlugin({
      chart: 'rabbitmq',
      namespaces: ['bus'],
      reads: [],
      overrides: () => ({}),
    })

    const charts = await activeCharts({
      facts: {charts: {rabbitmq: ['bus']}},
      plugins: withPlugins(plugins, [outside]),
    })

    expect(charts).toEqual([{name: 'rabbitmq', namespaces: ['bus']}])
  })
})

describe('system overrides', () => {
  it.each([
    ['gnocci', 'openstack', 'KK_UNKNOWN_CHART', 'did you mean gnocchi?'],
    ['zzz', 'openstack', 'KK_UNKNOWN_CHART', 'there are: gnocchi, ingress'],
    ['ingress', 'openstak', 'KK_UNKNOWN_NAMESPACE', 'did you mean openstack?'],
    ['gnocchi', 'kube-system', 'KK_UNKNOWN_NAMESPACE', 'it is active in: openstack'],
  ])('for %s in %s are refused with a suggestion', async (chart, namespace, code, hint) => {
    const overrides = systemOverrides({active, chart, namespace, facts: {}, plugins})

    await expect(overrides).rejects.toMatchObject({code, hint})
  })

  it('are empty for a chart without a plugin', async () => {
    const own = [{name: 'own', namespaces: ['openstack']}]

    const overrides = await systemOverrides({
      active: own,
      chart: 'own',
      namespace: 'openstack',
      facts: {controllers: 3},
      plugins,
    })

    expect(overrides).toEqual({})
  })

  it('come from an external plugin that replaces kk’s own, and that gets only the facts that it reads', async () => {
    const outside = definePlugin({
      chart: 'rabbitmq',
      reads: ['nodes'],
      overrides: (facts) => ({seen: facts}),
    })
    const all = withPlugins(plugins, [outside])

    const overrides = await systemOverrides({
      active: [{name: 'rabbitmq', namespaces: ['openstack']}],
      chart: 'rabbitmq',
      namespace: 'openstack',
      facts: {nodes: 4, controllers: 3},
      plugins: all,
    })

    expect(overrides).toEqual({seen: {nodes: 4}})
    expect(all.replacing).toEqual([outside])
  })
})

it('need only the facts that the charts read', async () => {
  expect(await factsRead(['own'], plugins)).toEqual([])
  expect(await factsRead(['freezer', 'etcd'], plugins)).toEqual(
    expect.arrayContaining(['controllers', 'region', 'storage']),
  )
})
