import {expect, inject} from 'vitest'
import {kk, kubectl, nodeUp} from '../../aio/support/node.ts'
import {client} from './client.ts'
import {CLOUD} from './environment.ts'
import {pushImages} from './images.ts'
import {isAtNextRelease, isUpgraded, upgradeCloud} from './next-release.ts'
import {phase} from './phase.ts'

export const NAMESPACE = 'openstack'

/**
 * The node, the images and the cloud of `environments/cloud.yaml`, and a client in it; what stands already
 * stays. In a run at the next release of OpenStack the cloud is upgraded to it, unless it was.
 */
export async function cloudUp(): Promise<void> {
  await cloudDeployed()
  if (isAtNextRelease && !(await isUpgraded())) await upgradeCloud()
}

/** The same cloud without the upgrade. A cloud on a node that was up is taken as it is. */
export async function cloudDeployed(): Promise<void> {
  if (inject('aio').isFound && (await serving('keystone')).length > 0) return client()
  await phase('node up', nodeUp)
  // Other files of a run at the next release find the cloud upgraded, and no database goes back.
  if (isAtNextRelease && (await isUpgraded())) return client()
  await pushImages()
  // A deploy would undo what the tests of Tempest, which run at the same time, set with --set.
  const isDeployed = (await onCloud(['status', CLOUD])).exitCode === 0
  if (!isDeployed) await phase('cloud deployed', () => succeed(['deploy', CLOUD, '--yes']))
  await phase('first token', client)
}

/** Runs a command of kk on the node; resolves with what it printed. */
export async function succeed(args: readonly string[]): Promise<string> {
  const {stdout, stderr, exitCode} = await onCloud(args)
  expect(exitCode, `${stdout}\n${stderr}`).toBe(0)
  return stdout
}

/** The same, whatever becomes of it. */
export function onCloud(args: readonly string[]) {
  return kk([...args, '--sandbox-name', 'aio'])
}

/** A pod, as far as the tests look at it. */
export interface Pod {
  readonly metadata: {
    readonly name: string
    readonly uid: string
    readonly creationTimestamp: string
    readonly labels: Readonly<Record<string, string>>
    readonly deletionTimestamp?: string
    readonly ownerReferences?: readonly {readonly kind: string}[]
  }
  readonly spec: {readonly containers: readonly {readonly image: string}[]}
  readonly status: {
    readonly containerStatuses?: readonly {
      readonly state: {
        readonly running?: {readonly startedAt: string}
        readonly terminated?: {readonly startedAt: string; readonly finishedAt: string}
      }
    }[]
  }
}

/** The ids of pods, sorted: another id is another pod. */
export function uids(pods: readonly Pod[]): readonly string[] {
  return pods.map(({metadata}) => metadata.uid).sort()
}

/** Those of all releases but Keystone. */
export function ofOthers(pods: readonly Pod[]): readonly Pod[] {
  return pods.filter(({metadata}) => metadata.labels['app.kubernetes.io/instance'] !== 'keystone')
}

/** The pods that serve, of one release or of all: not those of jobs and tests. */
export async function serving(release?: string, namespace = NAMESPACE): Promise<readonly Pod[]> {
  return (await podsOf(release, namespace)).filter(
    ({metadata}) =>
      metadata.deletionTimestamp === undefined &&
      metadata.ownerReferences?.some(({kind}) => kind === 'ReplicaSet' || kind === 'StatefulSet'),
  )
}

/** All pods, of one release or of all. */
export async function podsOf(release?: string, namespace = NAMESPACE): Promise<readonly Pod[]> {
  const labels = release === undefined ? [] : ['--selector', `app.kubernetes.io/instance=${release}`]
  const listed = await kubectl(['get', 'pods', '--namespace', namespace, ...labels, '--output', 'json'])
  return (JSON.parse(listed) as {readonly items: readonly Pod[]}).items
}
