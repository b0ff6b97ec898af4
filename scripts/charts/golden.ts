/**
 * Writes the golden file of each new plugin: its values for three clouds, to be reviewed before the commit.
 */
import {existsSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {dump} from 'js-yaml'
import type {Facts} from '../../src/overrides/facts/facts.ts'
import {builtInPlugins} from '../../src/overrides/system/plugins.ts'
import {factsFor, systemOverrides} from '../../src/overrides/system/system-overrides.ts'
import {plugins as table} from '../../src/overrides/system/table.ts'

const GOLDEN = join(import.meta.dirname, '../../test/overrides/system/golden')

/** One machine; a cloud with volumes of a class, reached by IPv6; one with Ceph. */
const CLOUDS: readonly Facts[] = [
  {
    controllers: 1,
    computes: 1,
    nodes: 1,
    cpus: 8,
    memory: 16_384,
    region: 'RegionOne',
    storage: 'ephemeral',
    ipFamily: 'ipv4',
    allInOne: true,
  },
  {
    controllers: 3,
    computes: 40,
    nodes: 43,
    cpus: 32,
    memory: 131_072,
    zones: ['a', 'b', 'c'],
    region: 'north',
    publicDomain: 'cloud.example.org',
    tls: true,
    dnsDomain: 'k8s.local',
    storage: 'class',
    defaultStorageClass: 'fast',
    ipFamily: 'ipv6',
    allInOne: false,
  },
  {
    controllers: 5,
    computes: 200,
    nodes: 205,
    cpus: 64,
    memory: 262_144,
    region: 'south',
    publicDomain: 'example.org',
    tls: false,
    storage: 'ceph',
    defaultStorageClass: 'general',
    ceph: {monitors: ['10.0.0.1:6789', '10.0.0.2:6789'], user: 'openstack', replication: 3},
  },
]

for (const chart of Object.keys(table)) {
  const file = join(GOLDEN, `${chart}.yaml`)
  if (existsSync(file)) continue
  const plugins = builtInPlugins()
  const {namespaces, ...plugin} = (await plugins.find(chart))!
  const [namespace = ''] = namespaces
  const active = [{name: chart, namespaces}]
  const cases = CLOUDS.map(async (cloud) => ({
    facts: factsFor(plugin, cloud),
    ...(namespace !== 'openstack' && {namespace}),
    overrides: await systemOverrides({active, chart, namespace, facts: cloud, plugins}),
  }))
  writeFileSync(file, dump(await Promise.all(cases), {noRefs: true, lineWidth: -1}))
  console.log(`wrote test/overrides/system/golden/${chart}.yaml: read what it says`)
}
