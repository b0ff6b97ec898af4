import {expect} from 'vitest'
import type {Values} from '../../../src/base/values.ts'
import {waitFor} from '../../e2e/support/cluster.ts'
import {type Pod, podsOf, serving, uids} from './cloud.ts'
import {answersDuring} from './steady-client.ts'

/** The release of OpenStack to which those of `environments/cloud.yaml` may be upgraded. */
export const NEXT = '2026.1-debian-trixie'

/** The images of what the service stands on, in every cloud that is upgraded. */
export const SHARED_IMAGES = ['mariadb-server', 'rabbitmq', 'memcached', 'toolbox', 'kk']

/** The sections of networks, in the API and on the node. */
export const NETWORKS = {
  openvswitch: {},
  ovn: {},
  neutron: {
    conf: {
      neutron_server_uwsgi: {uwsgi: {processes: 1}},
      // As `environments/cloud.yaml` has it: a switch that is no part of the kernel.
      ml2: {ovn: {ovn_emit_need_to_frag: false}},
    },
  },
} satisfies Values

export const NETWORK_IMAGES = ['openvswitch-vswitchd', 'ovn-northd', 'ovn-controller']

/** The names of a service's images in both releases. */
export function inBoth(...images: readonly string[]): readonly string[] {
  return images.flatMap((image) => [image, `${image}-2026.1`])
}

/** The tags of the images that pods run, each once. */
export function tagsOf(pods: readonly Pod[]): readonly string[] {
  return [...new Set(pods.map(({spec}) => spec.containers[0]!.image.replace(/.*:/, '')))]
}

interface Change {
  readonly namespace: string
  readonly release: string
}

/**
 * Does what replaces all pods of a release, until none of the old ones is left; resolves with what the steady
 * client of the namespace saw that was no answer.
 */
export async function failuresDuring(
  {namespace, release}: Change,
  change: () => Promise<unknown>,
): Promise<readonly string[]> {
  const old = uids((await serving(release, namespace)).filter(hasRun))
  const answers = await answersDuring(namespace, async () => {
    await change()
    await waitFor(
      async () => {
        const now = (await podsOf(release, namespace)).filter(({metadata}) => old.includes(metadata.uid))
        return now.length === 0
      },
      {until: 'the old pods are gone', seconds: 120},
    )
  })
  expect(answers.length).toBeGreaterThan(20)
  process.stderr.write(`${release}: ${answers.length} calls\n`)
  return answers.filter((answer) => answer !== 'answered')
}

/**
 * Tells whether a pod's container was ever started: those of an upgrade that was refused wait until it comes
 * again.
 */
function hasRun({status}: Pod): boolean {
  const {running, terminated} = status.containerStatuses?.[0]?.state ?? {}
  return running !== undefined || terminated !== undefined
}

/** Expects that what a release has on the node runs by images of the next release of OpenStack. */
export async function expectOnNode({namespace, release}: Change): Promise<void> {
  const pods = (await podsOf(release, namespace)).filter(({metadata}) =>
    metadata.ownerReferences?.some(({kind}) => kind === 'DaemonSet'),
  )
  expect(tagsOf(pods)).toEqual([NEXT])
}

/**
 * When something ran, in milliseconds; of what goes on running, when its first and its last pod were started.
 */
interface Step {
  readonly begun: number
  readonly ended: number
}

/** The components and jobs of a release that ran by images of the next release of OpenStack. */
async function stepsOf({namespace, release}: Change): Promise<ReadonlyMap<string, Step>> {
  const pods = (await podsOf(release, namespace)).filter(({spec}) =>
    spec.containers[0]!.image.endsWith(`:${NEXT}`),
  )
  const named = Map.groupBy(pods, ({metadata}) => metadata.labels['app.kubernetes.io/component']!)
  return new Map(
    [...named].map(([name, each]) => [
      name,
      {
        begun: Math.min(...each.map((pod) => Date.parse(timesOf(pod).startedAt))),
        ended: Math.max(...each.map((pod) => Date.parse(timesOf(pod).finishedAt))),
      },
    ]),
  )
}

function timesOf({metadata, status}: Pod): {readonly startedAt: string; readonly finishedAt: string} {
  const {running, terminated} = status.containerStatuses![0]!.state
  if (terminated) return terminated
  if (running) return {...running, finishedAt: running.startedAt}
  throw new Error(`${metadata.name} has not been started`)
}

/** Expects that of these components and jobs each was begun when the one before it had ended. */
export async function expectInTurn(change: Change, names: readonly string[]): Promise<void> {
  const steps = await stepsOf(change)
  for (const [index, name] of names.slice(1).entries()) {
    const [before, after] = [steps.get(names[index]!), steps.get(name)]
    expect(before, names[index]).toBeDefined()
    expect(after?.begun, `${names[index]}, then ${name}`).toBeGreaterThanOrEqual(before!.ended)
  }
}
