import {existsSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {describe, expect, it} from 'vitest'
import {mergeValues} from '../../src/base/merge.ts'
import type {Values} from '../../src/base/values.ts'
import {readChart} from '../../src/charts/read-chart.ts'
import type {Facts} from '../../src/overrides/facts/facts.ts'
import {secretPaths} from '../../src/overrides/system/plugin.ts'
import {builtInPlugins} from '../../src/overrides/system/plugins.ts'
import {factsFor} from '../../src/overrides/system/system-overrides.ts'
import {readYaml} from '../../src/yaml/yaml.ts'
import {HELMS} from '../support/helms.ts'
import {CHARTS, GIVEN, IMAGES, nested, SERVICES, useCharts} from './support/charts.ts'
import {find} from './support/objects.ts'

const charts = await useCharts()
const plugins = builtInPlugins()
const GOLDEN = join(import.meta.dirname, '../overrides/system/golden')

/** The facts of the clouds in the golden file of a chart; of those of another where it has none. */
function cloudsOf(chart: string): readonly Facts[] {
  const file = join(GOLDEN, `${chart}.yaml`)
  const golden = readYaml(readFileSync(existsSync(file) ? file : join(GOLDEN, 'placement.yaml'), 'utf8'))
  return (golden as readonly {readonly facts: Facts}[]).map(({facts}) => facts)
}

/** Made for the chart as it is found: a golden file may be of openstack-helm's chart of that name. */
async function casesOf(chart: string) {
  const plugin = (await plugins.find(readChart(join(CHARTS, chart))))!
  const secrets = mergeValues(...secretPaths(plugin).map((path) => nested(path, 'marked')))
  const cases = cloudsOf(chart).map(async (facts) => {
    const {global = {}, ...values} = await plugin.overrides(factsFor(plugin, facts), 'openstack')
    return {chart, facts, values, global: global as Values, secrets}
  })
  return Promise.all(cases)
}

const cases = (await Promise.all(SERVICES.map(casesOf))).flat()

describe.each(HELMS)('by %s', (helm) => {
  const title = 'the system overrides and declared secrets suffice to render $chart: $facts'
  it.each(cases)(title, async ({chart, secrets, ...overrides}) => {
    const own = {...overrides.values, global: overrides.global}
    const {global, ...values} = mergeValues(secrets, IMAGES, own) as {global: object}

    const objects = await charts.render(chart, {helm, values, global})

    expect(objects.length).toBeGreaterThan(0)
  })
})

it('system overrides change the objects: replicas, and Ceph for images', async () => {
  const {values, global} = cases.findLast(({chart}) => chart === 'glance')!

  const objects = await charts.render('glance', {values, global: mergeValues(GIVEN, global)})

  expect(find(objects, 'Deployment', 'glance-api')).toMatchObject({spec: {replicas: 3}})
  expect(JSON.stringify(objects)).toContain('mon_host = 10.0.0.1:6789,10.0.0.2:6789')
})

describe('system overrides change the configuration files of pods', () => {
  /** The text of the files of a chart's pods in one of the clouds of its golden file. */
  const textIn = async (name: string, cloud: (facts: Facts) => boolean) => {
    const {values, global} = cases.find(({chart, facts}) => chart === name && cloud(facts))!
    const objects = await charts.render(name, {values, global: mergeValues(GIVEN, global)})
    return JSON.stringify(find(objects, 'ConfigMap', `${name}-etc`).data)
  }

  it.each([
    ['nova', 'memory that guests leave to the services beside them', 'reserved_host_memory_mb = 8192'],
    ['nova', 'one process of each API', 'processes = 1'],
    ['neutron', 'one process of each API', 'processes = 1'],
  ])('%s, on one machine: %s', async (chart, _, expected) => {
    expect(await textIn(chart, ({allInOne}) => allInOne === true)).toContain(expected)
  })

  it.each([
    ['nova', 'processes by the CPUs', 'workers = 8'],
    ['nova', 'consoles by IPv6', 'novncproxy_host = ::'],
    ['libvirt', 'consoles by IPv6', 'vnc_listen'],
    ['neutron', 'tunnels by IPv6', 'overlay_ip_version = 6'],
    ['designate', 'its API by IPv6', 'http = [::]:9001'],
    ['designate', 'processes by the CPUs', 'processes = 8'],
    ['octavia', 'every member of OVN', 'tcp:ovn-nb-2.ovn-nb-peers'],
    ['murano', 'its API by IPv6', 'bind_host = ::'],
    ['nova-api-proxy', 'its API by IPv6', 'osapi_proxy_listen = ::'],
    ['fm-rest-api', 'processes by the CPUs', 'api_workers = 8'],
    ['fm-rest-api', 'its API by IPv6', 'bind_host = ::'],
  ])('%s, in a large cloud: %s', async (chart, _, expected) => {
    expect(await textIn(chart, ({ipFamily}) => ipFamily === 'ipv6')).toContain(expected)
  })

  it('nova, with Ceph: disks in Ceph', async () => {
    expect(await textIn('nova', ({storage}) => storage === 'ceph')).toContain('images_type = rbd')
  })
})
