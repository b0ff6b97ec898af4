import {KkError} from '../errors.ts'
import {runningComponents} from './control-plane/components.ts'
import {type SandboxPaths, sandboxPaths} from './paths.ts'
import {readRecord} from './record.ts'

type Environment = Readonly<Record<string, string | undefined>>

export const DEFAULT_SANDBOX = 'kk'

/** A throwaway cluster that runs on this machine. */
export interface Sandbox {
  readonly name: string
  /** A file of its own, with this one context. */
  readonly kubeconfig: string
  readonly context: string
  /** The API server's address, on loopback. */
  readonly server: string
  /** E.g. `v1.36.3`. */
  readonly kubernetes: string
  /** How many nodes it was started with. */
  readonly nodes: number
  /** Every request to the API server but watches, one JSON object per line. */
  readonly auditLog: string
}

/** The sandbox if all of its control plane runs, else undefined. Costs a few file reads. */
export async function runningSandbox(paths: SandboxPaths): Promise<Sandbox | undefined> {
  const sandbox = await readRecord(paths)
  if (!sandbox) return undefined
  const {missing} = await runningComponents(paths)
  return missing.length === 0 ? sandbox : undefined
}

/** The running sandbox for commands with `--sandbox`; throws `KK_SANDBOX` when it does not run. */
export async function requireSandbox(name: string, env: Environment): Promise<Sandbox> {
  const sandbox = await runningSandbox(sandboxPaths(name, env))
  if (sandbox) return sandbox
  const flag = name === DEFAULT_SANDBOX ? '' : ` --sandbox-name ${name}`
  throw new KkError('KK_SANDBOX', `the sandbox ${name} does not run`, {
    hint: `start it with "kk sandbox up${flag}"`,
  })
}
