import {KkError} from '../../base/errors.ts'
import {CONFIG_MAPS, JOBS, type Resource, SECRETS} from '../../kubernetes/api/resources.ts'
import {kkPod} from '../../kubernetes/kk-pod.ts'
import {KK_NAMESPACE} from '../../kubernetes/lease/lease.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import type {LiveObjects} from '../../kubernetes/objects/live-objects.ts'
import type {Objects} from '../../kubernetes/objects/objects.ts'
import {
  ACCOUNTS,
  accountObjects,
  BINDINGS,
  CLUSTER_BINDINGS,
  CLUSTER_ROLES,
  ROLES,
} from '../../kubernetes/permissions/account.ts'
import {ROLE_SETS, rulesOf} from '../../kubernetes/permissions/roles.ts'
import type {RunEvent} from '../../run/events.ts'
import {logData, logName, withEvent} from './run-log.ts'

/** A requested run in the cluster. */
export interface RunJob {
  /** The run's id. */
  readonly id: string
  readonly environment: string
  readonly verb: string
  /** The namespace of the Job. */
  readonly namespace: string
  /** The namespaces in which the run may deploy. */
  readonly releases: readonly string[]
  /** Whether it may create the cluster-scoped objects that kk's own charts render. */
  readonly makesOfCluster: boolean
  readonly image: string
  /** The files of the run, by name. */
  readonly files: Readonly<Record<string, string>>
  /** The command that repeats the run, and who requested it: shown to those who follow it. */
  readonly request: {readonly retryCommand: string; readonly who: string}
}

/** The labels and annotations of the Job of a run. */
export const RUN_LABEL = 'kk.openstack.org/run'
export const ENVIRONMENT_LABEL = 'kk.openstack.org/environment'
export const REPEAT = 'kk.openstack.org/again'
export const REQUESTER = 'kk.openstack.org/who'
export const VERB = 'kk.openstack.org/verb'

/** The container of the pods, and the directory with the files of the run. */
export const CONTAINER = 'run'
const FILES = '/run/kk'
/** How many pods may end without a result; evicted pods do not count. */
const MAX_LOST_PODS = 6
/** How long a finished Job and its log are kept: one week. */
const RETENTION_SECONDS = 604_800
/** The size limit of a Secret; the API server accepts slightly more. */
const MAX_SECRET_BYTES = 1_000_000

/** Returns the name of the Job of a run, and of its Secret. */
export function jobName(run: string): string {
  return `kk-run-${run}`
}

/**
 * Returns the objects for a run in the order in which they are applied: objects that outlive it, the Job, and
 * objects that the Job owns, once its UID is known. Throws `KK_USAGE` if the files do not fit into a Secret.
 */
export function jobObjects(job: RunJob, announced: RunEvent, uid?: string) {
  const {id, environment, namespace, releases, makesOfCluster, files} = job
  const bytes = Object.values(files).reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  if (bytes > MAX_SECRET_BYTES) {
    throw new KkError(
      'KK_USAGE',
      `the files of the run have ${bytes} bytes, but a Secret holds ${MAX_SECRET_BYTES}`,
      {hint: 'omit --in-cluster, or keep less in overrides and values'},
    )
  }
  const labels = {'app.kubernetes.io/name': 'kk-run', [ENVIRONMENT_LABEL]: environment}
  const owner = {apiVersion: JOBS.apiVersion, kind: JOBS.kind, name: jobName(id), uid}
  const owned = ({apiVersion, kind}: Resource, name: string, content: object): KubernetesObject => ({
    apiVersion,
    kind,
    metadata: {name, namespace, labels, ...(uid !== undefined && {ownerReferences: [owner]})},
    ...content,
  })
  const encoded = Object.entries(files).map(([name, text]) => [name, Buffer.from(text).toString('base64')])
  return {
    account: accountObjects({
      name: accountName(job),
      labels,
      namespace,
      rights: ROLE_SETS.change,
      releases,
      // Outside of the cluster, a user can state facts that kk may not read; in the pod, kk must read them.
      beside: rulesOf({verbs: ['facts']}).cluster,
      atHome: [REPORT_RULE],
      makesOfCluster,
    }),
    job: jobObject(job, labels),
    owned: [
      owned(SECRETS, jobName(id), {immutable: true, data: Object.fromEntries(encoded)}),
      owned(CONFIG_MAPS, logName(id), {data: logData(withEvent({events: []}, announced))}),
    ],
  }
}

/** The permissions that a run needs in the namespace of its Job, in addition to its roles. */
const REPORT_RULE = {
  apiGroups: [''],
  resources: ['configmaps'],
  verbs: ['get', 'patch'],
  why: ['to report the progress of the run'],
  without: [],
}

/**
 * Returns the name of the account: per environment one for its namespaces only, one for cluster-scoped
 * objects.
 */
function accountName({environment, makesOfCluster}: Pick<RunJob, 'environment' | 'makesOfCluster'>): string {
  return `${makesOfCluster ? 'kk-cluster-run' : 'kk-run'}-${environment}`
}

function jobObject(job: RunJob, labels: Readonly<Record<string, string>>): KubernetesObject {
  const {id, namespace, image, verb, request} = job
  const name = jobName(id)
  const tied = {...labels, [RUN_LABEL]: id}
  const pod = kkPod({
    account: accountName(job),
    container: CONTAINER,
    image,
    command: ['kk', 'run', 'start', FILES, '--namespace', namespace],
    more: {terminationMessagePolicy: 'FallbackToLogsOnError'},
    files: {[FILES]: {secret: {secretName: name}}},
  })
  return {
    apiVersion: JOBS.apiVersion,
    kind: JOBS.kind,
    metadata: {
      name,
      namespace,
      labels: tied,
      annotations: {[VERB]: verb, [REPEAT]: request.retryCommand, [REQUESTER]: request.who},
    },
    spec: {
      // Suspended until its other objects exist.
      suspend: true,
      backoffLimit: MAX_LOST_PODS,
      ttlSecondsAfterFinished: RETENTION_SECONDS,
      podFailurePolicy: {
        rules: [
          {action: 'Ignore', onPodConditions: [{type: 'DisruptionTarget', status: 'True'}]},
          // Exit codes of a finished run are not retried.
          {
            action: 'FailJob',
            onExitCodes: {containerName: CONTAINER, operator: 'In', values: [1, 2, 3, 70]},
          },
        ],
      },
      template: {metadata: {labels: tied}, spec: {...pod, restartPolicy: 'Never'}},
    },
  }
}

const KINDS = [ACCOUNTS, CLUSTER_ROLES, CLUSTER_BINDINGS, ROLES, BINDINGS, SECRETS, CONFIG_MAPS]

/** Creates a suspended Job with the objects that it needs, then starts it. */
export async function startJob(
  job: RunJob,
  announced: RunEvent,
  {objects, live}: {readonly objects: Objects; readonly live: LiveObjects},
): Promise<void> {
  const options = {manager: 'kk'}
  const {account, job: jobObject} = jobObjects(job, announced)
  const {namespace} = job
  for (const name of new Set([KK_NAMESPACE, namespace, ...job.releases])) await live.makeNamespace(name)
  const applyAll = async (all: readonly KubernetesObject[]) => {
    for (const each of all) await objects.apply(KINDS.find(({kind}) => kind === each.kind)!, each, options)
  }
  await applyAll(account)
  const {metadata} = await objects.apply(JOBS, jobObject, options)
  await applyAll(jobObjects(job, announced, metadata.uid).owned)
  await objects.merge(JOBS, {namespace, name: jobObject.metadata.name}, {spec: {suspend: false}})
}
