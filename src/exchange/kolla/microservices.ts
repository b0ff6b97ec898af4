import {KkError} from '../../base/errors.ts'
import type {Environment} from '../../environment/environment.ts'
import {whyNothing} from './lost.ts'

/**
 * A microservice of kolla-kubernetes: a chart with one object, named after its service, its part and the
 * kind.
 */
export interface Microservice {
  readonly name: string
  /** The object that kk's charts render instead; undefined if there is no equivalent. */
  readonly object?: {readonly release: string; readonly kind: string; readonly name: string}
  /** The reason why there is no such object. */
  readonly why?: string
}

/** Returns kk's equivalent of each microservice of kolla-kubernetes 0.7, sorted by name. */
export function microservices(): readonly Microservice[] {
  return NAMES.map((name) => {
    for (const [pattern, meaning] of EQUIVALENTS) {
      const match = pattern.exec(name)
      if (!match) continue
      const text = meaning.replaceAll(/\$(\d)/g, (_, group: string) => match[Number(group)] ?? '')
      const [, release, kind, object] = OBJECT.exec(text) ?? []
      if (release === undefined) return {name, why: text}
      return {name, object: {release, kind: kind!, name: object!}}
    }
    throw new Error(`no meaning for ${name}`)
  })
}

/**
 * Returns the microservices that a name refers to: a single one, all with this prefix, or those of a service
 * such as `nova-control`.
 */
export function microservicesOf(word: string, containers: KollaNames['containers']): readonly Microservice[] {
  const name = dashed(word)
  const matches = withPrefix(name)
  if (matches.length > 0) return matches
  const service = SERVICES.exec(name)?.[1] ?? containers.get(name)
  return service === undefined ? [] : microservices().filter(({object}) => object?.release === service)
}

export interface KollaNames {
  /** The charts that replace kolla's containers, by container name. */
  readonly containers: ReadonlyMap<string, string>
  /** Before or after sections with components were split. */
  readonly environment: Pick<Environment, 'sections' | 'releases'>
}

/**
 * Returns the release that a kolla name refers to in an environment: a release with that name; otherwise a
 * microservice, service or container, such as `nova-control` or `nova_api`. Returns an unknown name
 * unchanged. Throws `KK_USAGE` with the reason if kk has no equivalent, and for a microservice that only
 * deletes resources, because installing the release instead would be wrong.
 */
export function releaseOf(word: string, {containers, environment}: KollaNames): string {
  const name = dashed(word)
  const isSectionOrRelease = (release: string) =>
    environment.sections.has(release) || environment.releases.has(release)
  const own = [word, name].find(isSectionOrRelease)
  if (own !== undefined) return own
  const matches = withPrefix(name)
  const service =
    matches.find(({object}) => object)?.object?.release ?? SERVICES.exec(name)?.[1] ?? containers.get(name)
  const why = whyNothing(name) ?? (service === undefined ? matches[0]?.why : undefined)
  if (why !== undefined) throw noEquivalent(word, why)
  if (service === undefined) return word
  if (name.endsWith('-cleanup') || (matches.length > 0 && matches.every(isCleanup)))
    throw cleanupError(word, service)
  const workloads = new Set(
    matches.flatMap(({object}) => (object && isWorkload(object) ? [object.name] : [])),
  )
  const [component = containers.has(name) ? name : service, ...rest] = workloads
  const isRelease = environment.releases.get(service)?.components === true || isSectionOrRelease(component)
  return isRelease && rest.length === 0 ? component : service
}

/** Services that kolla-kubernetes composed of several microservices. */
const SERVICES = /^(cinder|nova|neutron|glance|keystone)-(?:control|compute|volume|cleanup)(?=-|$)/

function dashed(word: string): string {
  return word.replaceAll('_', '-')
}

function withPrefix(name: string): readonly Microservice[] {
  return microservices().filter((each) => each.name === name || each.name.startsWith(`${name}-`))
}

function isCleanup({object}: Microservice): boolean {
  return object?.name.endsWith('-cleanup') ?? false
}

function isWorkload({kind}: NonNullable<Microservice['object']>): boolean {
  return ['Deployment', 'StatefulSet', 'DaemonSet'].includes(kind)
}

function noEquivalent(word: string, why: string): KkError {
  return new KkError('KK_USAGE', `there is nothing for ${word}: ${why}`, {hint: 'see kk kolla list'})
}

function cleanupError(word: string, service: string): KkError {
  return new KkError('KK_USAGE', `${word} removes what ${service} has created in other services`, {
    hint: `kk remove ${service} --purge does that, before it removes ${service} itself`,
  })
}

/** `RELEASE: KIND/NAME`; any other string is a reason. */
const OBJECT = /^(\S+): ([A-Z]\w+)\/(\S+)$/

/** The meaning of a name, first match: an object, or why there is none. `$1` is a part of the name. */
const EQUIVALENTS: readonly (readonly [RegExp, string])[] = [
  [/^helm-repo-/, 'charts come from directories, repositories or registries: kk charts publish'],
  [/^registry-/, 'a registry is your own, or that of kk aio'],
  [/^ironic-inspector-/, 'Ironic inspects machines itself: the inspector is retired'],
  [/^nova-compute-ironic-/, "kk's nova chart has no ironic driver"],
  [/^ironic-api-create-db-job$/, 'ironic: Job/ironic-db-create'],
  [/^ironic-api-manage-db-job$/, 'ironic: Job/ironic-db-sync'],
  [/^ironic-(api-)?create-keystone-/, 'ironic: Job/ironic-register'],
  [/^ironic-(api-)?delete-/, 'ironic: CronJob/ironic-cleanup'],
  [/^ironic-conductor-/, 'ironic: StatefulSet/ironic-conductor'],
  [/^(iscsi|tgtd)|-lvm-/, 'volumes are in Ceph: LVM over iSCSI needs kernel modules on each node'],
  [/^keepalived-/, 'external addresses are those of Services and Ingresses'],
  [/^glance-registry-/, 'Glance no longer has a registry'],
  [/^nova-consoleauth-/, 'Nova no longer has consoleauth'],
  [/^ceph-admin-/, 'the Ceph commands are in the ceph-mon pods'],
  [/^ceph-rbd-/, 'services use librbd, which needs no kernel module; rbd-provisioner uses one if available'],
  [/^test-ceph-init-|-init-element-/, 'the pods of the service initialise their own volumes'],
  [/-pv$/, 'Kubernetes provisions volumes through their StorageClass'],
  [/^(mariadb|rabbitmq)-pvc$/, 'the StatefulSet $1-server creates its claims'],
  [/^glance-pvc$/, 'glance: PersistentVolumeClaim/glance-api'],
  [/^test-ceph-(mon|osd)-/, 'ceph: StatefulSet/ceph-$1'],

  [/^keystone-create-endpoints-job$/, 'keystone: Job/keystone-bootstrap'],
  [/^keystone-fernet-setup-job$/, 'keystone: Job/keystone-fernet-setup'],
  [/^keystone-fernet-rotate-job$/, 'keystone: CronJob/keystone-fernet-rotate'],
  [/^nova-api-create-simple-cell-job$/, 'nova: Job/nova-cells'],
  [/^nova-api-cell-discover-host-job$/, 'nova: Job/nova-discover-hosts'],
  [/^nova-api-manage-db-job$/, 'nova: Job/nova-api-db-sync'],
  [/^(keystone|neutron)-manage-db-job$/, '$1: Job/$1-db-expand'],
  [/^(\w+)-manage-db-job$/, '$1: Job/$1-db-sync'],
  [/^(\w+)(-api|-cell0)?-create-db-job$/, '$1: Job/$1-db-create'],
  [/^nova-placement-create-keystone-/, 'placement: Job/placement-register'],
  [/^nova-placement-delete-keystone-/, 'placement: CronJob/placement-cleanup'],
  [/^(\w+)(-cfn)?-create-keystone-/, '$1: Job/$1-register'],
  [/^(\w+)(-api|-cell0|-cfn)?-delete-/, '$1: CronJob/$1-cleanup'],

  [/^nova-placement-deployment$/, 'placement: Deployment/placement-api'],
  [/^nova-placement-svc$/, 'placement: Service/placement-api'],
  [/^nova-libvirt-/, 'libvirt: DaemonSet/libvirt-libvirt'],
  [/^neutron-(dhcp|l3|openvswitch)-agent-/, 'ovn: DaemonSet/ovn-controller'],
  [/^neutron-metadata-agent-/, 'neutron: DaemonSet/neutron-ovn-metadata-agent'],
  [/^openvswitch-ovsdb-/, 'openvswitch: DaemonSet/openvswitch-db'],
  [/^keystone-(admin|internal|public)-svc$/, 'keystone: Service/keystone-api'],
  [/^heat-api-cfn-deployment$/, 'heat: Deployment/heat-cfn'],
  [/^heat-cfn-api-svc$/, 'heat: Service/heat-cfn'],
  [/^cinder-volume-ceph-/, 'cinder: Deployment/cinder-volume'],
  [/^(mariadb|rabbitmq|memcached)-(statefulset|deployment)$/, '$1: StatefulSet/$1-server'],
  [/^(horizon)-deployment$/, '$1: Deployment/$1-server'],
  [/^(mariadb|rabbitmq|memcached|horizon)-svc$/, '$1: Service/$1-server'],
  [/^(\w+)-([\w-]+)-daemonset$/, '$1: DaemonSet/$1-$2'],
  [/^(\w+)-([\w-]+)-(?:deployment|statefulset)$/, '$1: Deployment/$1-$2'],
  [/^(\w+)-([\w-]+)-svc$/, '$1: Service/$1-$2'],
]

const NAMES = `
  ceph-admin-pod ceph-rbd-daemonset cinder-api-deployment cinder-api-svc cinder-backup-statefulset
  cinder-create-db-job cinder-create-keystone-endpoint-admin-job cinder-create-keystone-endpoint-adminv2-job
  cinder-create-keystone-endpoint-adminv3-job cinder-create-keystone-endpoint-internal-job
  cinder-create-keystone-endpoint-internalv2-job cinder-create-keystone-endpoint-internalv3-job
  cinder-create-keystone-endpoint-public-job cinder-create-keystone-endpoint-publicv2-job
  cinder-create-keystone-endpoint-publicv3-job cinder-create-keystone-service-job
  cinder-create-keystone-servicev2-job cinder-create-keystone-servicev3-job cinder-create-keystone-user-job
  cinder-delete-db-job cinder-delete-keystone-service-job cinder-delete-keystone-servicev2-job
  cinder-delete-keystone-servicev3-job cinder-delete-keystone-user-job cinder-manage-db-job
  cinder-scheduler-statefulset cinder-volume-ceph-statefulset cinder-volume-lvm-daemonset glance-api-deployment
  glance-api-svc glance-create-db-job glance-create-keystone-endpoint-admin-job
  glance-create-keystone-endpoint-internal-job glance-create-keystone-endpoint-public-job
  glance-create-keystone-service-job glance-create-keystone-user-job glance-delete-db-job
  glance-delete-keystone-service-job glance-delete-keystone-user-job glance-manage-db-job glance-pv glance-pvc
  glance-registry-deployment glance-registry-svc heat-api-cfn-deployment heat-api-deployment heat-api-svc
  heat-cfn-api-svc heat-cfn-create-keystone-endpoint-admin-job heat-cfn-create-keystone-endpoint-internal-job
  heat-cfn-create-keystone-endpoint-public-job heat-cfn-create-keystone-service-job
  heat-cfn-delete-keystone-service-job heat-create-db-job heat-create-keystone-endpoint-admin-job
  heat-create-keystone-endpoint-internal-job heat-create-keystone-endpoint-public-job
  heat-create-keystone-service-job heat-create-keystone-user-job heat-delete-db-job heat-delete-keystone-service-job
  heat-delete-keystone-user-job heat-engine-statefulset heat-manage-db-job helm-repo-deployment helm-repo-pv
  helm-repo-pvc helm-repo-svc horizon-deployment horizon-svc ironic-api-create-db-job
  ironic-api-create-keystone-endpoint-admin-job ironic-api-create-keystone-endpoint-internal-job
  ironic-api-create-keystone-endpoint-public-job ironic-api-delete-db-job ironic-api-deployment
  ironic-api-manage-db-job ironic-api-svc ironic-conductor-daemonset ironic-create-keystone-service-job
  ironic-create-keystone-user-job ironic-delete-keystone-service-job ironic-delete-keystone-user-job
  ironic-inspector-create-db-job ironic-inspector-create-keystone-endpoint-admin-job
  ironic-inspector-create-keystone-endpoint-internal-job ironic-inspector-create-keystone-endpoint-public-job
  ironic-inspector-create-keystone-service-job ironic-inspector-create-keystone-user-job
  ironic-inspector-delete-db-job ironic-inspector-delete-keystone-service-job
  ironic-inspector-delete-keystone-user-job ironic-inspector-deployment ironic-inspector-manage-db-job
  ironic-inspector-svc iscsi-target-daemonset iscsid-daemonset keepalived-daemonset keystone-admin-svc
  keystone-api-deployment keystone-create-db-job keystone-create-endpoints-job keystone-delete-db-job
  keystone-fernet-rotate-job keystone-fernet-setup-job keystone-internal-svc keystone-manage-db-job
  keystone-public-svc mariadb-init-element-job mariadb-pv mariadb-pvc mariadb-statefulset mariadb-svc
  memcached-deployment memcached-svc neutron-create-db-job neutron-create-keystone-endpoint-admin-job
  neutron-create-keystone-endpoint-internal-job neutron-create-keystone-endpoint-public-job
  neutron-create-keystone-service-job neutron-create-keystone-user-job neutron-delete-db-job
  neutron-delete-keystone-service-job neutron-delete-keystone-user-job neutron-dhcp-agent-daemonset
  neutron-l3-agent-daemonset neutron-manage-db-job neutron-metadata-agent-daemonset
  neutron-openvswitch-agent-daemonset neutron-server-deployment neutron-server-svc nova-api-cell-discover-host-job
  nova-api-create-db-job nova-api-create-simple-cell-job nova-api-delete-db-job nova-api-deployment
  nova-api-manage-db-job nova-api-svc nova-cell0-create-db-job nova-cell0-delete-db-job nova-compute-daemonset
  nova-compute-ironic-statefulset nova-conductor-statefulset nova-consoleauth-statefulset nova-create-db-job
  nova-create-keystone-endpoint-admin-job nova-create-keystone-endpoint-internal-job
  nova-create-keystone-endpoint-public-job nova-create-keystone-service-job nova-create-keystone-user-job
  nova-delete-db-job nova-delete-keystone-service-job nova-delete-keystone-user-job nova-libvirt-daemonset
  nova-metadata-svc nova-novncproxy-deployment nova-novncproxy-svc nova-placement-create-keystone-endpoint-admin-job
  nova-placement-create-keystone-endpoint-internal-job nova-placement-create-keystone-endpoint-public-job
  nova-placement-create-keystone-service-job nova-placement-create-keystone-user-job
  nova-placement-delete-keystone-service-job nova-placement-delete-keystone-user-job nova-placement-deployment
  nova-placement-svc nova-scheduler-statefulset openvswitch-ovsdb-daemonset openvswitch-vswitchd-daemonset
  rabbitmq-init-element-job rabbitmq-pv rabbitmq-pvc rabbitmq-statefulset rabbitmq-svc registry-deployment
  test-ceph-init-mon-job test-ceph-init-osd-job test-ceph-mon-daemonset test-ceph-osd-pod tgtd-daemonset
`
  .trim()
  .split(/\s+/)
