import {join} from 'node:path'
import {describe, expect, it} from 'vitest'
import {readChart} from '../../../src/charts/read-chart.ts'
import {readEnvironment} from '../../../src/environment/read.ts'
import {definePlugin} from '../../../src/overrides/system/plugin.ts'
import {builtInPlugins, withPlugins} from '../../../src/overrides/system/plugins.ts'
import {runPlugin} from '../../../src/verbs/facts/run-plugin.ts'

const FIXTURES = join(import.meta.dirname, '../../fixtures')
const plugins = builtInPlugins()
const facts = async () => ({controllers: 3})
const environment = readEnvironment({
  file: 'cloud.yaml',
  text: 'kk: {namespace: cloud, releases: {edge-ingress: {chart: ingress, namespace: edge}}}\nedge-ingress: {}\n',
  directory: '.',
})

describe('running a plugin', () => {
  it('returns its overrides for the facts, in the first namespace that it declares', async () => {
    const ran = await runPlugin({plugins, chart: 'rabbitmq', facts})

    expect(ran).toMatchObject({namespace: 'openstack', overrides: {pod: {replicas: {server: 3}}}})
  })

  it('returns the dialect of the chart and the overrides that the chart does not read', async () => {
    const found = readChart(join(FIXTURES, 'openstack-helm/nova'))

    const ran = await runPlugin({plugins, chart: 'nova', foundChart: found, facts})

    expect(ran).toMatchObject({dialect: 'openstack-helm', overrides: {pod: {replicas: {osapi: 3}}}})
    expect(ran.unread).toContain('pod.replicas.osapi')
    expect(ran.unread).not.toContain('endpoints.oslo_messaging.statefulset.replicas')
  })

  it('returns no overrides for a chart of neither dialect', async () => {
    const found = readChart(join(FIXTURES, 'dialects/mariadb'))

    const ran = await runPlugin({plugins, chart: 'mariadb', foundChart: found, facts})

    expect(ran).toEqual({namespace: 'openstack', overrides: {}, unread: []})
  })

  it('masks declared and detected secrets unless showSecrets is set', async () => {
    const overrides = {conf: {pin: 1234, password: 'geheim'}, region: 'north'}
    const secrets = [{name: 'pin', kind: 'password', path: ['conf', 'pin']}] as const
    const plugin = definePlugin({chart: 'mine', reads: [], secrets, overrides: () => overrides})
    const mine = {plugins: withPlugins(plugins, [plugin]), chart: 'mine', facts}

    expect((await runPlugin(mine)).overrides).toEqual({
      conf: {pin: '***', password: '***'},
      region: 'north',
    })
    expect((await runPlugin({...mine, showSecrets: true})).overrides).toEqual(overrides)
  })

  it.each(['kube-system', 'edge', 'cloud'])(
    'accepts the namespace %s of the plugin or of the environment',
    async (namespace) => {
      const ran = await runPlugin({plugins, chart: 'ingress', namespace, environment, facts})

      expect(ran.namespace).toBe(namespace)
    },
  )

  it.each([
    ['ingres', undefined, 'KK_UNKNOWN_CHART', 'did you mean ingress?'],
    ['ingress', 'kube-sytem', 'KK_UNKNOWN_NAMESPACE', 'did you mean kube-system?'],
    [
      'rabbitmq',
      'edge',
      'KK_UNKNOWN_NAMESPACE',
      'it is for: openstack; only an environment (-e) can put the chart in another one',
    ],
  ])('of %s in %s is refused without reading facts', async (chart, namespace, code, hint) => {
    const ran = runPlugin({plugins, chart, namespace, facts: () => Promise.reject(new Error('asked'))})

    await expect(ran).rejects.toMatchObject({code, hint})
  })
})
