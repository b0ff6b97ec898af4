import {kubectl, type Target} from '../control-plane/kubectl.ts'
import type {LocalNode} from './local-node.ts'
import {waitUntil} from './wait.ts'

const READY = 'jsonpath={.status.conditions[?(@.type=="Ready")].status}'
const RENEWED = 'jsonpath={.spec.renewTime}'

interface WaitOptions {
  readonly signal?: AbortSignal | undefined
  /**
   * The time, in milliseconds since the epoch, after which the kubelet must have reported: Kubernetes keeps
   * the last report of a lost node for as long as its Lease lasts.
   */
  readonly since?: number
}

/** Polls until a node is Ready, at most a minute. */
export async function waitForNode(
  {name, paths}: LocalNode,
  target: Target,
  {signal, since}: WaitOptions,
): Promise<void> {
  const read = (kind: string, output: string, ...where: readonly string[]) =>
    kubectl(target, ['get', kind, name, '--ignore-not-found', '--output', output, ...where])
  const hasReported = async () => {
    if (since === undefined) return true
    return Date.parse(await read('lease', RENEWED, '--namespace', 'kube-node-lease')) >= since
  }
  const isReady = async () => (await hasReported()) && (await read('node', READY)) === 'True'
  await waitUntil(paths, {part: 'kubelet', until: `${name} is Ready`, signal}, isReady)
}
