import {withLock} from '../state/lock.ts'
import {type CreateOptions, createControlPlane, startComponents} from './control-plane/create.ts'
import {kubectl, serverVersion} from './control-plane/kubectl.ts'
import {firstObjects} from './control-plane/objects.ts'
import {sandboxPaths} from './paths.ts'
import {provideTools} from './programs/provide.ts'
import {writeRecord} from './record.ts'
import {removeSandbox} from './remove.ts'
import {requireSimulated} from './require-simulated.ts'
import {findSandbox, lostSandbox, refuseBroken} from './running.ts'
import type {Sandbox} from './sandbox.ts'

export interface UpOptions {
  readonly name: string
  /** The number of nodes of a new sandbox. */
  readonly nodes: number
  readonly env: NodeJS.ProcessEnv
  /** Whether a sandbox that was up is restarted with its data; otherwise the start is rejected. */
  readonly restart?: boolean
  /** Called with one short line per step. */
  readonly onProgress?: (line: string) => void
  /** Aborts a start. Everything started is removed before the promise rejects. */
  readonly signal?: AbortSignal
}

export interface UpResult {
  readonly outcome: 'started' | 'restarted' | 'already-running'
  readonly sandbox: Sandbox
}

/**
 * Starts the sandbox with this name unless it runs. Removes the remains of a killed `up` of a sandbox that
 * never came up; one that was up is never removed. Rejects with `KK_TOOLBOX` if binaries are missing, with
 * `KK_SANDBOX` and the last lines of the logs if it does not start, and with `KK_SANDBOX_BROKEN` if it was up
 * and is not, or cannot be, restarted.
 */
export async function up(options: UpOptions): Promise<UpResult> {
  const {name, nodes, env, signal, restart = false, onProgress = () => {}} = options
  requireSimulated(name)
  const paths = sandboxPaths(name, env)
  const start = async (): Promise<UpResult> => {
    const status = await findSandbox(paths)
    if (status.state === 'running') return {outcome: 'already-running', sandbox: status.sandbox}
    if (status.state === 'lost') throw lostSandbox('KK_SANDBOX_BROKEN', name, status.why)
    if (status.state === 'broken' && !restart) throw refuseBroken(name, status.missing)
    const tools = await provideTools({env, onProgress, signal})
    if (status.state === 'broken') {
      await restartControlPlane({paths, tools, env, onProgress, signal}, status.missing)
      return {outcome: 'restarted', sandbox: status.sandbox}
    }
    if (await removeSandbox(paths)) onProgress('removed the remains of an earlier start')
    try {
      return {
        outcome: 'started',
        sandbox: await startControlPlane({paths, tools, nodes, env, onProgress, signal}),
      }
    } catch (error) {
      await removeSandbox(paths)
      throw error
    }
  }
  return withLock(paths.lock, start, {
    signal,
    onWait: ({pid}) => onProgress(`process ${pid} is starting or stopping ${name}; waiting`),
  })
}

/** Returns the sandbox with this name, and starts it if needed: for `--sandbox` of commands that deploy. */
export async function ensureSandbox(options: UpOptions): Promise<Sandbox> {
  return (await up(options)).sandbox
}

interface RestartOptions extends CreateOptions {
  readonly onProgress: (line: string) => void
}

interface StartOptions extends RestartOptions {
  readonly nodes: number
}

const READY = ['wait', '--for=condition=Ready', 'nodes', '--all', '--timeout=60s']

/** Starts all parts of a sandbox, none of which may exist, and waits until its nodes are Ready. */
async function startControlPlane(options: StartOptions): Promise<Sandbox> {
  const {paths, tools, nodes, env, onProgress, signal} = options
  onProgress('starting etcd, API server, controllers, scheduler and kwok')
  const {server, context} = await createControlPlane(options, 'simulated')

  onProgress(`adding ${nodes} node${nodes === 1 ? '' : 's'} and storage`)
  const target = {binary: tools.kubectl, kubeconfig: paths.kubeconfig, env}
  const input = JSON.stringify(firstObjects(nodes))
  await kubectl(target, ['create', '--validate=ignore', '--filename', '-'], {input, signal})
  const [kubernetes] = await Promise.all([serverVersion(target, signal), kubectl(target, READY, {signal})])

  const {name, kubeconfig, auditLog} = paths
  const sandbox = {name, kubeconfig, context, server, kubernetes, nodes, auditLog}
  await writeRecord(paths, sandbox)
  return sandbox
}

/**
 * Restarts the exited components of a sandbox with its data, addresses and certificates, until its nodes are
 * Ready.
 */
async function restartControlPlane(options: RestartOptions, missing: readonly string[]): Promise<void> {
  const {paths, tools, env, onProgress, signal} = options
  onProgress(`restarting ${missing.join(', ')}; everything deployed is kept`)
  await startComponents(options, missing)
  await kubectl({binary: tools.kubectl, kubeconfig: paths.kubeconfig, env}, READY, {signal})
}
