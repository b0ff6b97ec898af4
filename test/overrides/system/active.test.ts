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
  it('are those of the releases, each with the namespaces it is in', async () => {
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

  it('are those of the facts without an environment; the plugin knows where, unless the facts do', async () => {
    const facts = {charts: {'rbd-provisioner': [], ingress: [], rabbitmq: ['bus']}}

    const charts = await activeCharts({facts, plugins})

    expect(charts).toEqual([
      {name: 'ingress', namespaces: ['kube-system', 'openstack']},
      {name: 'rabbitmq', namespaces: ['bus']},
      {name: 'rbd-provisioner', namespaces: ['kube-system']},
    ])
  })

  it('are refused when the facts name one that nobody knows', async () => {
    const charts = activeCharts({facts: {charts: {gnocci: []}}, plugins})

    await expect(charts).rejects.toMatchObject({
      code: 'KK_UNKNOWN_CHART',
      hint: 'did you mean gnocchi?',
    })
  })
})

describe('system overrides', () => {
  it.each([
    ['gnocci', 'openstack', 'KK_UNKNOWN_CHART', 'did you mean gnocchi?'],
    ['zzz', 'openstack', 'KK_UNKNOWN_CHART', 'there are: gnocchi, ingress'],
    ['ingress', 'openstak', 'KK_UNKNOWN_NAMESPACE', 'did you mean openstack?'],
    ['gnocchi', 'kube-system', 'KK_UNKNOWN_NAMESPACE', 'it is active in: openstack'],
  ])('of %s in %s are refused with a suggestion', async (chart, namespace, code, hint) => {
    const overrides = systemOverrides({active, chart, namespace, facts: {}, plugins})

    await expect(overrides).rejects.toMatchObject({code, hint})
  })

  it('of a chart without a plugin are none', async () => {
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

  it('come from the plugin from outside where one replaces kk’s own, which sees only what it reads', async () => {
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

it('the facts to find out are those that the charts read', async () => {
  expect(await factsRead(['own'], plugins)).toEqual([])
  expect(await factsRead(['freezer', 'etcd'], plugins)).toEqual(
    expect.arrayContaining(['controllers', 'region', 'storage']),
  )
})
