import type {Need, NeedingVerb} from './need.ts'

/**
 * The verbs of kk that need a right, its place, resources, verbs and purpose, and what the verb does without
 * it. Resources have kubectl's syntax: `deployments.apps`, `pods/log`; if the right is limited to single
 * objects, their names follow: `namespaces:kube-system`.
 */
type Row = readonly [
  neededBy: readonly NeedingVerb[],
  where: Need['where'],
  resources: string,
  verbs: string,
  why: string,
  without?: string,
]

const CHANGES = ['deploy', 'adopt', 'rollback', 'operator run --role child'] as const
const RBAC = ofGroup(
  'rbac.authorization.k8s.io',
  'clusterroles',
  'clusterrolebindings',
  'roles',
  'rolebindings',
)
const POLICIES = ofGroup(
  'admissionregistration.k8s.io',
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
)
/** The kinds of the operator's objects. */
const PARTS = `namespaces serviceaccounts customresourcedefinitions.apiextensions.k8s.io ${RBAC} deployments.apps ${POLICIES}`

const READ_HEALTH = 'to read the health of a release'
const RECONCILE = 'to reconcile Environments, and to write their status'
const SKIPPED = 'the check is skipped'

// biome-ignore format: a table
const ROWS: readonly Row[] = [
  [[...CHANGES, 'plan', 'test', 'drift --prune', 'remove', 'secrets rotate'], 'cluster', 'namespaces:kube-system', 'get',
    'to identify the cluster'],
  [CHANGES, 'release', 'namespaces', 'get', 'to know whether the namespace exists'],
  [['remove', 'orphans'], 'cluster', 'secrets', 'list', 'to find the dependents of a release, in any namespace'],
  [['remove', 'orphans'], 'cluster', 'secrets', 'get',
    'to read the requirements of other releases', 'a release that cannot be read counts as a dependent'],
  [['secrets list'], 'kk-system', 'secrets', 'list', 'to list the stored secrets', 'only --in store works'],
  [['facts'], 'cluster', 'nodes', 'list',
    'to count controllers and compute nodes, and to know their size', 'these facts must be stated in a facts file'],
  [['facts'], 'cluster', 'storageclasses.storage.k8s.io', 'list',
    'to know the storage classes', 'these facts must be stated in a facts file'],
  [['facts'], 'cluster', 'configmaps:kubelet-config,coredns', 'get',
    'to know the domain of cluster services, in kube-system', 'the fact dnsDomain is unknown'],
  [['status', 'plan', 'history', 'drift', 'test', 'unlock', 'drift --prune', 'secrets rotate'], 'cluster', 'secrets', 'list',
    'to read the records of every release, in any namespace', 'only the namespaces of the environment are read'],
  [['status'], 'cluster', 'secrets', 'watch',
    'to refresh after each change', 'kk status --watch polls'],
  [[...CHANGES, 'status', 'plan', 'history', 'drift', 'test', 'unlock', 'drift --prune', 'remove', 'orphans', 'secrets rotate'],
    'release', 'secrets', 'get list', "to read helm's records"],
  [CHANGES, 'release', 'secrets', 'create update patch delete', "to write helm's records, and kk's labels on them"],
  [CHANGES, 'release', 'pods persistentvolumeclaims', 'list watch', READ_HEALTH],
  [CHANGES, 'cluster', 'nodes', 'get list watch',
    'to leave the pods of nodes behind that are not ready, cordoned or being deleted',
    'a DaemonSet waits for every node'],
  [['status', 'plan'], 'cluster', 'nodes', 'list',
    'to name the nodes that are left behind', 'nodes that are left behind are not named'],
  [CHANGES, 'release', 'deployments.apps statefulsets.apps daemonsets.apps jobs.batch', 'get list watch', READ_HEALTH],
  [['status'], 'cluster', 'secrets', 'get',
    'to read the requirements of other releases', 'dependents that helm installed without kk are not found'],
  [['status'], 'release', 'pods persistentvolumeclaims deployments.apps statefulsets.apps daemonsets.apps jobs.batch',
    'list', READ_HEALTH],
  [[...CHANGES, 'status'], 'release', 'horizontalpodautoscalers.autoscaling', 'list',
    'to distinguish workloads that an autoscaler scaled down from those scaled by hand',
    'a workload that an autoscaler scaled down is unhealthy'],
  [['status'], 'kk-system', 'leases.coordination.k8s.io', 'list',
    'to report which run works on a release', 'the run that works on a release is not shown'],
  [['status'], 'kk-system', 'secrets', 'get',
    'to read generated passwords and keys, if the environment does not set them',
    'a release with generated passwords is shown as one with other inputs'],
  [['plan'], 'kk-system', 'secrets', 'get',
    'to read generated passwords and keys, if the environment does not set them', 'every password must be set in the environment'],
  [['history'], 'kk-system', 'configmaps', 'list', 'to read the records of runs'],
  [['test'], 'release', 'secrets', 'update', "to write the results of the tests into helm's records"],
  [['test'], 'release', 'pods', 'get list watch create patch delete', 'to run the pods of the tests'],
  [['test'], 'release', 'persistentvolumeclaims', 'list watch',
    'to report why a pod waits', 'a claim without a volume is not named'],
  [[...CHANGES, 'test'], 'release', 'pods/log', 'get',
    'to report why a pod fails', 'failures are reported without logs and events'],
  [[...CHANGES, 'test'], 'release', 'events', 'list', 'to report why a pod fails', 'failures are reported without logs and events'],
  [['unlock'], 'release', 'secrets', 'update', "to write helm's records, and kk's labels on them"],
  [['remove'], 'release', 'secrets', 'update delete', "to delete helm's records"],
  [[...CHANGES, 'test', 'unlock', 'drift --prune', 'remove'], 'kk-system', 'leases.coordination.k8s.io',
    'get create update delete', 'to lock a release against concurrent runs'],
  [[...CHANGES, 'drift --prune', 'remove'], 'kk-system', 'leases.coordination.k8s.io', 'list',
    'to report which run works on a release', 'the run that works on a release is reported only while kk waits for it'],
  [CHANGES, 'kk-system', 'pods', 'get',
    'to detect that a pod of kk is gone, and its helm with it',
    'the release of such a pod is taken over only after the timeout of its helm'],
  [[...CHANGES, 'drift --prune', 'remove'], 'kk-system', 'configmaps', 'get list create patch delete',
    'to store the records of runs, and reservations of releases'],
  [CHANGES, 'release', 'jobs.batch', 'delete', 'to run a failed Job again'],
  [CHANGES, 'release', 'persistentvolumeclaims', 'patch',
    'to keep the claims that a new revision of a chart no longer has', 'such a revision is refused'],
  [CHANGES, 'release', 'pods', 'delete',
    'to replace pods node by node, if a DaemonSet requests it, or if nodes that are down hold up its rolling update',
    'such a DaemonSet keeps its old pods, and the release fails'],
  [['deploy', 'adopt'], 'release', 'jobs.batch', 'create delete',
    'to pre-pull images with --prepull', 'images are pulled when pods need them'],
  [['deploy', 'adopt'], 'release', 'pods', 'list',
    'to pre-pull images with --prepull', 'images are pulled when pods need them'],
  [['deploy', 'adopt'], 'cluster', 'secrets', 'list',
    'to read the records of every release, in any namespace', 'only the namespaces of the environment are read'],
  [['drift', 'unlock'], 'kk-system', 'configmaps', 'list',
    'to find the namespaces of an environment without its file',
    'the file must be named, or the release with its namespace'],
  // A rollback removes nothing, so it can proceed without a list of every dependent. But a release that it
  // requires, or a dependent that must pass its gate again, may be in a namespace that is not read: the
  // former is an error, the latter a note.
  [['rollback'], 'cluster', 'secrets', 'list',
    'to check dependents in any namespace after a rollback',
    'dependents of other environments are not checked after a rollback'],
  [['operator run --role child'], 'kk-system', 'releases.kk.openstack.org', 'get list watch', RECONCILE],
  [['operator run --role child'], 'kk-system', 'releases/status.kk.openstack.org', 'patch', RECONCILE],
  [['drift'], 'release', 'horizontalpodautoscalers.autoscaling', 'list',
    'to ignore replicas that an autoscaler decides', 'replicas that an autoscaler decides are reported as drift'],
  [['remove'], 'release', 'persistentvolumeclaims', 'list delete',
    'to report remaining data, and to delete it with --delete-data'],
  [['remove'], 'release', 'cronjobs.batch', 'get',
    'to remove the data of a release in other services, with --purge', 'the data stays'],
  [['remove'], 'release', 'jobs.batch', 'get list watch create',
    'to remove the data of a release in other services, with --purge', 'the data stays'],
  [['remove'], 'release', 'pods', 'list watch',
    'to remove the data of a release in other services, with --purge', 'the data stays'],
  [['deploy', 'adopt'], 'cluster', 'namespaces', 'create',
    'to create missing namespaces, including kk-system',
    'another user must create the namespaces, including kk-system'],
  [['deploy', 'adopt', 'secrets import', 'secrets rotate'], 'kk-system', 'secrets', 'get create update',
    'to generate passwords and keys, if the environment does not set them', 'every password must be set in the environment'],
  [['adopt', 'plan'], 'cluster', 'helmreleases.helm.toolkit.fluxcd.io applications.argoproj.io', 'list',
    'to detect another tool that manages a release',
    'a release that another tool manages is recognized by the labels of its objects alone'],
  [['secrets import'], 'cluster', 'namespaces', 'create',
    'to create missing namespaces, including kk-system',
    'another user must create the namespaces, including kk-system'],

  [['guard install', 'guard approve'], 'cluster', 'secrets', 'list',
    'to read the records of every release, in any namespace'],
  [['guard install'], 'cluster', POLICIES, 'get create patch', 'to write the guard'],
  [['guard install'], 'cluster', 'namespaces', 'get create', 'to create kk-system, and to test the guard on it'],
  [['guard approve'], 'cluster', POLICIES, 'get', 'to know whether there is a guard'],
  [['guard approve'], 'cluster', 'secrets persistentvolumeclaims', 'list patch', 'to label approved objects'],
  [['guard approve'], 'cluster', 'namespaces', 'get patch', 'to label approved objects'],
  [['guard approve'], 'cluster', 'statefulsets.apps', 'list patch', 'to label approved objects'],
  [['guard install', 'guard approve'], 'cluster', 'configmaps', 'get create update patch delete',
    'to store the protected releases and the approvals'],
  [['guard install'], 'cluster', 'leases.coordination.k8s.io', 'get list', 'to verify that approvals expire'],
  [['guard install'], 'cluster', 'statefulsets.apps', 'list', 'to know the claims that they create'],
  [['guard approve'], 'cluster', 'leases.coordination.k8s.io', 'list', 'to verify that approvals expire'],

  [['deploy --in-cluster'], 'kk-system', 'serviceaccounts secrets configmaps jobs.batch', 'create patch',
    'to execute a run in a Job, with a separate account'],
  [['deploy --in-cluster'], 'cluster', RBAC, 'create patch bind escalate', 'to grant a run its rights'],
  [['run follow'], 'kk-system', 'jobs.batch configmaps', 'get list watch', 'to follow a run in the cluster'],
  [['run follow'], 'kk-system', 'pods', 'list watch', 'to follow a run in the cluster'],

  [['operator install'], 'cluster', PARTS, 'get create patch delete', 'to install and uninstall the operator'],
  [['operator install'], 'cluster', RBAC, 'list', 'to revoke rights that it no longer needs'],
  [['operator install'], 'kk-system', 'deployments.apps', 'get list', 'to know how it is installed'],
  [['operator install'], 'kk-system', 'secrets', 'get list create update delete', "to keep helm's records of it"],
  [['operator install'], 'kk-system', 'environments.kk.openstack.org', 'list patch',
    'to stop its work, and to remove finalizers'],
  [['operator install'], 'kk-system', 'leases.coordination.k8s.io', 'get', 'to wait until its actions have ended'],
  [['operator install'], 'kk-system', 'nodeoperations.kk.openstack.org', 'list', 'to wait until its actions have ended'],
  [['operator install'], 'release', 'secrets', 'list delete', 'to cancel the tasks of its workers'],

  [['operator run'], 'kk-system', 'environments.kk.openstack.org', 'get list watch patch', RECONCILE],
  [['operator run'], 'kk-system', 'releases.kk.openstack.org', 'get list watch create patch delete', RECONCILE],
  [['operator run'], 'kk-system', 'environments/status.kk.openstack.org releases/status.kk.openstack.org', 'patch', RECONCILE],
  [['operator run'], 'kk-system', 'nodeoperations.kk.openstack.org', 'get list watch', 'to read NodeOperations'],
  [['operator run'], 'kk-system', 'nodeoperations/status.kk.openstack.org', 'patch', 'to write the status of NodeOperations'],
  [['operator run'], 'kk-system', 'configmaps secrets', 'get list watch', RECONCILE],
  [['operator run'], 'kk-system', 'events', 'create patch', RECONCILE],
  [['operator run'], 'cluster', 'customresourcedefinitions.apiextensions.k8s.io:environments.kk.openstack.org', 'get',
    'to know that its kind is not being deleted'],
  [['operator run', 'operator run elsewhere'], 'kk-system', 'leases.coordination.k8s.io', 'patch',
    'to record what manages an environment'],
  [['operator run', 'operator run elsewhere'], 'kk-system', 'namespaces', 'get', 'to know whether the namespace exists'],
  // The operator has no facts file.
  [['operator run', 'operator run elsewhere'], 'cluster', 'nodes', 'list',
    'to count controllers and compute nodes, and to know their size'],
  [['operator run', 'operator run elsewhere'], 'cluster', 'storageclasses.storage.k8s.io', 'list',
    'to know the storage classes'],
  [['operator run', 'operator run elsewhere'], 'cluster', 'configmaps:kubelet-config,coredns', 'get',
    'to know the domain of cluster services, in kube-system'],
  [['operator run', 'operator run elsewhere'], 'release',
    'secrets deployments.apps statefulsets.apps daemonsets.apps jobs.batch', 'list watch',
    'to watch for changes', 'changes are detected later'],

  [['operator adopt', 'deploy --via operator'], 'kk-system', 'environments.kk.openstack.org', 'create patch',
    'to control the operator'],
  [['operator adopt', 'deploy --via operator'], 'kk-system', 'configmaps', 'create patch',
    'to give the operator the environment file'],
  [['operator adopt', 'deploy --via operator'], 'kk-system', 'secrets', 'create patch',
    "to give the operator the deployer's overrides", 'only an environment without overrides is handed over'],
  [['deploy --via operator'], 'kk-system', 'environments.kk.openstack.org', 'get', 'to control the operator'],
  [['deploy --via operator'], 'kk-system', 'configmaps', 'get', 'to know the inputs that the operator will read'],
  [['deploy --via operator'], 'kk-system', 'secrets', 'get',
    'to know the overrides that the operator will read', 'every password must be set in the environment'],
  [['operator follow', 'deploy --via operator'], 'kk-system', 'environments.kk.openstack.org releases.kk.openstack.org',
    'list watch', 'to follow the actions of the operator'],
  [['operator pause'], 'kk-system', 'environments.kk.openstack.org', 'get patch', 'to control the operator'],
  [['operator status'], 'kk-system', 'environments.kk.openstack.org releases.kk.openstack.org', 'list',
    'to report the state of the operator'],
  [['operator follow', 'deploy --via operator', 'operator status'], 'kk-system', 'leases.coordination.k8s.io', 'get',
    'to find the leader of the operator'],

  [['logs'], 'release', 'pods', 'list', 'to find the containers of the releases'],
  [['logs'], 'release', 'pods/log', 'get', 'to read their logs'],
  [['audit'], 'release', 'secrets', 'list', "to read helm's records"],
  [['audit'], 'release', 'pods', 'list', 'to find the pods of the services'],
  [['audit'], 'release', 'pods/exec', 'get create',
    'to read in the pods of the services, and with --repair to execute commands there'],
  [['audit'], 'cluster', 'secrets', 'list', 'to read TLS certificates', 'certificates are not read'],

  [['deploy'], 'release', 'pods/exec', 'get create',
    'to read the record of probers after a run', 'what they recorded is not shown, with a note'],

  [['plan --upgrade-checks'], 'release', 'pods', 'get list create patch delete',
    'to start a pod of each new image, as the upgrade does', 'new images are not asked, with a note'],
  [['plan --upgrade-checks'], 'release', 'pods/exec', 'get create',
    'to run the upgrade check of the service, and to read its migrations, in these pods', 'new images are not asked, with a note'],
  [['plan --upgrade-checks'], 'release', 'pods/log', 'get',
    'to read what services report of themselves', 'their state is not checked, with a note'],
  [['plan --upgrade-checks'], 'cluster', 'leases.coordination.k8s.io', 'list', 'to compare the clocks of nodes',
    'clocks are not compared, with a note'],

  [['node drain'], 'cluster', 'nodes', 'get list watch patch', 'to cordon or label a node, and to take it back'],
  [['node drain'], 'cluster', 'persistentvolumes', 'list', 'to find the volumes on a node that is to be removed'],
  [['node drain'], 'cluster', 'leases.coordination.k8s.io', 'list', 'to compare the clocks of nodes', 'clocks are not compared'],
  [['node drain'], 'cluster', 'pods', 'list', 'to find the pods of a node, in any namespace'],
  [['node drain'], 'cluster', 'pods/eviction', 'create', 'to evict the pods of a node, in any namespace'],
  [['node drain'], 'release', 'cronjobs.batch', 'get list', 'to find the template of the Job that moves instances'],
  [['node drain'], 'release', 'jobs.batch', 'get list watch create delete', 'to move instances with a Job'],
  [['node drain'], 'release', 'pods persistentvolumeclaims', 'get list watch', READ_HEALTH],
  [['node drain'], 'release', 'pods', 'delete', 'to restart nova-compute on a node that was evacuated, and pods of a node that is replaced'],
  [['node drain'], 'release', 'deployments.apps daemonsets.apps statefulsets.apps', 'get list watch', READ_HEALTH],
  [['node drain'], 'release', 'persistentvolumeclaims', 'delete', 'to delete those of a node that is removed or replaced'],
  [['node drain'], 'release', 'pods/log', 'get', 'to follow the Job that moves instances'],
  [['node drain'], 'release', 'events', 'list', 'to report why a pod fails', 'failures are reported without events'],
  [['node drain'], 'release', 'pods/exec', 'get create', 'to move the gateways of routers, in the pods of OVN'],

  [['doctor'], 'cluster', 'namespaces', 'list', 'to find namespaces whose deletion hangs', SKIPPED],
  [['doctor'], 'cluster', 'secrets', 'get list', 'to read every record, and TLS certificates', SKIPPED],
  [['doctor'], 'cluster', 'persistentvolumeclaims', 'list', 'to find unused data', SKIPPED],
  [['doctor'], 'cluster', 'jobs.batch', 'list', 'to find leftover Jobs of hooks', SKIPPED],
  [['doctor'], 'cluster', 'storageclasses.storage.k8s.io', 'list', 'to know the default storage class', SKIPPED],
  [['doctor'], 'cluster', 'nodes', 'list', 'to find pods that fit on no node', SKIPPED],
  [['doctor'], 'cluster', 'leases.coordination.k8s.io', 'list', 'to compare the clocks of nodes', SKIPPED],
  [['doctor'], 'kk-system', 'leases.coordination.k8s.io', 'list', 'to lock a release against concurrent runs', SKIPPED],
  [['doctor'], 'kk-system', 'configmaps', 'get list',
    'to store the records of runs, and reservations of releases', SKIPPED],
]

/**
 * The rights that each verb needs. In addition, helm needs `renderedNeeds`: rights on the objects that the
 * charts render, in their namespaces.
 */
export const NEEDS = needsByVerb()

function needsByVerb(): Readonly<Record<NeedingVerb, readonly Need[]>> {
  const pairs = ROWS.flatMap((row) => row[0].map((verb) => [verb, needsOf(row)] as const))
  const groups = Map.groupBy(pairs, ([verb]) => verb)
  const needs = [...groups].map(([verb, each]) => [verb, each.flatMap(([, rights]) => rights)])
  return Object.fromEntries(needs)
}

function needsOf([, where, resources, verbs, why, without]: Row): readonly Need[] {
  return resources.split(' ').map((each) => {
    const [path = '', names] = each.split(':')
    const [resource = '', ...group] = path.split('.')
    return {
      ...{group: group.join('.'), resource, verbs: verbs.split(' '), where},
      ...(names !== undefined && {names: names.split(',')}),
      ...{why, ...(without !== undefined && {without})},
    }
  })
}

function ofGroup(group: string, ...resources: readonly string[]): string {
  return resources.map((each) => `${each}.${group}`).join(' ')
}
