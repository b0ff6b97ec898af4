import type {Need, NeedingVerb} from './need.ts'

/**
 * Who needs a right, where, on which resources, with which verbs, why, and how the verb goes on without it. Resources are written
 * as for kubectl: `deployments.apps`, `pods/log`; the names of those that are meant alone follow: `namespaces:kube-system`.
 */
type Row = readonly [
  who: readonly NeedingVerb[],
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
/** What the operator is made of. */
const PARTS = `namespaces serviceaccounts customresourcedefinitions.apiextensions.k8s.io ${RBAC} deployments.apps ${POLICIES}`

const HEALTHY = 'to tell whether a release is healthy'
const DRIVE = 'to drive Environments, and to say how they are'
const LEFT_OUT = 'that check is left out'

// biome-ignore format: a table
const ROWS: readonly Row[] = [
  [[...CHANGES, 'plan', 'test', 'drift --prune', 'remove', 'secrets rotate'], 'cluster', 'namespaces:kube-system', 'get',
    'to know which cluster it is'],
  [CHANGES, 'release', 'namespaces', 'get', 'to know whether the namespace exists'],
  [['remove', 'orphans'], 'cluster', 'secrets', 'list', 'to see who uses a release: dependents may live in any namespace'],
  [['remove', 'orphans'], 'cluster', 'secrets', 'get',
    'to read what foreign releases require', 'what cannot be read counts as a user'],
  [['secrets list'], 'kk-system', 'secrets', 'list', 'to list what is kept', 'only --in store works'],
  [['facts'], 'cluster', 'nodes', 'list',
    'to count controllers and compute nodes, and to know their size', 'these facts must be stated in a facts file'],
  [['facts'], 'cluster', 'storageclasses.storage.k8s.io', 'list',
    'to know the storage classes', 'these facts must be stated in a facts file'],
  [['facts'], 'cluster', 'configmaps:kubelet-config,coredns', 'get',
    'to know the domain of cluster services, in kube-system', 'the fact dnsDomain is unknown'],
  [['status', 'plan', 'history', 'drift', 'test', 'unlock', 'drift --prune', 'secrets rotate'], 'cluster', 'secrets', 'list',
    'to see the records of every release, in any namespace', 'only the namespaces of the environment are seen'],
  [['status'], 'cluster', 'secrets', 'watch',
    'to look again when something changes', 'kk status --watch looks now and then'],
  [[...CHANGES, 'status', 'plan', 'history', 'drift', 'test', 'unlock', 'drift --prune', 'remove', 'orphans', 'secrets rotate'],
    'release', 'secrets', 'get list', "to read helm's records"],
  [CHANGES, 'release', 'secrets', 'create update patch delete', "to write helm's records, and kk's labels on them"],
  [CHANGES, 'release', 'pods persistentvolumeclaims', 'list watch', HEALTHY],
  [CHANGES, 'release', 'deployments.apps statefulsets.apps daemonsets.apps jobs.batch', 'get list watch', HEALTHY],
  [['status'], 'cluster', 'secrets', 'get',
    'to read what foreign releases require', 'dependents that plain helm installed are not seen'],
  [['status'], 'release', 'pods persistentvolumeclaims deployments.apps statefulsets.apps daemonsets.apps jobs.batch',
    'list', HEALTHY],
  [[...CHANGES, 'status'], 'release', 'horizontalpodautoscalers.autoscaling', 'list',
    'to distinguish what an autoscaler has scaled down from what was scaled by hand',
    'what an autoscaler has scaled down is not healthy'],
  [['status'], 'kk-system', 'leases.coordination.k8s.io', 'list',
    'to tell who works on a release', 'who works on a release is not told'],
  [['status'], 'kk-system', 'secrets', 'get',
    'to read generated passwords and keys, where the environment does not state its own',
    'a release with generated passwords is shown as one with other inputs'],
  [['plan'], 'kk-system', 'secrets', 'get',
    'to read generated passwords and keys, where the environment does not state its own', 'every password must be stated'],
  [['history'], 'kk-system', 'configmaps', 'list', 'to read the records of runs'],
  [['test'], 'release', 'secrets', 'update', "to write into helm's records how the tests ended"],
  [['test'], 'release', 'pods', 'get list watch create patch delete', 'to run the pods of the tests'],
  [['test'], 'release', 'persistentvolumeclaims', 'list watch',
    'to say why a pod waits', 'a claim without a volume is not named'],
  [[...CHANGES, 'test'], 'release', 'pods/log', 'get',
    'to say why a pod fails', 'failures are told without logs and events'],
  [[...CHANGES, 'test'], 'release', 'events', 'list', 'to say why a pod fails', 'failures are told without logs and events'],
  [['unlock'], 'release', 'secrets', 'update', "to write helm's records, and kk's labels on them"],
  [['remove'], 'release', 'secrets', 'update delete', "to take helm's records away"],
  [[...CHANGES, 'test', 'unlock', 'drift --prune', 'remove'], 'kk-system', 'leases.coordination.k8s.io',
    'get create update delete', 'so that two runs never work on one release'],
  [[...CHANGES, 'drift --prune', 'remove'], 'kk-system', 'leases.coordination.k8s.io', 'list',
    'to tell who works on a release', 'who works on a release is told only when it is waited for'],
  [CHANGES, 'kk-system', 'pods', 'get',
    'to know that the helm of a pod of kk is gone with the pod',
    'what such a pod has left is taken over when the time of its helm is over'],
  [[...CHANGES, 'drift --prune', 'remove'], 'kk-system', 'configmaps', 'get list create patch delete',
    'to keep the records of runs, and to tell others who is about to use a release'],
  [CHANGES, 'release', 'jobs.batch', 'delete', 'so that a Job that has failed is run again'],
  [CHANGES, 'release', 'persistentvolumeclaims', 'patch',
    'to keep the claims that a new revision of a chart has no more', 'such a revision is refused'],
  [CHANGES, 'release', 'pods', 'delete',
    'to replace pods node by node, where a DaemonSet asks for it',
    'such a DaemonSet keeps its old pods, and the release fails'],
  [['deploy', 'adopt'], 'release', 'jobs.batch', 'create delete',
    'to pull images ahead with --prepull', 'images are pulled when pods need them'],
  [['deploy', 'adopt'], 'release', 'pods', 'list',
    'to pull images ahead with --prepull', 'images are pulled when pods need them'],
  [['deploy', 'adopt'], 'cluster', 'secrets', 'list',
    'to see the records of every release, in any namespace', 'only the namespaces of the environment are seen'],
  [['drift', 'unlock'], 'kk-system', 'configmaps', 'list',
    'to know the namespaces of an environment whose file is not at hand',
    'the file must be named, or the release with its namespace'],
  // It removes nothing, so it can be done without knowing every dependent; but what it requires, or a dependent whose gate must
  // pass again, may be in a namespace that is not seen: the former is refused, the latter noted.
  [['rollback'], 'cluster', 'secrets', 'list',
    'to check dependents in any namespace after a rollback',
    'dependents of other environments are not checked after a rollback'],
  [['operator run --role child'], 'kk-system', 'releases.kk.openstack.org', 'get list watch', DRIVE],
  [['operator run --role child'], 'kk-system', 'releases/status.kk.openstack.org', 'patch', DRIVE],
  [['drift'], 'release', 'horizontalpodautoscalers.autoscaling', 'list',
    'to leave replicas to whom they are left', 'what an autoscaler has set is told as drift'],
  [['remove'], 'release', 'persistentvolumeclaims', 'list delete',
    'to tell what data stays, and to delete it with --delete-data'],
  [['remove'], 'release', 'cronjobs.batch', 'get',
    'to take away what a release has in other services, with --purge', 'it stays'],
  [['remove'], 'release', 'jobs.batch', 'get list watch create',
    'to take away what a release has in other services, with --purge', 'it stays'],
  [['remove'], 'release', 'pods', 'list watch',
    'to take away what a release has in other services, with --purge', 'it stays'],
  [['deploy', 'adopt'], 'cluster', 'namespaces', 'create',
    'to make namespaces that do not exist, kk-system among them',
    'somebody else must make the namespaces, kk-system among them'],
  [['deploy', 'adopt', 'secrets import', 'secrets rotate'], 'kk-system', 'secrets', 'get create update',
    'to make passwords and keys, where the environment does not state its own', 'every password must be stated'],
  [['adopt', 'plan'], 'cluster', 'helmreleases.helm.toolkit.fluxcd.io applications.argoproj.io', 'list',
    'to know whether another tool drives a release',
    'a release that another tool drives is recognized by the labels of its objects alone'],
  [['secrets import'], 'cluster', 'namespaces', 'create',
    'to make namespaces that do not exist, kk-system among them',
    'somebody else must make the namespaces, kk-system among them'],

  [['guard install', 'guard approve'], 'cluster', 'secrets', 'list',
    'to see the records of every release, in any namespace'],
  [['guard install'], 'cluster', POLICIES, 'get create patch', 'to write the guard'],
  [['guard install'], 'cluster', 'namespaces', 'get create', 'to make kk-system, and to try the guard on it'],
  [['guard approve'], 'cluster', POLICIES, 'get', 'to know whether there is a guard'],
  [['guard approve'], 'cluster', 'secrets persistentvolumeclaims', 'list patch', 'to mark what was approved'],
  [['guard approve'], 'cluster', 'namespaces', 'get patch', 'to mark what was approved'],
  [['guard approve'], 'cluster', 'statefulsets.apps', 'list patch', 'to mark what was approved'],
  [['guard install', 'guard approve'], 'cluster', 'configmaps', 'get create update patch delete',
    'to keep what the guard protects, and what was approved'],
  [['guard install'], 'cluster', 'leases.coordination.k8s.io', 'get list', 'to know that approvals end'],
  [['guard install'], 'cluster', 'statefulsets.apps', 'list', 'to know the claims that they make'],
  [['guard approve'], 'cluster', 'leases.coordination.k8s.io', 'list', 'to know that approvals end'],

  [['deploy --in-cluster'], 'kk-system', 'serviceaccounts secrets configmaps jobs.batch', 'create patch',
    'to have a Job do a run, with an account of its own'],
  [['deploy --in-cluster'], 'cluster', RBAC, 'create patch bind escalate', 'to give a run the rights that it needs'],
  [['run follow'], 'kk-system', 'jobs.batch configmaps', 'get list watch', 'to follow a run in the cluster'],
  [['run follow'], 'kk-system', 'pods', 'list watch', 'to follow a run in the cluster'],

  [['operator install'], 'cluster', PARTS, 'get create patch delete', 'to install the operator, and to take it away'],
  [['operator install'], 'cluster', RBAC, 'list', 'to take back rights that it has no longer'],
  [['operator install'], 'kk-system', 'deployments.apps', 'get list', 'to know in which shape it is installed'],
  [['operator install'], 'kk-system', 'secrets', 'get list create update delete', "to keep helm's records of it"],
  [['operator install'], 'kk-system', 'environments.kk.openstack.org', 'list patch',
    'to stop its work, and let go what waits for its removal'],
  [['operator install'], 'kk-system', 'leases.coordination.k8s.io', 'get', 'to wait until it has ended what it runs'],
  [['operator install'], 'release', 'secrets', 'list delete', 'to take back orders to its children'],

  [['operator run'], 'kk-system', 'environments.kk.openstack.org', 'get list watch patch', DRIVE],
  [['operator run'], 'kk-system', 'releases.kk.openstack.org', 'get list watch create patch delete', DRIVE],
  [['operator run'], 'kk-system', 'environments/status.kk.openstack.org releases/status.kk.openstack.org', 'patch', DRIVE],
  [['operator run'], 'kk-system', 'configmaps secrets', 'get list watch', DRIVE],
  [['operator run'], 'kk-system', 'events', 'create patch', DRIVE],
  [['operator run'], 'cluster', 'customresourcedefinitions.apiextensions.k8s.io:environments.kk.openstack.org', 'get',
    'to know that its kind is not being deleted'],
  [['operator run', 'operator run elsewhere'], 'kk-system', 'leases.coordination.k8s.io', 'patch',
    'to say who drives an environment'],
  [['operator run', 'operator run elsewhere'], 'kk-system', 'namespaces', 'get', 'to know whether the namespace exists'],
  // It has no facts file.
  [['operator run', 'operator run elsewhere'], 'cluster', 'nodes', 'list',
    'to count controllers and compute nodes, and to know their size'],
  [['operator run', 'operator run elsewhere'], 'cluster', 'storageclasses.storage.k8s.io', 'list',
    'to know the storage classes'],
  [['operator run', 'operator run elsewhere'], 'cluster', 'configmaps:kubelet-config,coredns', 'get',
    'to know the domain of cluster services, in kube-system'],
  [['operator run', 'operator run elsewhere'], 'release',
    'secrets deployments.apps statefulsets.apps daemonsets.apps jobs.batch', 'list watch',
    'to notice what changes', 'it is noticed later'],

  [['operator adopt', 'deploy --via operator'], 'kk-system', 'environments.kk.openstack.org', 'create patch',
    'to say what the operator is to do'],
  [['operator adopt', 'deploy --via operator'], 'kk-system', 'configmaps', 'create patch',
    'to give the operator the environment file'],
  [['operator adopt', 'deploy --via operator'], 'kk-system', 'secrets', 'create patch',
    "to give the operator the deployer's overrides", 'only an environment that has none is handed over'],
  [['deploy --via operator'], 'kk-system', 'environments.kk.openstack.org', 'get', 'to say what the operator is to do'],
  [['deploy --via operator'], 'kk-system', 'configmaps', 'get', 'to know the inputs that the operator is going to read'],
  [['deploy --via operator'], 'kk-system', 'secrets', 'get',
    'to know the overrides that the operator is going to read', 'every password must be stated'],
  [['operator follow', 'deploy --via operator'], 'kk-system', 'environments.kk.openstack.org releases.kk.openstack.org',
    'list watch', 'to follow what the operator does'],
  [['operator pause'], 'kk-system', 'environments.kk.openstack.org', 'get patch', 'to say what the operator is to do'],
  [['operator status'], 'kk-system', 'environments.kk.openstack.org releases.kk.openstack.org', 'list',
    'to tell what the operator does'],
  [['operator follow', 'deploy --via operator', 'operator status'], 'kk-system', 'leases.coordination.k8s.io', 'get',
    'to tell which process of the operator leads'],

  [['doctor'], 'cluster', 'namespaces', 'list', 'to find namespaces that do not go', LEFT_OUT],
  [['doctor'], 'cluster', 'secrets', 'get list', 'to read every record, and certificates of TLS', LEFT_OUT],
  [['doctor'], 'cluster', 'persistentvolumeclaims', 'list', 'to find data that nobody uses', LEFT_OUT],
  [['doctor'], 'cluster', 'jobs.batch', 'list', 'to find Jobs that helm has forgotten', LEFT_OUT],
  [['doctor'], 'cluster', 'storageclasses.storage.k8s.io', 'list', 'to know the default storage class', LEFT_OUT],
  [['doctor'], 'cluster', 'nodes', 'list', 'to find pods that no node can take', LEFT_OUT],
  [['doctor'], 'kk-system', 'leases.coordination.k8s.io', 'list', 'so that two runs never work on one release', LEFT_OUT],
  [['doctor'], 'kk-system', 'configmaps', 'get list',
    'to keep the records of runs, and to tell others who is about to use a release', LEFT_OUT],
]

/**
 * The rights that each verb needs. Beside these, helm needs `renderedNeeds`: rights on the objects that the charts
 * render, in their namespaces.
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
