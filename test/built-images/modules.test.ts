import {describe, expect, it} from 'vitest'
import {SERVICES, useCharts} from '../own-charts/support/charts.ts'
import {find, type KubernetesObject, pods} from '../own-charts/support/objects.ts'
import {containerOf} from './support/container.ts'
import {releasesOf} from './support/images.ts'

const charts = await useCharts()

describe('Debian modules in the Python of services', () => {
  it.each(
    [
      ['keystone', 'ldap, ldappool', 'keystone.identity.backends.ldap'],
      ['glance-api', 'rados, rbd', 'glance_store._drivers.rbd'],
      ['cinder-volume', 'rados, rbd', 'cinder.volume.drivers.rbd'],
      ['cinder-backup', 'rados, rbd', 'cinder.backup.drivers.ceph'],
      ['nova-compute', 'libvirt, rados, rbd', 'nova.virt.libvirt.driver'],
      // Without it, databases of OVN that are named by DNS can not be reached.
      ['neutron-server', 'unbound', 'neutron.plugins.ml2.drivers.ovn.mech_driver.mech_driver'],
      ['octavia-api', 'ovs, unbound', 'ovn_octavia_provider.driver'],
      ['gnocchi-api', 'rados, redis', 'gnocchi.storage.ceph, gnocchi.incoming.redis'],
      ['ceilometer-compute', 'libvirt, redis', 'ceilometer.compute.virt.libvirt.inspector'],
      ['aodh-evaluator', 'redis', 'tooz.drivers.redis'],
      ['designate-producer', 'redis', 'tooz.drivers.redis'],
    ].flatMap(([name, modules, driver]) =>
      releasesOf(name!).map((image) => ({image, name: image.name, modules, driver})),
    ),
  )('$name imports $modules, and $driver, which needs them', async ({image, modules, driver}) => {
    const container = await containerOf(image)

    const {exitCode, says} = await container.run(`python3 -c 'import ${modules}; import ${driver}'`)

    expect(exitCode, says).toBe(0)
  })
})

describe('the logical switch of a network in OVN', () => {
  it.each(releasesOf('neutron-server'))(
    'is found by its name, regardless of its UUID, in $tag',
    async (image) => {
      const container = await containerOf(image)
      const network = '8941d5ac-bab9-43c4-9982-1e2da9aca1e5'

      const {exitCode, says} = await container.run(`python3 -c '
from neutron.plugins.ml2.drivers.ovn.mech_driver.ovsdb.impl_idl_ovn import OvsdbNbOvnIdl as Northbound
class Rows:
    def lookup(self, table, record):
        return (table, record)
print("found", *Northbound.get_lswitch(Rows(), "${network}"))'`)

      expect(exitCode, says).toBe(0)
      expect(says).toContain(`found Logical_Switch neutron-${network}`)
    },
  )
})

interface Script {
  readonly name: string
  readonly text: string
}

/** The scripts of a chart that pods run, by the image in which they do. */
function scriptsOf(chart: string, objects: readonly KubernetesObject[]): ReadonlyMap<string, Script[]> {
  const units = pods(objects).flatMap(({spec}) => [...(spec.initContainers ?? []), ...spec.containers])
  const named = units.flatMap(({image, command = []}) =>
    command
      .filter((word) => word.startsWith('/scripts/'))
      .map((path) => ({image: /([^/]+):[^:]+$/.exec(image)![1]!, name: path.replace('/scripts/', '')})),
  )
  const {data = {}} = named.length > 0 ? find(objects, 'ConfigMap', `${chart}-bin`) : {}
  const scripts = named.map(({image, name}) => ({image, name, text: data[name]!}))
  return Map.groupBy(scripts, ({image}) => image)
}

/** A script of bash that fails where a module or program is missing that the script of a chart uses. */
function needs({name, text}: Script): string {
  const modules = [...text.matchAll(/^(?:import|from) (\w+)/gm)].map(([, module]) => module!)
  const programs = ['openstack', 'keystone-manage'].filter((program) =>
    new RegExp(`(^|[('"\\[])${program}["' ]`, 'm').test(text),
  )
  return [
    ...(name.endsWith('.py') ? [`python3 -c 'import ${[...new Set(modules)].join(', ')}'`] : []),
    ...programs.map((program) => `command -v ${program}`),
  ].join(' && ')
}

describe('the scripts of charts', async () => {
  const rendered = await Promise.all(
    SERVICES.map(async (chart) => [...scriptsOf(chart, await charts.render(chart))]),
  )
  const cases = rendered
    .flat()
    .flatMap(([name, scripts]) => releasesOf(name).map((image) => ({image, name: image.name, scripts})))

  it.each(cases)('find in $name the modules and programs that they use', async ({image, scripts}) => {
    const container = await containerOf(image)

    for (const script of scripts.filter((each) => needs(each) !== '')) {
      const {exitCode, says} = await container.run(needs(script))
      expect(exitCode, `${script.name}: ${says}`).toBe(0)
    }
  })

  it('are numerous', () => {
    expect(cases.length).toBeGreaterThan(15)
  })
})
