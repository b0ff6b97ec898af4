import {constants} from 'node:fs'
import {access, stat} from 'node:fs/promises'
import {PODS, readObject} from '../api/resources.ts'
import type {Asker} from './asker.ts'
import {isJobDone, listJobs, readJob} from './checks/jobs.ts'
import {isPodReady, listPods, type PodSeen} from './checks/pods.ts'
import {resourceProblem} from './checks/resource.ts'
import {hasEndpoint} from './checks/service.ts'
import {type Dependency, selector} from './dependency.ts'

/** Why a dependency is not there yet; undefined when it is. Rejects when the cluster cannot be asked. */
export async function missing(dependency: Dependency, asker: Asker): Promise<string | undefined> {
  const {client} = asker
  switch (dependency.kind) {
    case 'service':
      return (await hasEndpoint(client, dependency)) ? undefined : 'it has no endpoint'
    case 'job': {
      const job = await readJob(client, dependency)
      if (job === undefined) return 'it does not exist'
      return isJobDone(job) ? undefined : 'it has not succeeded'
    }
    case 'jobs': {
      const jobs = await listJobs(client, dependency.namespace, selector(dependency.labels))
      if (jobs.length === 0) return 'there are none'
      const left = jobs.filter((job) => !isJobDone(job)).length
      return left === 0 ? undefined : `${left} of ${jobs.length} have not succeeded`
    }
    case 'pod': {
      const pods = await listPods(client, dependency.namespace, selector(dependency.labels))
      return podProblem(dependency.sameNode ? onNode(pods, await ownPod(asker)) : pods)
    }
    case 'daemonset':
      return daemonSetProblem(dependency, asker)
    case 'container': {
      const own = await ownPod(asker)
      const status = own.status?.containerStatuses?.find(({name}) => name === dependency.name)
      return status?.ready ? undefined : 'it is not ready'
    }
    case 'resource':
      return resourceProblem(dependency, asker)
    case 'socket':
      return (await isReadableSocket(dependency.path)) ? undefined : 'it cannot be read'
  }
}

function podProblem(pods: readonly PodSeen[]): string | undefined {
  if (pods.length === 0) return 'there is none'
  return pods.some(isPodReady) ? undefined : `none of ${pods.length} is ready`
}

/** A node that the DaemonSet leaves out needs none of its pods. */
async function daemonSetProblem(
  {namespace, name}: {readonly namespace: string; readonly name: string},
  asker: Asker,
): Promise<string | undefined> {
  const resource = {apiVersion: 'apps/v1', kind: 'DaemonSet', plural: 'daemonsets', namespaced: true}
  const found = await readObject<{spec: {selector: {matchLabels?: Record<string, string>}}}>(
    asker.client,
    resource,
    {namespace, name},
  )
  if (found === undefined) return 'it does not exist'
  const pods = await listPods(asker.client, namespace, selector(found.spec.selector.matchLabels ?? {}))
  const here = onNode(pods, await ownPod(asker))
  return here.every(isPodReady) ? undefined : 'its pod on this node is not ready'
}

function onNode(pods: readonly PodSeen[], own: PodSeen): readonly PodSeen[] {
  return pods.filter((pod) => pod.spec.nodeName === own.spec.nodeName)
}

async function ownPod({client, namespace, pod}: Asker): Promise<PodSeen> {
  if (pod === undefined) throw new Error('POD_NAME is not set')
  const found = await readObject<PodSeen>(client, PODS, {namespace, name: pod})
  if (found === undefined) throw new Error(`the pod ${pod} does not exist in ${namespace}`)
  return found
}

async function isReadableSocket(path: string): Promise<boolean> {
  return access(path, constants.R_OK)
    .then(() => stat(path))
    .then(
      (found) => found.isSocket(),
      () => false,
    )
}
