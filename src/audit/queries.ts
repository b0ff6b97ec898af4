/** A database of a service: how its connection is found, what is read, and where its migrations are. */
export interface Database {
  readonly name: string
  /** The Python package, and the directory of the configuration below `/etc`. */
  readonly service: string
  readonly variable: string
  readonly section: string
  readonly migrations: string
  readonly queries?: Readonly<Record<string, string>>
  /** The same queries in each cell of nova, of which this is the main connection. */
  readonly cells?: Omit<Database, 'cells'>
}

/** The seconds since a row was last changed. */
function age(table = ''): string {
  const prefix = table && `${table}.`
  return `COALESCE(TIMESTAMPDIFF(SECOND, COALESCE(${prefix}updated_at, ${prefix}created_at), UTC_TIMESTAMP()), 0) age`
}

const RESOURCE_AGE = `${age('s')} FROM`
const OF_NEUTRON = (table: string) => `${table} r JOIN standardattributes s ON s.id = r.standard_attr_id`

/** Returns the database of a service. Without queries only its migrations are compared. */
function databaseOf(service: string, migrations: string, more: Partial<Database> = {}): Database {
  const variable = 'OS_DATABASE__CONNECTION'
  return {name: service, service, variable, section: 'database', migrations, ...more}
}

const ENDED_MIGRATIONS = "'completed', 'confirmed', 'reverted', 'error', 'failed', 'cancelled', 'done'"

/**
 * In a cell: the instances that nova moves now. One that was resized and waits for a confirmation has no
 * task, and neither has one whose migration was forgotten.
 */
export const MOVES = `SELECT m.instance_uuid server, COALESCE(m.migration_type, 'migration') kind, m.source_compute source, m.dest_compute target FROM migrations m JOIN instances i ON i.uuid = m.instance_uuid AND i.deleted = 0 AND i.task_state IS NOT NULL WHERE m.deleted = 0 AND m.status NOT IN (${ENDED_MIGRATIONS}, 'finished') ORDER BY m.id`

const CELL = databaseOf('nova', 'db/main/migrations/versions', {
  queries: {
    servers: `SELECT uuid, COALESCE(display_name, '') display_name, host, node, vm_state, task_state, power_state, project_id, vcpus, memory_mb, ${age()} FROM instances WHERE deleted = 0`,
    // What a deleted server leaves behind for moments is no leftover.
    gone: `SELECT uuid FROM instances WHERE deleted <> 0 AND deleted_at > UTC_TIMESTAMP() - INTERVAL 3 MINUTE`,
    services: 'SELECT host, `binary` FROM services WHERE deleted = 0',
    nodes: `SELECT uuid, host, hypervisor_hostname, ${age()} FROM compute_nodes WHERE deleted = 0`,
    volumes: `SELECT b.instance_uuid, b.volume_id, b.attachment_id, ${age('b')} FROM block_device_mapping b JOIN instances i ON i.uuid = b.instance_uuid AND i.deleted = 0 WHERE b.deleted = 0 AND b.destination_type = 'volume' AND b.volume_id IS NOT NULL`,
    interfaces: `SELECT v.instance_uuid, v.uuid port, ${age('v')} FROM virtual_interfaces v JOIN instances i ON i.uuid = v.instance_uuid AND i.deleted = 0 WHERE v.deleted = 0 AND v.uuid IS NOT NULL`,
    // A finished resize that waits for its confirmation holds allocations, too.
    migrations: `SELECT uuid, instance_uuid FROM migrations WHERE deleted = 0 AND uuid IS NOT NULL AND status NOT IN (${ENDED_MIGRATIONS})`,
  },
})

const NOVA = databaseOf('nova', 'db/api/migrations/versions', {
  name: 'api',
  variable: 'OS_API_DATABASE__CONNECTION',
  section: 'api_database',
  queries: {
    mappings: `SELECT m.instance_uuid, COALESCE(NULLIF(c.name, ''), c.uuid) cell, m.queued_for_delete, ${age('m')} FROM instance_mappings m LEFT JOIN cell_mappings c ON c.id = m.cell_id`,
    builds: `SELECT instance_uuid, ${age()} FROM build_requests WHERE instance_uuid IS NOT NULL`,
    hosts: 'SELECT host FROM host_mappings',
    cellIds: "SELECT COALESCE(NULLIF(name, ''), uuid) name, uuid FROM cell_mappings",
  },
  cells: CELL,
})

const PLACEMENT = databaseOf('placement', 'db/sqlalchemy/alembic/versions', {
  variable: 'OS_PLACEMENT_DATABASE__CONNECTION',
  section: 'placement_database',
  queries: {
    providers: `SELECT p.uuid, p.name, COALESCE(r.uuid, p.uuid) root, ${age('p')}, (SELECT COUNT(*) FROM inventories i JOIN resource_classes c ON c.id = i.resource_class_id WHERE i.resource_provider_id = p.id AND c.name = 'MEMORY_MB') computes FROM resource_providers p LEFT JOIN resource_providers r ON r.id = p.root_provider_id`,
    allocations: `SELECT a.consumer_id consumer, p.uuid provider, c.name class, a.used, ${age('a')} FROM allocations a JOIN resource_providers p ON p.id = a.resource_provider_id JOIN resource_classes c ON c.id = a.resource_class_id`,
  },
})

const NEUTRON = databaseOf('neutron', 'db/migration/alembic_migrations/versions', {
  queries: {
    ports: `SELECT r.id, COALESCE(r.name, '') name, r.network_id, r.device_id, r.device_owner, r.status, r.admin_state_up, r.project_id, b.host, b.vif_type, ${RESOURCE_AGE} ${OF_NEUTRON('ports')} LEFT JOIN ml2_port_bindings b ON b.port_id = r.id AND b.status = 'ACTIVE'`,
    networks: `SELECT r.id, COALESCE(r.name, '') name, r.project_id, ${RESOURCE_AGE} ${OF_NEUTRON('networks')}`,
    routers: `SELECT r.id, COALESCE(r.name, '') name, r.project_id, ${RESOURCE_AGE} ${OF_NEUTRON('routers')}`,
    groups: `SELECT r.id, COALESCE(r.name, '') name, r.project_id, ${RESOURCE_AGE} ${OF_NEUTRON('securitygroups')}`,
    addresses: `SELECT r.id, r.floating_ip_address address, r.router_id, r.fixed_port_id, ${RESOURCE_AGE} ${OF_NEUTRON('floatingips')}`,
    subnets: `SELECT r.id, r.network_id, ${RESOURCE_AGE} ${OF_NEUTRON('subnets')}`,
  },
})

const CINDER = databaseOf('cinder', 'db/migrations/versions', {
  queries: {
    volumes: `SELECT id, display_name name, COALESCE(status, '') status, host, _name_id name_id, migration_status, project_id, multiattach, ${age()} FROM volumes WHERE deleted = 0`,
    attachments: `SELECT id, volume_id, instance_uuid, attach_status, ${age()} FROM volume_attachment WHERE deleted = 0`,
    snapshots: `SELECT id, volume_id, COALESCE(status, '') status, ${age()} FROM snapshots WHERE deleted = 0`,
    services: 'SELECT host, `binary` FROM services WHERE deleted = 0',
  },
})

const GLANCE = databaseOf('glance', 'db/sqlalchemy/alembic_migrations/versions', {
  queries: {
    images: `SELECT id, name, status, ${age()} FROM images WHERE deleted = 0`,
    locations: "SELECT image_id, value FROM image_locations WHERE deleted = 0 AND value LIKE 'rbd://%'",
  },
})

const KEYSTONE = databaseOf('keystone', 'common/sql/migrations/versions', {
  queries: {projects: 'SELECT id FROM project'},
})

const OCTAVIA = databaseOf('octavia', 'db/migration/alembic_migrations/versions', {
  queries: {
    balancers: `SELECT l.id, l.name, v.port_id, l.provisioning_status, ${age('l')} FROM load_balancer l LEFT JOIN vip v ON v.load_balancer_id = l.id`,
  },
})

/** The database of each service by its chart, and the components that have its connection. */
export const DATABASES: Readonly<Record<string, readonly [database: Database, ...components: string[]]>> = {
  nova: [NOVA, 'conductor', 'api', 'scheduler'],
  placement: [PLACEMENT, 'api'],
  neutron: [NEUTRON, 'server', 'rpc-server'],
  cinder: [CINDER, 'api', 'scheduler', 'volume'],
  glance: [GLANCE, 'api'],
  keystone: [KEYSTONE, 'api'],
  octavia: [OCTAVIA, 'api', 'worker'],
  heat: [databaseOf('heat', 'db/migrations/versions'), 'engine', 'api'],
  barbican: [databaseOf('barbican', 'model/migration/alembic_migrations/versions'), 'api'],
  designate: [
    databaseOf('designate', 'storage/sqlalchemy/alembic/versions', {
      variable: 'OS_STORAGE:SQLALCHEMY__CONNECTION',
      section: 'storage:sqlalchemy',
    }),
    'central',
    'api',
  ],
  magnum: [databaseOf('magnum', 'db/sqlalchemy/alembic/versions'), 'conductor', 'api'],
  manila: [databaseOf('manila', 'db/migrations/alembic/versions'), 'api'],
  ironic: [databaseOf('ironic', 'db/sqlalchemy/alembic/versions'), 'conductor', 'api'],
  aodh: [databaseOf('aodh', 'storage/sqlalchemy/alembic/versions'), 'api'],
}
