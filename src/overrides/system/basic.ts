import type {Values} from '../../base/values.ts'
import type {FactName} from '../facts/facts.ts'
import {definePlugin, type Plugin} from './plugin.ts'
import {compose, ifKnown} from './shared/compose.ts'
import {limits, replicas, type Share, spread, WORKER} from './shared/sizing.ts'
import {type StorageFacts, volumeClass} from './shared/storage.ts'

/** The facts about a chart of openstack-helm without its own plugin file. */
export interface BasicChart {
  /** The namespaces; `openstack` by default. */
  readonly namespaces?: readonly string[]
  /** Components below `pod.replicas` with one replica per controller. */
  readonly perController?: readonly string[]
  /** Components below `pod.resources`, if they differ from `perController`. */
  readonly limited?: readonly string[]
  readonly volume?: BasicVolume
  /** Charts that it requires although no manifest shows it. */
  readonly requires?: readonly string[]
}

/** The path of a chart's volume settings in its values. */
interface BasicVolume {
  readonly at: readonly string[]
  /** The key of the storage class at that path. */
  readonly class: string
  /** Whether there is a key `enabled` at that path; if it is false, the data is deleted with the pod. */
  readonly optional: boolean
}

const CEPH = ['ceph']
const OBSERVATION = ['osh-infra']
const KUBE_SYSTEM = ['kube-system']

/** Components and paths as in the charts' `values.yaml` (openstack-helm 2026.1.0). */
export const BASIC: Readonly<Record<string, BasicChart>> = {
  blazar: {perController: ['api', 'manager']},
  'ca-clusterissuer': {namespaces: ['cert-manager']},
  'ca-issuer': {},
  'ceph-adapter-rook': {},
  'ceph-client': {namespaces: CEPH, perController: ['mds', 'mgr']},
  'ceph-mon': {namespaces: CEPH, limited: ['mon', 'mgr']},
  'ceph-osd': {namespaces: CEPH, limited: ['osd'], requires: ['ceph-mon']},
  'ceph-provisioners': {namespaces: CEPH, perController: ['csi_rbd_provisioner']},
  'ceph-rgw': {perController: ['rgw']},
  'cert-rotation': {namespaces: KUBE_SYSTEM},
  cloudkitty: {perController: ['cloudkitty_api', 'cloudkitty_processor']},
  cyborg: {perController: ['api', 'conductor'], requires: ['placement']},
  'elastic-apm-server': {namespaces: OBSERVATION, perController: ['elastic_apm_server']},
  'elastic-filebeat': {namespaces: OBSERVATION, limited: ['filebeat']},
  'elastic-metricbeat': {namespaces: OBSERVATION, limited: ['metricbeat']},
  'elastic-packetbeat': {namespaces: OBSERVATION, limited: ['packetbeat']},
  elasticsearch: {
    namespaces: OBSERVATION,
    perController: ['master', 'data', 'client'],
    volume: {at: ['storage', 'data'], class: 'storage_class', optional: true},
  },
  etcd: {perController: ['etcd'], volume: {at: ['volume'], class: 'class_name', optional: true}},
  fluentbit: {namespaces: OBSERVATION, limited: ['fluentbit']},
  fluentd: {namespaces: OBSERVATION, limited: ['fluentd']},
  freezer: {perController: ['api']},
  grafana: {namespaces: OBSERVATION, perController: ['grafana']},
  'helm-toolkit': {},
  kibana: {namespaces: OBSERVATION, perController: ['kibana']},
  'kube-dns': {namespaces: KUBE_SYSTEM, limited: ['kube_dns']},
  'kubernetes-keystone-webhook': {namespaces: KUBE_SYSTEM, perController: ['api']},
  'kubernetes-node-problem-detector': {namespaces: KUBE_SYSTEM, limited: ['node_problem_detector']},
  ldap: {perController: ['server'], volume: {at: ['storage', 'pvc'], class: 'class_name', optional: true}},
  'local-storage': {namespaces: KUBE_SYSTEM},
  'local-volume-provisioner': {namespaces: KUBE_SYSTEM},
  'mariadb-backup': {volume: {at: ['volume', 'backup'], class: 'class_name', optional: false}},
  'mariadb-cluster': {
    perController: ['server'],
    volume: {at: ['volume'], class: 'class_name', optional: true},
  },
  masakari: {perController: ['masakari_api', 'masakari_engine']},
  mistral: {perController: ['api', 'engine', 'event_engine', 'executor']},
  nagios: {namespaces: OBSERVATION, limited: ['nagios']},
  'namespace-config': {},
  'nfs-provisioner': {
    namespaces: ['nfs'],
    volume: {at: ['storage', 'persistentVolumeClaim'], class: 'class_name', optional: false},
  },
  postgresql: {limited: ['server'], volume: {at: ['storage', 'pvc'], class: 'class_name', optional: true}},
  powerdns: {perController: ['server']},
  prometheus: {
    namespaces: OBSERVATION,
    perController: ['prometheus'],
    volume: {at: ['storage'], class: 'storage_class', optional: true},
  },
  'prometheus-alertmanager': {
    namespaces: OBSERVATION,
    perController: ['alertmanager'],
    volume: {at: ['storage', 'alertmanager'], class: 'storage_class', optional: true},
  },
  'prometheus-blackbox-exporter': {namespaces: OBSERVATION, perController: ['prometheus_blackbox_exporter']},
  'prometheus-kube-state-metrics': {namespaces: KUBE_SYSTEM, limited: ['kube_state_metrics']},
  'prometheus-mysql-exporter': {perController: ['prometheus_mysql_exporter']},
  'prometheus-node-exporter': {namespaces: KUBE_SYSTEM, limited: ['node_exporter']},
  'prometheus-openstack-exporter': {limited: ['prometheus_openstack_exporter']},
  'prometheus-process-exporter': {namespaces: KUBE_SYSTEM, limited: ['process_exporter']},
  rally: {},
  redis: {limited: ['server']},
  registry: {
    namespaces: KUBE_SYSTEM,
    limited: ['registry'],
    volume: {at: ['volume'], class: 'class_name', optional: false},
  },
  skyline: {perController: ['skyline']},
  swift: {perController: ['proxy']},
  tacker: {perController: ['server', 'conductor']},
  tempest: {},
  trove: {perController: ['api', 'conductor', 'taskmanager']},
  watcher: {perController: ['api', 'decision_engine', 'applier']},
  zaqar: {perController: ['api']},
}

/** Returns the plugin of a row of the table. */
export function basicPlugin(chart: string, row: BasicChart): Plugin {
  const {namespaces, requires, perController = []} = row
  const limited = row.limited ?? perController
  return definePlugin({
    chart,
    ...(namespaces && {namespaces}),
    ...(requires && {requires}),
    reads: listReads(row),
    overrides: (facts) =>
      compose(
        perController.length > 0 ? replicas(facts.controllers, perController) : undefined,
        perController.length > 0 ? spread(facts) : undefined,
        limits(facts.allInOne, Object.fromEntries(limited.map((name): [string, Share] => [name, WORKER]))),
        row.volume && volume(row.volume, facts),
      ),
  })
}

type BasicFact = Extract<FactName, 'controllers' | 'zones' | 'allInOne' | 'storage' | 'defaultStorageClass'>

function listReads({perController, limited, volume: claims}: BasicChart): readonly BasicFact[] {
  const reads: BasicFact[] = []
  if (perController) reads.push('controllers', 'zones')
  if (perController || limited) reads.push('allInOne')
  if (claims) reads.push('storage', 'defaultStorageClass')
  return reads
}

function volume({at, class: key, optional}: BasicVolume, facts: StorageFacts): Values | undefined {
  const nested = (values: Values) => at.reduceRight<Values>((inner, step) => ({[step]: inner}), values)
  if (facts.storage === 'ephemeral') return optional ? nested({enabled: false}) : undefined
  return ifKnown(volumeClass(facts), (name) => nested({[key]: name}))
}
