import {expect, it} from 'vitest'
import {isMap} from '../../../src/base/values.ts'
import type {Facts} from '../../../src/overrides/facts/facts.ts'
import {BASIC, basicPlugin} from '../../../src/overrides/system/basic.ts'
import {plugins as table} from '../../../src/overrides/system/table.ts'

const FACTS: Facts = {
  controllers: 3,
  region: 'north',
  publicDomain: 'cloud.example.org',
  allInOne: true,
  cpus: 32,
  storage: 'class',
  defaultStorageClass: 'fast',
  ipFamily: 'ipv6',
}

async function overridesOf(chart: string) {
  const plugin = table[chart] ? (await table[chart]()).plugin : basicPlugin(chart, BASIC[chart]!)
  return plugin.overrides(FACTS, 'openstack')
}

/**
 * Returns the keys below paths of the values that a chart of openstack-helm reads, by its `values.yaml` and
 * templates.
 */
const READ: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'ceph-provisioners': {'pod.replicas': ['csi_rbd_provisioner']},
  cinder: {'conf.cinder.DEFAULT': ['enabled_backends', 'default_volume_type', 'backup_driver']},
  cloudkitty: {
    'pod.replicas': ['cloudkitty_api', 'cloudkitty_processor'],
    'pod.resources': ['enabled', 'cloudkitty_api', 'cloudkitty_processor'],
  },
  // A DaemonSet.
  fluentd: {pod: ['resources'], 'pod.resources': ['enabled', 'fluentd']},
  gnocchi: {conf: ['gnocchi']},
  octavia: {
    'pod.replicas': ['api', 'driver_agent', 'housekeeping'],
    'pod.resources': ['enabled', 'api', 'driver_agent', 'worker', 'housekeeping', 'health_manager'],
    'conf.octavia_api_uwsgi.uwsgi': ['processes', 'http-socket'],
  },
  'prometheus-alertmanager': {storage: ['alertmanager'], 'storage.alertmanager': ['storage_class']},
}

it.each(Object.entries(READ))(
  "the plugin writes only values that openstack-helm's %s reads",
  async (chart, places) => {
    const overrides = await overridesOf(chart)

    for (const [place, keys] of Object.entries(places)) {
      const below = place
        .split('.')
        .reduce<unknown>((value, key) => (isMap(value) ? value[key] : undefined), overrides)
      expect(Object.keys(below ?? {}).sort(), place).toEqual([...keys].sort())
    }
  },
)
