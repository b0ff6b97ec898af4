import {randomBytes} from 'node:crypto'
import type {Pod} from 'kubernetes-types/core/v1.js'
import {isApiError} from './api/api-error.ts'
import type {ApiClient} from './api/client.ts'
import {listAll} from './api/list.ts'
import {JOBS, PODS, requestText, resourcePath} from './api/resources.ts'
import type {Served} from './api/served.ts'
import {reviewAccess} from './permissions/access.ts'

/**
 * The images that pods of one kind will need, their namespace, and the placement and credentials of the pods.
 */
export interface ImagePull {
  readonly namespace: string
  /** The images, in the order in which they are needed. */
  readonly images: readonly {readonly image: string; readonly policy?: string}[]
  /** `nodeSelector`, `tolerations`, `imagePullSecrets` of the pods. */
  readonly placement: Readonly<Record<string, unknown>>
}

/** The progress of a pull. */
export interface PullProgress {
  /** The number of images, each counted once per node. */
  readonly wanted: number
  readonly pulled: number
}

/** A pull that is in progress. */
export interface PullInProgress {
  progress(): Promise<PullProgress>
  /** Deletes the pods that pulled; the images stay on the nodes. */
  end(): Promise<void>
}

export interface ImagePulls {
  /** Returns whether the user may pre-pull images in a namespace. */
  may(namespace: string): Promise<boolean>
  /** Starts one pod on each node, whose containers need the images and run nothing. */
  begin(pull: ImagePull, nodes: number): Promise<PullInProgress>
}

export function imagePulls(client: ApiClient): ImagePulls {
  return {
    may: (namespace) => may(client, namespace),
    begin: (pull, nodes) => begin(client, pull, nodes),
  }
}

async function may(client: ApiClient, namespace: string): Promise<boolean> {
  const jobs = ['create', 'delete'].map((verb) => ({group: 'batch', resource: 'jobs', verb, namespace}))
  const pods = {group: '', resource: 'pods', verb: 'list', namespace}
  return (await reviewAccess(client, [...jobs, pods])).every(Boolean)
}

async function begin(client: ApiClient, pull: ImagePull, nodes: number): Promise<PullInProgress> {
  const {namespace} = pull
  const name = `kk-pull-${randomBytes(4).toString('hex')}`
  await client.json({
    method: 'POST',
    path: resourcePath(JOBS, namespace),
    body: pullJob(name, pull, nodes),
    summary: requestText('create', JOBS, namespace, name),
  })
  return {
    progress: () => progress(client, name, pull, nodes),
    end: () => end(client, namespace, name),
  }
}

/** Returns the progress of a pull. The container of a pulled image has its ID, or was started. */
async function progress(
  client: ApiClient,
  name: string,
  {namespace, images}: ImagePull,
  nodes: number,
): Promise<PullProgress> {
  const {items} = await listAll<Served<Pod>>(client, {
    path: resourcePath(PODS, namespace),
    query: {labelSelector: `${PULL_LABEL}=${name}`},
    summary: requestText('list', PODS, namespace),
  })
  const statuses = items.flatMap(({status}) => status?.containerStatuses ?? [])
  const pulled = statuses.filter(({imageID, state}) => imageID || state?.terminated || state?.running)
  return {wanted: images.length * nodes, pulled: pulled.length}
}

async function end(client: ApiClient, namespace: string, name: string): Promise<void> {
  try {
    await client.json({
      method: 'DELETE',
      path: resourcePath(JOBS, namespace, name),
      body: {propagationPolicy: 'Background'},
      summary: requestText('delete', JOBS, namespace, name),
    })
  } catch (error) {
    if (!isApiError(error, 404)) throw error
  }
}

const PULL_LABEL = 'kk.openstack.org/pull'

/** The deadline of the Job, so that it ends even if kk was killed. */
const DEADLINE_SECONDS = 1800
const TTL_SECONDS = 60

/**
 * A command that no image has: the kubelet pulls the image, fails to start the container, and continues with
 * the next.
 */
const MISSING_COMMAND = '/kk/nothing-to-run'

/**
 * Returns a Job with one pod on each of `nodes` nodes. Its containers never run, so an image only has to
 * exist; the pod has no token and minimal rights.
 */
function pullJob(name: string, {namespace, images, placement}: ImagePull, nodes: number): object {
  const labels = {[PULL_LABEL]: name}
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {name, namespace, labels},
    spec: {
      ...{parallelism: nodes, completions: nodes, backoffLimit: 0},
      ...{activeDeadlineSeconds: DEADLINE_SECONDS, ttlSecondsAfterFinished: TTL_SECONDS},
      template: {
        metadata: {labels},
        spec: {
          ...placement,
          ...{restartPolicy: 'Never', terminationGracePeriodSeconds: 0},
          ...{automountServiceAccountToken: false, enableServiceLinks: false},
          securityContext: {runAsNonRoot: true, runAsUser: 65534, seccompProfile: {type: 'RuntimeDefault'}},
          affinity: {
            podAntiAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: [
                {topologyKey: 'kubernetes.io/hostname', labelSelector: {matchLabels: labels}},
              ],
            },
          },
          containers: images.map(({image, policy}, at) => ({
            name: `image-${at}`,
            image,
            ...(policy !== undefined && {imagePullPolicy: policy}),
            command: [MISSING_COMMAND],
            securityContext: {
              ...{allowPrivilegeEscalation: false, readOnlyRootFilesystem: true},
              capabilities: {drop: ['ALL']},
            },
          })),
        },
      },
    },
  }
}
