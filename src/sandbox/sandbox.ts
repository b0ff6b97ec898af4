export const DEFAULT_SANDBOX = 'kk'

/** The name of the all-in-one node, which has real pods; `kk aio` starts and stops it. */
export const NODE_NAME = 'aio'

/** Returns the command that starts and stops this sandbox. */
export function commandOf(name: string): 'kk aio' | 'kk sandbox' {
  return name === NODE_NAME ? 'kk aio' : 'kk sandbox'
}

/** A throwaway cluster that runs on this machine. */
export interface Sandbox {
  readonly name: string
  /** The path of a separate kubeconfig with only this context. */
  readonly kubeconfig: string
  readonly context: string
  /** The API server's address, on loopback. */
  readonly server: string
  /** The version of Kubernetes, such as `v1.36.3`. */
  readonly kubernetes: string
  /** The number of nodes it was started with. */
  readonly nodes: number
  /** The audit log: every request to the API server except watches, one JSON object per line. */
  readonly auditLog: string
}

/** Returns the name of the only context in a sandbox's kubeconfig. */
export function sandboxContext(name: string): string {
  return `sandbox-${name}`
}
