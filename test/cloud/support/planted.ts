import type {FindingKind} from '../../../src/audit/finding.ts'

/** The pods of the cloud in which inconsistencies are planted. */
type PlantingPod = keyof typeof PODS

export const PODS = {
  nova: 'deployment/nova-conductor',
  placement: 'deployment/placement-api',
  neutron: 'deployment/neutron-server',
  cinder: 'deployment/cinder-volume',
  glance: 'deployment/glance-api',
  compute: 'daemonset/nova-compute',
  northbound: 'statefulset/ovn-nb',
  southbound: 'statefulset/ovn-sb',
  switch: 'daemonset/openvswitch-db',
  libvirt: 'daemonset/libvirt-libvirt',
} as const

/** Scripts for bash, by the pod that runs them. */
type Scripts = Partial<Readonly<Record<PlantingPod, string>>>

/** An inconsistency, how it is planted and removed, and an id that its finding names. */
interface PlantedKind {
  readonly kind: FindingKind
  readonly id: string
  readonly plant: Scripts
  readonly remove: Scripts
}

/** Objects of the test. */
export interface OwnObjects {
  /** A server with one CPU that runs, without a volume. */
  readonly server: string
  /** A port without a server. */
  readonly freePort: string
  /** Five available volumes of 1 GiB. */
  readonly volumes: readonly string[]
  /** A volume that was deleted. */
  readonly goneVolume: string
}

const id = (number: number) => `aadd1700-0000-4000-8000-${String(number).padStart(12, '0')}`
const LONG_AGO = 'UTC_TIMESTAMP() - INTERVAL 2 HOUR'
const NB = 'ovn-nbctl --db=unix:/run/ovn/db.sock'
const SB = 'ovn-sbctl --db=unix:/run/ovn/db.sock'
/** What neutron marks, and its tool compares (neutron: ovn_db_sync.py). */
const OF_NEUTRON = ['revision_number', 'network_name', 'router_name', 'port_name']
  .map((key) => `'external_ids:"neutron:${key}"=1'`)
  .join(' ')

/** Executes statements by the connection of a service's environment. */
function sql(variable: string, ...statements: readonly string[]): string {
  return `python3 - <<'PROGRAM'
import os, pymysql, urllib.parse
url = urllib.parse.urlsplit(os.environ["${variable}"])
connection = pymysql.connect(host=url.hostname, port=url.port or 3306, user=urllib.parse.unquote(url.username),
    password=urllib.parse.unquote(url.password), database=url.path[1:], autocommit=True)
for statement in ${JSON.stringify(statements)}:
    connection.cursor().execute(statement)
PROGRAM
`
}

const api = (...statements: readonly string[]) => sql('OS_API_DATABASE__CONNECTION', ...statements)
const main = (...statements: readonly string[]) => sql('OS_DATABASE__CONNECTION', ...statements)
const placement = (...statements: readonly string[]) =>
  sql('OS_PLACEMENT_DATABASE__CONNECTION', ...statements)

/** Returns inconsistencies that touch nothing but the objects of the test, and rows of their own. */
export function plantedKinds({
  server,
  freePort,
  volumes,
  goneVolume: gone,
}: OwnObjects): readonly PlantedKind[] {
  const [inUse, stuck, lost, elsewhere, open] = volumes as [string, string, string, string, string]
  const volume = (each: string, change: string) => main(`UPDATE volumes SET ${change} WHERE id = '${each}'`)
  const settled = `updated_at = ${LONG_AGO}`
  const calm = `status = 'available', host = 'cinder@rbd#rbd', ${settled}`
  const domain = `<domain type='qemu'><name>instance-audit</name><uuid>${id(1)}</uuid><memory>1024</memory><os><type>hvm</type></os></domain>`
  const device = `UPDATE ports SET device_id = '${id(5)}', device_owner = 'compute:nova' WHERE id = '${freePort}'`
  const old = (each: string) =>
    `UPDATE standardattributes s JOIN ports p ON p.standard_attr_id = s.id SET s.updated_at = ${LONG_AGO} WHERE p.id = '${each}'`
  return [
    {
      ...{kind: 'DOMAIN_WITHOUT_SERVER', id: id(1)},
      plant: {libvirt: `virsh define /dev/stdin <<'XML'\n${domain}\nXML\n`},
      remove: {libvirt: `virsh undefine ${id(1)}`},
    },
    {
      ...{kind: 'MAPPING_WITHOUT_SERVER', id: id(2)},
      plant: {
        nova: api(
          `INSERT INTO instance_mappings (created_at, instance_uuid, cell_id, project_id, queued_for_delete) SELECT ${LONG_AGO}, '${id(2)}', id, 'audit', 0 FROM cell_mappings WHERE name = 'cell1'`,
        ),
      },
      remove: {nova: api(`DELETE FROM instance_mappings WHERE instance_uuid = '${id(2)}'`)},
    },
    {
      ...{kind: 'SERVER_PORT_MISSING', id: id(4)},
      plant: {
        nova: main(
          `INSERT INTO virtual_interfaces (created_at, address, instance_uuid, uuid, deleted) VALUES (${LONG_AGO}, 'audit', '${server}', '${id(4)}', 0)`,
        ),
      },
      remove: {nova: main(`DELETE FROM virtual_interfaces WHERE uuid = '${id(4)}'`)},
    },
    {
      ...{kind: 'SERVER_VOLUME_MISSING', id: id(6)},
      plant: {
        nova: main(
          `INSERT INTO block_device_mapping (created_at, instance_uuid, volume_id, source_type, destination_type, deleted, no_device) VALUES (${LONG_AGO}, '${server}', '${id(6)}', 'volume', 'volume', 0, 0)`,
        ),
      },
      remove: {nova: main(`DELETE FROM block_device_mapping WHERE volume_id = '${id(6)}'`)},
    },
    {
      ...{kind: 'PORT_WITHOUT_SERVER', id: freePort},
      plant: {neutron: main(device, old(freePort))},
      remove: {neutron: main(`UPDATE ports SET device_id = '', device_owner = '' WHERE id = '${freePort}'`)},
    },
    {
      ...{kind: 'ORPHAN_ALLOCATION', id: id(7)},
      plant: {
        placement: placement(
          `INSERT INTO consumers (created_at, uuid, project_id, user_id, generation) SELECT ${LONG_AGO}, '${id(7)}', project_id, user_id, 1 FROM consumers LIMIT 1`,
          `INSERT INTO allocations (created_at, resource_provider_id, consumer_id, resource_class_id, used) SELECT ${LONG_AGO}, resource_provider_id, '${id(7)}', resource_class_id, 1 FROM allocations WHERE consumer_id = '${server}' LIMIT 1`,
        ),
      },
      remove: {
        placement: placement(
          `DELETE FROM allocations WHERE consumer_id = '${id(7)}'`,
          `DELETE FROM consumers WHERE uuid = '${id(7)}'`,
        ),
      },
    },
    {
      ...{kind: 'ALLOCATION_DIFFERS', id: server},
      plant: {placement: placement(allocated(server, 2))},
      remove: {placement: placement(allocated(server, 1))},
    },
    {
      ...{kind: 'PROVIDER_WITHOUT_NODE', id: id(8)},
      plant: {
        placement: placement(
          `INSERT INTO resource_providers (created_at, uuid, name, generation) VALUES (${LONG_AGO}, '${id(8)}', 'audit-gone', 1)`,
          `UPDATE resource_providers SET root_provider_id = id WHERE uuid = '${id(8)}'`,
          `INSERT INTO inventories (created_at, resource_provider_id, resource_class_id, total, reserved, min_unit, max_unit, step_size, allocation_ratio) SELECT ${LONG_AGO}, p.id, c.id, 1, 1, 1, 1, 1, 1 FROM resource_providers p JOIN resource_classes c ON c.name = 'MEMORY_MB' WHERE p.uuid = '${id(8)}'`,
        ),
      },
      remove: {
        placement: placement(
          `DELETE i FROM inventories i JOIN resource_providers p ON p.id = i.resource_provider_id WHERE p.uuid = '${id(8)}'`,
          `UPDATE resource_providers SET root_provider_id = NULL WHERE uuid = '${id(8)}'`,
          `DELETE FROM resource_providers WHERE uuid = '${id(8)}'`,
        ),
      },
    },
    ...inNorthbound(freePort),
    {
      ...{kind: 'CHASSIS_WITHOUT_NODE', id: 'audit-gone'},
      plant: {
        southbound: `${SB} chassis-add audit-gone geneve 192.0.2.9\n${SB} set chassis audit-gone hostname=audit-gone\n`,
      },
      remove: {southbound: `${SB} --if-exists chassis-del audit-gone\n`},
    },
    {
      ...{kind: 'ORPHAN_OVS_PORT', id: 'tapaudit1'},
      plant: {
        switch: `ovs-vsctl add-port br-int tapaudit1 -- set interface tapaudit1 type=internal external_ids:iface-id=${id(9)}\n`,
      },
      remove: {switch: 'ovs-vsctl --if-exists del-port tapaudit1\n'},
    },
    {
      ...{kind: 'OVS_PORT_WITHOUT_DEVICE', id: 'tapaudit2'},
      plant: {
        switch: 'ovs-vsctl --no-wait add-port br-int tapaudit2 -- set interface tapaudit2 type=system\n',
      },
      remove: {switch: 'ovs-vsctl --if-exists del-port tapaudit2\n'},
    },
    {
      ...{kind: 'ATTACHMENT_WITHOUT_SERVER', id: id(10)},
      plant: {
        cinder: main(
          `INSERT INTO volume_attachment (created_at, deleted, id, volume_id, instance_uuid, attach_status) VALUES (${LONG_AGO}, 0, '${id(10)}', '${inUse}', '${id(11)}', 'attached')`,
          `UPDATE volumes SET ${settled} WHERE id = '${inUse}'`,
        ),
      },
      remove: {cinder: main(`DELETE FROM volume_attachment WHERE id = '${id(10)}'`)},
    },
    {
      ...{kind: 'VOLUME_AVAILABLE_ATTACHED', id: inUse},
      ...{plant: {}, remove: {}},
    },
    {
      ...{kind: 'VOLUME_STUCK', id: stuck},
      plant: {cinder: volume(stuck, `status = 'detaching', ${settled}`)},
      remove: {cinder: volume(stuck, calm)},
    },
    {
      ...{kind: 'VOLUME_WITHOUT_IMAGE', id: lost},
      plant: {
        cinder: `${volume(lost, settled)}rbd --id cinder mv volumes/volume-${lost} volumes/volume-${lost}-audit\n`,
      },
      remove: {cinder: `rbd --id cinder mv volumes/volume-${lost}-audit volumes/volume-${lost}\n`},
    },
    {
      ...{kind: 'VOLUME_BACKEND_UNKNOWN', id: elsewhere},
      plant: {cinder: volume(elsewhere, `host = 'cinder@gone#gone', ${settled}`)},
      remove: {cinder: volume(elsewhere, calm)},
    },
    {
      ...{kind: 'VOLUME_IN_USE_UNATTACHED', id: open},
      plant: {cinder: volume(open, `status = 'in-use', ${settled}`)},
      remove: {cinder: volume(open, calm)},
    },
    {
      ...{kind: 'SNAPSHOT_WITHOUT_VOLUME', id: id(12)},
      plant: {
        cinder: main(
          `INSERT INTO snapshots (created_at, deleted, id, volume_id, status, volume_type_id, use_quota) SELECT ${LONG_AGO}, 0, '${id(12)}', id, 'available', volume_type_id, 0 FROM volumes WHERE id = '${gone}'`,
        ),
      },
      remove: {cinder: main(`DELETE FROM snapshots WHERE id = '${id(12)}'`)},
    },
    {
      ...{kind: 'IMAGE_WITHOUT_VOLUME', id: id(14)},
      plant: {cinder: `rbd --id cinder create --size 1 volumes/volume-${id(14)}\n`},
      remove: {cinder: `rbd --id cinder --no-progress rm volumes/volume-${id(14)}\n`},
    },
    {
      ...{kind: 'DISK_WITHOUT_SERVER', id: `vms/${id(15)}_disk`},
      plant: {compute: `rbd --id cinder create --size 1 vms/${id(15)}_disk\n`},
      remove: {compute: `rbd --id cinder --no-progress rm vms/${id(15)}_disk\n`},
    },
    {
      ...{kind: 'IMAGE_DATA_ORPHAN', id: id(16)},
      plant: {glance: inImages(`rbd.RBD().create(pool, "${id(16)}", 1048576)`)},
      remove: {glance: inImages(`rbd.RBD().remove(pool, "${id(16)}")`)},
    },
  ]
}

/** Executes a statement on the pool of images: glance's image has no `rbd`. */
function inImages(statement: string): string {
  return `python3 - <<'PROGRAM'
import rados, rbd
with rados.Rados(conffile="/etc/ceph/ceph.conf", rados_id="glance") as cluster, cluster.open_ioctx("images") as pool:
    ${statement}
PROGRAM
`
}

function allocated(server: string, used: number): string {
  return `UPDATE allocations a JOIN resource_classes c ON c.id = a.resource_class_id SET a.used = ${used} WHERE a.consumer_id = '${server}' AND c.name = 'VCPU'`
}

/** What neutron does not have, and a port that the northbound database does not have. */
function inNorthbound(freePort: string): readonly PlantedKind[] {
  const group = id(24).replaceAll('-', '_')
  return [
    {
      ...{kind: 'PORT_NOT_IN_OVN', id: freePort},
      plant: {northbound: `${NB} --if-exists lsp-del ${freePort}\n`},
      // The port is deleted after the test, and with it what neutron still knows of it.
      remove: {},
    },
    {
      ...{kind: 'OVN_NETWORK_ORPHAN', id: id(20)},
      plant: {
        northbound: `${NB} ls-add neutron-${id(20)} -- set logical_switch neutron-${id(20)} ${OF_NEUTRON}\n`,
      },
      remove: {northbound: `${NB} --if-exists ls-del neutron-${id(20)}\n`},
    },
    {
      ...{kind: 'OVN_PORT_ORPHAN', id: id(21)},
      plant: {
        northbound: `${NB} lsp-add neutron-${id(20)} ${id(21)} -- set logical_switch_port ${id(21)} ${OF_NEUTRON}\n`,
      },
      remove: {},
    },
    {
      ...{kind: 'OVN_ROUTER_ORPHAN', id: id(22)},
      plant: {
        northbound: `${NB} lr-add neutron-${id(22)} -- set logical_router neutron-${id(22)} ${OF_NEUTRON}\n`,
      },
      remove: {northbound: `${NB} --if-exists lr-del neutron-${id(22)}\n`},
    },
    {
      ...{kind: 'OVN_ROUTER_PORT_ORPHAN', id: id(23)},
      plant: {
        northbound: `${NB} lrp-add neutron-${id(22)} lrp-${id(23)} 02:00:00:00:00:01 192.0.2.1/24 -- set logical_router_port lrp-${id(23)} ${OF_NEUTRON}\n`,
      },
      remove: {},
    },
    {
      ...{kind: 'OVN_SECURITY_GROUP_ORPHAN', id: id(24)},
      plant: {
        northbound: `${NB} pg-add pg_${group} -- set port_group pg_${group} 'external_ids:"neutron:security_group_id"=${id(24)}'\n`,
      },
      remove: {northbound: `${NB} pg-del pg_${group} || true\n`},
    },
    {
      ...{kind: 'OVN_DHCP_ORPHAN', id: id(25)},
      plant: {northbound: `${NB} create dhcp_options cidr=192.0.2.0/24 external_ids:subnet_id=${id(25)}\n`},
      remove: {
        northbound: `${NB} --bare --columns=_uuid find dhcp_options external_ids:subnet_id=${id(25)} | xargs -r ${NB} destroy dhcp_options\n`,
      },
    },
  ]
}

/** Returns the scripts of many, joined by pod: in order, or for the removal in the reverse. */
export function scriptsOf(
  kinds: readonly PlantedKind[],
  part: 'plant' | 'remove',
): readonly (readonly [PlantingPod, string])[] {
  const ordered = part === 'plant' ? kinds : kinds.toReversed()
  const all = ordered.flatMap((kind) => Object.entries(kind[part]) as [PlantingPod, string][])
  return [...Map.groupBy(all, ([pod]) => pod)].map(([pod, each]) => [
    pod,
    each.map(([, script]) => script).join('\n'),
  ])
}
