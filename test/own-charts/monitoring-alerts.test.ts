import {readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {dump} from 'js-yaml'
import {describe, expect, it} from 'vitest'
import {testDirectory} from '../support/test-directory.ts'
import {useCharts} from './support/charts.ts'
import {written} from './support/monitoring.ts'
import {promtool} from './support/promtool.ts'

const charts = await useCharts()

/** Series of a minute's distance, in promtool's notation, with which an alert fires at a time. */
interface Fault {
  readonly series: Readonly<Record<string, string>>
  readonly at: string
}

const STATE = (state: string) => `kk_service_state{namespace="o",release="nova",state="${state}"}`
const NODE = '{job="pods",component="node-exporter",node="one",pod="p"}'
const ON = (name: string, more = '') => `${name}{node="one",mountpoint="/",fstype="ext4",device="sda"${more}}`
const BUS = (name: string) => `${name}{namespace="o",release="rabbitmq",pod="rabbitmq-server-0"}`
const DATABASE = (name: string) => `${name}{namespace="o",release="mariadb",pod="mariadb-server-0"}`
const CACHE = (name: string) =>
  `memcached_${name}{namespace="o",release="memcached",pod="memcached-server-0"}`
const CEPH = (name: string, daemon = '') =>
  `ceph_${name}{namespace="o",release="ceph",pod="ceph-mgr-0",ceph_daemon="${daemon}"}`
const LIBVIRT = 'libvirt_up{namespace="o",release="monitoring",node="one"}'
const PROBE = (name: string, probe = 'token') => `kk_probe_${name}_total{namespace="o",probe="${probe}"}`

/** A Deployment of two pods of which so many are available. */
const deploymentWith = (available: number) => ({
  'kube_deployment_status_replicas_available{job="objects",namespace="o",deployment="a"}': `${available}x1440`,
  'kube_deployment_spec_replicas{job="objects",namespace="o",deployment="a"}': '2x1440',
  'kube_deployment_created{job="objects",namespace="o",deployment="a"}': '0x1440',
})

const FAULTS: Readonly<Record<string, Fault>> = {
  ServiceUnhealthy: {series: {[STATE('unhealthy')]: '1x20'}, at: '12m'},
  ServiceUnknown: {series: {[STATE('unknown')]: '1x20'}, at: '15m'},
  ServiceNotAsked: {series: {'kk_service_age_seconds{namespace="o",release="nova"}': '0+60x20'}, at: '15m'},
  ExporterDown: {
    series: {'up{job="mariadb",namespace="o",pod="mariadb-server-0",component="server"}': '0x10'},
    at: '5m',
  },
  ServiceStatusGone: {series: {[STATE('healthy')]: '1x5 stale _x20'}, at: '20m'},
  TargetDown: {series: {'up{job="pods",component="server",release="rabbitmq",pod="a"}': '0x10'}, at: '5m'},
  ContainerRestarts: {
    series: {
      'kube_pod_container_status_restarts_total{job="objects",namespace="o",pod="a",container="b"}': '0+1x20',
    },
    at: '18m',
  },
  PodNotReady: {
    series: {
      'kube_pod_status_ready{job="objects",namespace="o",pod="nova-api-a",condition="true"}': '0x30',
      'kube_pod_status_phase{job="objects",namespace="o",pod="nova-api-a",phase="Failed"}': '0x30',
    },
    at: '20m',
  },
  PodPending: {
    series: {
      'kube_pod_status_phase{job="objects",namespace="o",pod="nova-status-a",phase="Pending"}': '1x30',
    },
    at: '20m',
  },
  MembersMissing: {
    series: {
      'kube_statefulset_status_replicas_ready{job="objects",namespace="o",statefulset="a"}': '2x30',
      'kube_statefulset_replicas{job="objects",namespace="o",statefulset="a"}': '3x30',
    },
    at: '20m',
  },
  ReplicasMissing: {series: deploymentWith(1), at: '15m'},
  NothingAvailable: {series: deploymentWith(0), at: '20m'},
  DaemonsMissing: {
    series: {'kube_daemonset_status_number_unavailable{job="objects",namespace="o",daemonset="a"}': '1x20'},
    at: '15m',
  },
  JobFailed: {
    series: {
      'kube_job_failed{job="objects",namespace="o",job_name="a",condition="true"}': '1x5',
    },
    at: '2m',
  },
  ClaimPending: {
    series: {
      'kube_persistentvolumeclaim_status_phase{job="objects",namespace="o",persistentvolumeclaim="a",phase="Pending"}':
        '1x20',
    },
    at: '15m',
  },
  RabbitMQMemoryAlarm: {series: {[BUS('rabbitmq_alarms_memory_used_watermark')]: '1x5'}, at: '1m'},
  RabbitMQDiskAlarm: {series: {[BUS('rabbitmq_alarms_free_disk_space_watermark')]: '1x5'}, at: '1m'},
  RabbitMQDiskFills: {
    series: {
      [BUS('rabbitmq_disk_space_available_bytes')]: '100000-500x180',
      [BUS('rabbitmq_disk_space_available_limit_bytes')]: '10000x180',
    },
    at: '2h',
  },
  RabbitMQFileDescriptors: {
    series: {[BUS('rabbitmq_process_open_fds')]: '900x20', [BUS('rabbitmq_process_max_fds')]: '1000x20'},
    at: '10m',
  },
  RabbitMQConnectionChurn: {series: {[BUS('rabbitmq_connections_opened_total')]: '0+1200x30'}, at: '25m'},
  MariaDBNotRead: {series: {[DATABASE('mysql_up')]: '0x10'}, at: '8m'},
  MariaDBConnections: {
    series: {
      [DATABASE('mysql_global_status_threads_connected')]: '3500x10',
      [DATABASE('mysql_global_variables_max_connections')]: '4096x10',
    },
    at: '8m',
  },
  MariaDBFlowControl: {
    series: {[DATABASE('mysql_global_status_wsrep_flow_control_paused_ns')]: '0+18000000000x30'},
    at: '20m',
  },
  MariaDBRefusesLogins: {
    series: {[DATABASE('mysql_global_status_access_denied_errors')]: '0+20x40'},
    at: '30m',
  },
  MariaDBLocks: {
    series: {[DATABASE('mysql_global_status_innodb_row_lock_current_waits')]: '30x10'},
    at: '8m',
  },
  MemcachedNotRead: {series: {[CACHE('up')]: '0x10'}, at: '8m'},
  MemcachedConnections: {
    series: {[CACHE('current_connections')]: '4500x10', [CACHE('max_connections')]: '5000x10'},
    at: '8m',
  },
  MemcachedEvicts: {series: {[CACHE('items_evicted_total')]: '0+1200x60'}, at: '50m'},
  CephError: {series: {[CEPH('health_status')]: '2x10'}, at: '5m'},
  CephWarning: {series: {[CEPH('health_status')]: '1x60'}, at: '40m'},
  CephOsdDown: {series: {[CEPH('osd_up', 'osd.0')]: '0x10'}, at: '8m'},
  CephMonitorMissing: {series: {[CEPH('mon_quorum_status', 'mon.a')]: '0x10'}, at: '8m'},
  CephNearlyFull: {
    series: {[CEPH('cluster_total_used_bytes')]: '80x10', [CEPH('cluster_total_bytes')]: '100x10'},
    at: '8m',
  },
  CephNotRead: {
    series: {'kube_statefulset_created{job="objects",namespace="o",statefulset="ceph-mgr"}': '0x20'},
    at: '15m',
  },
  LibvirtNotRead: {
    series: {
      [LIBVIRT]: '0x20',
      'kube_daemonset_created{job="objects",namespace="o",daemonset="libvirt-libvirt"}': '0x20',
    },
    at: '15m',
  },
  CallsFailFast: {series: {[PROBE('failed')]: '0+6x90', [PROBE('tried')]: '0+120x90'}, at: '70m'},
  CallsFailSlowly: {series: {[PROBE('failed')]: '0+1x500', [PROBE('tried')]: '0+120x500'}, at: '7h'},
  ServersFail: {series: {[PROBE('failed', 'server create')]: '0+1x30'}, at: '20m'},
  NothingIsTried: {series: {[PROBE('tried')]: '50x40'}, at: '30m'},
  NodeDown: {series: {[`up${NODE}`]: '0x10'}, at: '5m'},
  NodeDiskFull: {
    series: {[ON('node_filesystem_avail_bytes')]: '4x20', [ON('node_filesystem_size_bytes')]: '100x20'},
    at: '10m',
  },
  NodeDiskFills: {
    series: {
      [ON('node_filesystem_avail_bytes')]: '500-0.5x600',
      [ON('node_filesystem_size_bytes')]: '1000x600',
    },
    at: '8h',
  },
  NodeInodes: {
    series: {[ON('node_filesystem_files_free')]: '4x20', [ON('node_filesystem_files')]: '100x20'},
    at: '10m',
  },
  NodeReadOnly: {series: {[ON('node_filesystem_readonly')]: '0x60 1x600'}, at: '10h'},
  NodeMemory: {
    series: {[ON('node_memory_MemAvailable_bytes')]: '4x30', [ON('node_memory_MemTotal_bytes')]: '100x30'},
    at: '15m',
  },
  NodeOutOfMemory: {series: {[ON('node_vmstat_oom_kill')]: '0x5 1x10'}, at: '8m'},
  NodeClock: {series: {[ON('node_timex_offset_seconds')]: '0.2x30'}, at: '15m'},
  NodeConntrack: {
    series: {[ON('node_nf_conntrack_entries')]: '90x20', [ON('node_nf_conntrack_entries_limit')]: '100x20'},
    at: '10m',
  },
  NodeInterfaceErrors: {series: {[ON('node_network_receive_errs_total')]: '0+120x30'}, at: '20m'},
  NodeRestarted: {series: {[ON('node_boot_time_seconds')]: '500x20'}, at: '10m'},
  Watchdog: {series: {}, at: '1m'},
  NothingWatched: {series: {}, at: '10m'},
  ObjectsUnseen: {series: {}, at: '20m'},
  NodesUnseen: {series: {}, at: '20m'},
  AlertmanagerGone: {series: {prometheus_notifications_alertmanagers_discovered: '0x10'}, at: '8m'},
  AlertsNotDelivered: {
    series: {'alertmanager_notifications_failed_total{integration="webhook"}': '0x4 1x4 2x4 3x4 4x4 5x4'},
    at: '22m',
  },
  RulesFail: {
    series: {'prometheus_rule_evaluation_failures_total{rule_group="a"}': '0+1x20'},
    at: '12m',
  },
  PrometheusStorage: {series: {prometheus_tsdb_wal_writes_failed_total: '0x10 3x10'}, at: '15m'},
}

/** A cloud of a day in which nothing is wrong; nothing but Watchdog fires. */
const WELL: Readonly<Record<string, string>> = {
  [STATE('healthy')]: '1x1440',
  [STATE('unhealthy')]: '0x300 1x8 0x1132',
  [STATE('unknown')]: '0x300 1x3 0x1137',
  'kk_service_age_seconds{namespace="o",release="nova"}': '14x1440',
  [`up${NODE}`]: '1x1440',
  'up{job="pods",component="server",release="rabbitmq",pod="a"}': '1x700 0x1 1x739',
  'up{job="alertmanager"}': '1x1440',
  ...deploymentWith(2),
  'kube_pod_container_status_restarts_total{job="objects",namespace="o",pod="a",container="b"}':
    '0x700 1x5 2x734',
  'kube_pod_status_ready{job="objects",namespace="o",pod="nova-api-a",condition="true"}': '1x300 0x3 1x1137',
  'kube_pod_status_ready{job="objects",namespace="o",pod="nova-status-a",condition="true"}': '0x1440',
  'kube_pod_status_ready{job="objects",namespace="o",pod="nova-db-sync-a",condition="true"}': '0x1440',
  'kube_pod_status_phase{job="objects",namespace="o",pod="nova-db-sync-a",phase="Succeeded"}': '1x1440',
  'kube_statefulset_status_replicas_ready{job="objects",namespace="o",statefulset="a"}': '3x300 2x12 3x1128',
  'kube_statefulset_replicas{job="objects",namespace="o",statefulset="a"}': '3x1440',
  'kube_daemonset_status_number_unavailable{job="objects",namespace="o",daemonset="a"}': '0x1440',
  'kube_job_failed{job="objects",namespace="o",job_name="a",condition="true"}': '0x1440',
  'kube_job_failed{job="objects",namespace="o",job_name="rotate",condition="true"}': '1x1440',
  'kube_job_owner{job="objects",namespace="o",job_name="rotate",owner_kind="CronJob"}': '1x1440',
  'up{job="objects"}': '1x1440',
  'kube_persistentvolumeclaim_status_phase{job="objects",namespace="o",persistentvolumeclaim="a",phase="Pending"}':
    '0x1440',
  [BUS('rabbitmq_alarms_memory_used_watermark')]: '0x1440',
  [BUS('rabbitmq_alarms_free_disk_space_watermark')]: '0x1440',
  [BUS('rabbitmq_disk_space_available_bytes')]: '1e11-1e6x1440',
  [BUS('rabbitmq_disk_space_available_limit_bytes')]: '5e7x1440',
  [BUS('rabbitmq_process_open_fds')]: '200x1440',
  [BUS('rabbitmq_process_max_fds')]: '1000000x1440',
  [BUS('rabbitmq_connections_opened_total')]: '0+3x1440',
  'up{job="mariadb",namespace="o",pod="mariadb-server-0",component="server"}': '1x300 0x2 1x1138',
  'up{job="pods",namespace="o",component="libvirt-exporter",node="one"}': '1x300 0x5 1x1135',
  [DATABASE('mysql_up')]: '1x300 0x3 1x1137',
  [DATABASE('mysql_global_status_threads_connected')]: '400x1440',
  [DATABASE('mysql_global_variables_max_connections')]: '4096x1440',
  // A member that joins holds the others up for a moment.
  [DATABASE('mysql_global_status_wsrep_flow_control_paused_ns')]: '0x300 30000000000x1140',
  [DATABASE('mysql_global_status_access_denied_errors')]: '0x300 9x1140',
  [DATABASE('mysql_global_status_innodb_row_lock_current_waits')]: '0x300 25x3 1x1137',
  [CACHE('up')]: '1x1440',
  [CACHE('current_connections')]: '300x1440',
  [CACHE('max_connections')]: '5000x1440',
  [CACHE('items_evicted_total')]: '0+60x1440',
  // Warns for a while after an osd was restarted.
  [CEPH('health_status')]: '0x300 1x10 0x1130',
  [CEPH('osd_up', 'osd.0')]: '1x300 0x3 1x1137',
  [CEPH('mon_quorum_status', 'mon.a')]: '1x300 0x3 1x1137',
  [CEPH('cluster_total_used_bytes')]: '40x1440',
  [CEPH('cluster_total_bytes')]: '100x1440',
  'kube_statefulset_created{job="objects",namespace="o",statefulset="ceph-mgr"}': '0x1440',
  [LIBVIRT]: '1x300 0x3 1x1137',
  // A hypervisor of others, beside the cloud.
  'libvirt_up{namespace="p",node="two"}': '0x1440',
  'kube_daemonset_created{job="objects",namespace="p",daemonset="monitoring-libvirt-exporter"}': '0x1440',
  'kube_daemonset_created{job="objects",namespace="o",daemonset="libvirt-libvirt"}': '0x1440',
  [PROBE('tried')]: '0+120x1440',
  [PROBE('failed')]: '0x800 1x640',
  [PROBE('tried', 'server create')]: '0+4x1440',
  [PROBE('failed', 'server create')]: '0x800 1x640',
  [ON('node_filesystem_avail_bytes')]: '500-0.01x1440',
  [ON('node_filesystem_size_bytes')]: '1000x1440',
  [ON('node_filesystem_files_free')]: '90x1440',
  [ON('node_filesystem_files')]: '100x1440',
  [ON('node_filesystem_readonly')]: '0x1440',
  [ON('node_memory_MemAvailable_bytes')]: '40x1440',
  [ON('node_memory_MemTotal_bytes')]: '100x1440',
  [ON('node_vmstat_oom_kill')]: '3x1440',
  [ON('node_timex_offset_seconds')]: '0.001x1440',
  [ON('node_nf_conntrack_entries')]: '20x1440',
  [ON('node_nf_conntrack_entries_limit')]: '100x1440',
  [ON('node_network_receive_errs_total')]: '5x1440',
  [ON('node_boot_time_seconds')]: '-1000x1440',
  prometheus_notifications_alertmanagers_discovered: '1x1440',
  'alertmanager_notifications_failed_total{integration="webhook"}': '2x1440',
  'prometheus_rule_evaluation_failures_total{rule_group="a"}': '0x1440',
  prometheus_tsdb_compactions_failed_total: '0x1440',
  prometheus_tsdb_wal_writes_failed_total: '0x1440',
}

const inputOf = (series: Readonly<Record<string, string>>) =>
  Object.entries(series).map(([name, values]) => ({series: name, values}))

/** Which alerts fire in promtool, by the result of expressions on the series ALERTS. */
async function test(file: string, tests: readonly object[]) {
  const directory = testDirectory()
  const path = join(directory, 'test.yml')
  await writeFile(path, dump({rule_files: [file], evaluation_interval: '1m', tests}))
  const {failed, all} = await execa(await promtool(), ['test', 'rules', path], {reject: false, all: true})
  return {failed, all}
}

const firing = (alertname: string, at: string, count: 0 | 1) => ({
  expr: `clamp_max(count(ALERTS{alertname="${alertname}",alertstate="firing"}), 1) or vector(0)`,
  eval_time: at,
  exp_samples: [{labels: '{}', value: count}],
})

describe('the alerts of monitoring', () => {
  it('each fire by a fault, and none without', async () => {
    const {file, rules} = await written(charts)
    const names = rules.map(({alert}) => alert)
    expect(Object.keys(FAULTS).toSorted()).toEqual(names.toSorted())

    const {failed, all} = await test(file, [
      ...names.map((name) => ({
        name,
        interval: '1m',
        input_series: inputOf(FAULTS[name]!.series),
        promql_expr_test: [firing(name, FAULTS[name]!.at, 1)],
      })),
      {
        name: 'a libvirt that hangs, so that its exporter does not answer',
        interval: '1m',
        input_series: inputOf({
          'up{job="pods",namespace="o",component="libvirt-exporter",node="one"}': '0x30',
          'kube_daemonset_created{job="objects",namespace="o",daemonset="libvirt-libvirt"}': '0x30',
        }),
        promql_expr_test: [firing('LibvirtNotRead', '15m', 1), firing('TargetDown', '15m', 0)],
      },
      {
        name: 'an exporter that is down is no member that is down',
        interval: '1m',
        input_series: inputOf({'up{job="mariadb",namespace="o",pod="mariadb-server-0"}': '0x30'}),
        promql_expr_test: [firing('TargetDown', '15m', 0), firing('MariaDBNotRead', '15m', 0)],
      },
      {
        // With samples between its restarts, an increase is extrapolated.
        name: 'two restarts',
        interval: '15s',
        input_series: inputOf({
          'kube_pod_container_status_restarts_total{job="objects",namespace="o",pod="a",container="b"}':
            '0x25 1x6 2x100',
        }),
        promql_expr_test: ['8m', '10m', '14m', '17m'].map((at) => firing('ContainerRestarts', at, 0)),
      },
      {
        name: 'a day without a fault',
        interval: '1m',
        input_series: inputOf(WELL),
        promql_expr_test: ['20m', '308m', '312m', '707m', '714m', '805m', '830m', '20h', '23h'].flatMap(
          (at) => names.map((name) => firing(name, at, name === 'Watchdog' ? 1 : 0)),
        ),
      },
    ])

    expect(failed, all).toBe(false)
  }, 120_000)

  it('have a severity, and a section of the page', async () => {
    const {rules} = await written(charts)
    const page = await readFile(join(import.meta.dirname, '../../docs/monitoring.md'), 'utf8')

    for (const {alert, labels, annotations} of rules) {
      expect(['critical', 'warning', 'info', 'none']).toContain(labels.severity)
      expect(annotations.summary).not.toBe('')
      expect(page, alert).toContain(`| \`${alert}\` | ${labels.severity} |`)
    }
  })

  it('can be changed and removed by name', async () => {
    const alerts = {
      nodes: {NodeClock: null, NodeMemory: {expr: 'own > 1'}},
      own: {Own: {expr: 'vector(1)', severity: 'info', summary: 'mine'}},
    }
    const {rules} = await written(charts, {conf: {alerts}})

    expect(rules.find(({alert}) => alert === 'NodeMemory')).toMatchObject({
      expr: 'own > 1',
      labels: {severity: 'warning'},
    })
    const names = rules.map(({alert}) => alert)
    expect(names).not.toContain('NodeClock')
    expect(names).toContain('Own')
  })
})
