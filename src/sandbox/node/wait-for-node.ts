import {kubectl, type Target} from '../control-plane/kubectl.ts'
import type {LocalNode} from './local-node.ts'
import {waitUntil} from './wait.ts'

const READY = 'jsonpath={.status.conditions[?(@.type=="Ready")].status}'

/** Polls until a node is Ready, at most a minute. */
export async function waitForNode(
  {name, paths}: LocalNode,
  target: Target,
  {signal}: {readonly signal?: AbortSignal | undefined},
): Promise<void> {
  const args = ['get', 'node', name, '--ignore-not-found', '--output', READY]
  const isReady = async () => (await kubectl(target, args)) === 'True'
  await waitUntil(paths, {part: 'kubelet', until: `${name} is Ready`, signal}, isReady)
}
