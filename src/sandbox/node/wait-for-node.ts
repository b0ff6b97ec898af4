import {readFile} from 'node:fs/promises'
import {kubectl, type Target} from '../control-plane/kubectl.ts'
import {tail} from '../control-plane/tail.ts'
import type {LocalNode} from './local-node.ts'
import {kubelet} from './parts/kubelet.ts'
import {logFile, startPart} from './parts/start-part.ts'
import {waitUntil} from './wait.ts'

const READY = 'jsonpath={.status.conditions[?(@.type=="Ready")].status}'
const RENEWED = 'jsonpath={.spec.renewTime}'

interface WaitOptions {
  readonly signal?: AbortSignal | undefined
  /** The binary of the kubelet. */
  readonly kubelet: string
  /**
   * The time, in milliseconds since the epoch, after which the kubelet must have reported: Kubernetes keeps
   * the last report of a lost node for as long as its Lease lasts.
   */
  readonly since?: number
}

/** Polls until a node is Ready, at most a minute. */
export async function waitForNode(
  node: LocalNode,
  target: Target,
  {signal, kubelet: binary, since}: WaitOptions,
): Promise<void> {
  const {name, paths} = node
  const read = (kind: string, output: string, ...where: readonly string[]) =>
    kubectl(target, ['get', kind, name, '--ignore-not-found', '--output', output, ...where])
  const hasReported = async () => {
    if (since === undefined) return true
    return Date.parse(await read('lease', RENEWED, '--namespace', 'kube-node-lease')) >= since
  }
  const isReady = async () => (await hasReported()) && (await read('node', READY)) === 'True'
  const wait = {part: 'kubelet', until: `${name} is Ready`, signal, restart: () => restartEarly(node, binary)}
  await waitUntil(paths, wait, isReady)
}

/**
 * Starts the kubelet again if it was too early, as systemd would: containerd accepts connections before it
 * has recovered its containers, and the kubelet exits then. Returns whether it was.
 */
async function restartEarly(node: LocalNode, binary: string): Promise<boolean> {
  const text = await readFile(logFile(node.paths, 'kubelet'), 'utf8').catch(() => '')
  if (!tail(text, 1).some((line) => line.includes('server is not initialized yet'))) return false
  await startPart(node.paths, 'kubelet', kubelet(node, binary))
  return true
}
