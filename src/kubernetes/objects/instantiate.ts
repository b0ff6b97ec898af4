import type {CronJob} from 'kubernetes-types/batch/v1.js'
import type {Affinity} from 'kubernetes-types/core/v1.js'
import {KkError} from '../../base/errors.ts'
import type {ApiClient} from '../api/client.ts'
import {CRON_JOBS, JOBS, readObject, requestText, resourcePath} from '../api/resources.ts'
import type {DeepReadonly, Identity} from '../api/served.ts'
import type {KubernetesObject} from '../manifest/kubernetes-object.ts'
import type {JobOfCronJob} from './live-objects.ts'

/** The metadata and the spec of a CronJob that exists. */
type Instance = {readonly metadata: Identity; readonly spec: DeepReadonly<NonNullable<CronJob['spec']>>}

/**
 * Creates a Job of a CronJob, as `kubectl create job --from` does, and resolves with it; it is deleted with
 * the CronJob. Throws `KK_NOT_INSTALLED` if there is none.
 */
export async function createJobOf(client: ApiClient, wanted: JobOfCronJob): Promise<KubernetesObject> {
  const {namespace, cronJob: name, job} = wanted
  const cronJob = await readObject<Instance>(client, CRON_JOBS, {namespace, name})
  if (!cronJob) throw new KkError('KK_NOT_INSTALLED', `CronJob ${namespace}/${name} does not exist`)
  return client.json<KubernetesObject>({
    method: 'POST',
    path: resourcePath(JOBS, namespace),
    body: buildJob(cronJob, wanted),
    summary: requestText('create', JOBS, namespace, job),
  })
}

function buildJob(
  {metadata: {name, uid}, spec: {jobTemplate}}: Instance,
  wanted: JobOfCronJob,
): KubernetesObject {
  const {namespace, job, variables, avoidedNode} = wanted
  const {template, ...spec} = jobTemplate.spec!
  const containers = template.spec!.containers.map((container) => ({
    ...container,
    env: [
      ...(container.env ?? []).filter((each) => !(each.name in variables)),
      ...Object.entries(variables).map(([variable, value]) => ({name: variable, value})),
    ],
  }))
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      ...jobTemplate.metadata,
      name: job,
      namespace,
      ownerReferences: [{apiVersion: 'batch/v1', kind: 'CronJob', name, uid, controller: true}],
    },
    spec: {
      ...spec,
      template: {
        ...template,
        spec: {
          ...template.spec,
          containers,
          ...(avoidedNode !== undefined && {affinity: withoutNode(template.spec!.affinity, avoidedNode)}),
        },
      },
    },
  }
}

/** Returns an affinity that in addition excludes a node; each of its terms, of which one must match, does. */
function withoutNode(affinity: DeepReadonly<Affinity> | undefined, node: string): DeepReadonly<Affinity> {
  const {nodeAffinity} = affinity ?? {}
  const required = nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  const excluded = {key: 'metadata.name', operator: 'NotIn', values: [node]}
  const nodeSelectorTerms = (required?.nodeSelectorTerms ?? [{}]).map((term) => ({
    ...term,
    matchFields: [...(term.matchFields ?? []), excluded],
  }))
  return {
    ...affinity,
    nodeAffinity: {...nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms}},
  }
}
