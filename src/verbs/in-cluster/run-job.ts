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

/** A run in the cluster, as it is asked for. */
export interface RunJob {
  /** The run's id. */
  readonly id: string
  readonly environment: string
  readonly verb: string
  /** The namespace of the Job. */
  readonly namespace: string
  /** The namespaces in which the run may deploy. */
  readonly releases: readonly string[]
  /** Whether it may make the objects of the whole cluster that kk's own charts render. */
  readonly makesOfCluster: boolean
  readonly image: string
  /** What the run needs, by the names of files. */
  readonly files: Readonly<Record<string, string>>
  /** The command that does the same again, and who asked for it: for those who follow it. */
  readonly told: Readonly<Record<'again' | 'who', string>>
}

/** The label of the Job of a run, and the names of what it is told by. */
export const RUN_LABEL = 'kk.openstack.org/run'
export const ENVIRONMENT_LABEL = 'kk.openstack.org/environment'
export const AGAIN = 'kk.openstack.org/again'
export const WHO = 'kk.openstack.org/who'
export const VERB = 'kk.openstack.org/verb'

/** The container of the pods, and the directory with the files of the run. */
export const CONTAINER = 'run'
const FILES = '/run/kk'
/** How often a pod may end without having said how the run ended; pods that are evicted do not count. */
const MOST_LOST_PODS = 6
/** How long a Job stays that has ended, and what tells of it: a week. */
const KEPT_SECONDS = 604_800
/** Of a Secret; the API server takes a little more. */
const MOST_BYTES = 1_000_000

/** Returns the name of the Job of a run, and of its Secret. */
export function jobName(run: string): string {
  return `kk-run-${run}`
}

/**
 * Returns what is made for a run, in the order in which it is applied: first what outlives it, then the Job, then what goes
 * with the Job, once its UID is known. Throws `KK_USAGE` where the files are larger than a Secret can be.
 */
export function jobObjects(job: RunJob, announced: RunEvent, uid?: string) {
  const {id, environment, namespace, releases, makesOfCluster, files} = job
  const bytes = Object.values(files).reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  if (bytes > MOST_BYTES) {
    throw new KkError(
      'KK_USAGE',
      `the files of the run have ${bytes} bytes, but a Secret holds ${MOST_BYTES}`,
      {hint: 'leave --in-cluster out, or keep less in overrides and values'},
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
      // Here somebody may state facts that kk may not read; the pod has nobody.
      beside: rulesOf({verbs: ['facts']}).cluster,
      atHome: [TELL],
      makesOfCluster,
    }),
    job: jobObject(job, labels),
    owned: [
      owned(SECRETS, jobName(id), {immutable: true, data: Object.fromEntries(encoded)}),
      owned(CONFIG_MAPS, logName(id), {data: logData(withEvent({events: []}, announced))}),
    ],
  }
}

/** What a run needs in the namespace of its Job beside its rights. */
const TELL = {
  apiGroups: [''],
  resources: ['configmaps'],
  verbs: ['get', 'patch'],
  why: ['to tell how far the run is'],
  without: [],
}

/** Each environment has an account of its own, for its namespaces alone, and another for runs that make objects of the whole cluster. */
function accountName({environment, makesOfCluster}: Pick<RunJob, 'environment' | 'makesOfCluster'>): string {
  return `${makesOfCluster ? 'kk-cluster-run' : 'kk-run'}-${environment}`
}

function jobObject(job: RunJob, labels: Readonly<Record<string, string>>): KubernetesObject {
  const {id, namespace, image, verb, told} = job
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
      annotations: {[VERB]: verb, [AGAIN]: told.again, [WHO]: told.who},
    },
    spec: {
      // Until all is there that it needs.
      suspend: true,
      backoffLimit: MOST_LOST_PODS,
      ttlSecondsAfterFinished: KEPT_SECONDS,
      podFailurePolicy: {
        rules: [
          {action: 'Ignore', onPodConditions: [{type: 'DisruptionTarget', status: 'True'}]},
          // What a run has ended with is not tried again.
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

/** Makes a Job with all that it needs, and lets it begin. */
export async function startJob(
  job: RunJob,
  announced: RunEvent,
  {objects, live}: {readonly objects: Objects; readonly live: LiveObjects},
): Promise<void> {
  const options = {manager: 'kk'}
  const {account, job: made} = jobObjects(job, announced)
  const {namespace} = job
  for (const name of new Set([KK_NAMESPACE, namespace, ...job.releases])) await live.makeNamespace(name)
  const applyAll = async (all: readonly KubernetesObject[]) => {
    for (const each of all) await objects.apply(KINDS.find(({kind}) => kind === each.kind)!, each, options)
  }
  await applyAll(account)
  const {metadata} = await objects.apply(JOBS, made, options)
  await applyAll(jobObjects(job, announced, metadata.uid).owned)
  await objects.merge(JOBS, {namespace, name: made.metadata.name}, {spec: {suspend: false}})
}
