import {join} from 'node:path'
import {describe, expect, it} from 'vitest'
import {mergeValues} from '../../src/base/merge.ts'
import {readChart} from '../../src/charts/read-chart.ts'
import {infer} from '../../src/graph/inference/infer.ts'
import type {KubernetesObject} from '../../src/kubernetes/manifest/kubernetes-object.ts'
import {factsOfObjects} from '../../src/prepare/inference/manifests/facts-of.ts'
import {releaseId, releaseName} from '../../src/release.ts'
import {CHARTS, GIVEN, SERVICES, useCharts} from './support/charts.ts'

const charts = await useCharts()
const idOf = (name: string) => releaseId('openstack', name)

/** What Chart.yaml says, `glance -> ceph ready`. */
const STATED = SERVICES.flatMap((chart) =>
  readChart(join(CHARTS, chart)).requires.map(({release, kind}) => `${chart} -> ${release} ${kind}`),
)

/**
 * What no gate waits for: scripts wait for files and sockets of the node, or a service asks another one while
 * it works.
 */
const OTHERWISE = [
  // Guests, not their daemon, open disks in Ceph.
  'libvirt -> ceph ready',
  'magnum -> heat ready',
  'magnum -> barbican ready',
  'murano -> heat ready',
  'neutron -> openvswitch ready',
  'nova -> libvirt ready',
  'nova -> neutron applied',
  'octavia -> neutron ready',
  'ovn -> openvswitch ready',
  // A prober asks what is in the catalogue.
  'probers -> glance ready',
  'probers -> nova ready',
  'probers -> neutron ready',
  'probers -> cinder ready',
]

/** A chart's release, as kk's inference sees what the chart renders; in Ceph whatever may be there. */
async function known(chart: string) {
  const {requires, sharedInfrastructure: shared} = readChart(join(CHARTS, chart))
  const isInCeph = requires.some(({release, optional}) => release === 'ceph' && optional)
  const global = mergeValues(GIVEN, {storage: {backend: 'ceph'}})
  const objects = await charts.render(chart, isInCeph ? {global} : {})
  const rendered = objects.map((object) => ({object: object as unknown as KubernetesObject, file: chart}))
  return {release: idOf(chart), facts: factsOfObjects(rendered, 'openstack'), shared}
}

describe('the requirements that kk infers from pods of its own charts', async () => {
  const releases = await Promise.all(SERVICES.map(known))
  const all = new Set(releases.map(({release}) => release))
  const nothing = () => ({stated: new Set<never>(), without: new Set<never>()})
  const {requirements, unserved, ambiguous} = infer({
    ...{releases, inferring: all, chartIndex: [], named: all, stated: nothing},
  })
  const edges = (...kinds: readonly string[]) =>
    requirements
      .filter(({kind}) => kinds.includes(kind))
      .map(({from, to, kind}) => `${releaseName(from)} -> ${releaseName(to)} ${kind}`)

  it('are stated by the chart, with the same kind', () => {
    const known = STATED.flatMap((line) => [line, line.replace(/ready$/, 'applied')])

    expect(edges('ready', 'applied').filter((edge) => !known.includes(edge))).toEqual([])
    expect([unserved, ambiguous]).toEqual([[], []])
  })

  it('are all that charts state, except requirements that no init container awaits', () => {
    const inferred = edges('ready', 'applied')

    expect(STATED.filter((line) => !inferred.includes(line)).toSorted()).toEqual(OTHERWISE.toSorted())
  })
})
