import type {Place, Repair} from './finding.ts'

export const NOVA_MANAGE: Place = {chart: 'nova', components: ['conductor', 'api', 'scheduler']}
export const NORTHBOUND: Place = {chart: 'ovn', components: ['nb']}
export const SOUTHBOUND: Place = {chart: 'ovn', components: ['sb']}
/** A member of a database accepts changes also if it is not the leader. */
const MEMBER = ['--db=unix:/run/ovn/db.sock', '--no-leader-only', '--timeout=30']
export const NBCTL = ['ovn-nbctl', ...MEMBER]
export const SBCTL = ['ovn-sbctl', ...MEMBER]

/**
 * Returns the words that delete a chassis. What it and neutron's agents report has a row of its own, from
 * which they would be listed as down for ever.
 */
export function chassisDeletion(name: string): readonly string[] {
  return ['--if-exists', 'chassis-del', name, '--', '--if-exists', 'destroy', 'Chassis_Private', name]
}

/** Returns a command of a client, for an administrator's shell. */
export function client(...command: readonly string[]): Repair {
  return {command}
}

/** Returns a command for a pod. */
export function on(place: Place, command: readonly string[]): Repair {
  return {place, command}
}

/**
 * Returns a command for a pod that `kk audit --repair` may execute; `shownBy` are the sources of the finding.
 */
export function safely(place: Place, command: readonly string[], shownBy: readonly string[]): Repair {
  return {place, command, safe: true, shownBy}
}

/** Returns a statement for a database: no program of the service repairs it. */
export function sql(database: string, statement: string): Repair {
  return {command: ['mariadb', database, '--execute', statement]}
}

/**
 * Writes neutron's networks, ports, routers and rules into the databases of OVN, and deletes what is left
 * over.
 */
export const OVN_SYNC: Repair = safely(
  {chart: 'neutron', components: ['server', 'rpc-server']},
  [
    'neutron-ovn-db-sync-util',
    ...['--config-file', '/etc/neutron/neutron.conf'],
    ...['--config-file', '/etc/neutron/plugins/ml2/ml2_conf.ini', '--ovn-neutron_sync_mode', 'repair'],
  ],
  ['neutron', 'northbound'],
)

/**
 * Deletes the allocations of a consumer. `nova-manage placement audit --delete` deletes those of every
 * consumer that it does not know, also of a server that is scheduled and not yet on its host.
 */
export function deleteAllocations(consumer: string): Repair {
  const program = [
    'from nova import config',
    'from nova.scheduler.client import report',
    'config.parse_args(["nova-manage"], init_rpc=False)',
    `answer = report.SchedulerReportClient().delete("/allocations/${consumer}")`,
    'assert answer.status_code in (204, 404), answer.text',
  ].join('; ')
  return safely(NOVA_MANAGE, ['python3', '-c', program], ALLOCATIONS)
}

/** The sources that show the state of allocations. */
export const ALLOCATIONS = ['nova', 'placement']
