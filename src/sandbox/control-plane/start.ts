import {writeRecord} from '../record.ts'
import type {Sandbox} from '../sandbox.ts'
import {type CreateOptions, createControlPlane, startComponents} from './create.ts'
import {kubectl, serverVersion} from './kubectl.ts'
import {firstObjects} from './objects.ts'

interface RestartOptions extends CreateOptions {
  readonly onProgress: (line: string) => void
}

interface StartOptions extends RestartOptions {
  readonly nodes: number
}

const READY = ['wait', '--for=condition=Ready', 'nodes', '--all', '--timeout=60s']

/** Starts all of a sandbox where nothing of it is left, and waits until its nodes are Ready. */
export async function startControlPlane(options: StartOptions): Promise<Sandbox> {
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

/** Starts what has ended of a sandbox that was up, with its data, addresses and certificates, and waits until its nodes are Ready. */
export async function restartControlPlane(
  options: RestartOptions,
  missing: readonly string[],
): Promise<void> {
  const {paths, tools, env, onProgress, signal} = options
  onProgress(`starting ${missing.join(', ')} again; what was deployed is kept`)
  await startComponents(options, missing)
  await kubectl({binary: tools.kubectl, kubeconfig: paths.kubeconfig, env}, READY, {signal})
}
