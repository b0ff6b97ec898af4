export const DEFAULT_SANDBOX = 'kk'

/** The name of the all-in-one node: its pods are real, and `kk aio` starts and ends it. */
export const NODE_NAME = 'aio'

/** Returns the command that starts and ends this sandbox. */
export function commandOf(name: string): 'kk aio' | 'kk sandbox' {
  return name === NODE_NAME ? 'kk aio' : 'kk sandbox'
}

/** A throwaway cluster that runs on this machine. */
export interface Sandbox {
  readonly name: string
  /** A kubeconfig of its own, with this one context. */
  readonly kubeconfig: string
  readonly context: string
  /** The API server's address, on loopback. */
  readonly server: string
  /** The version of Kubernetes, such as `v1.36.3`. */
  readonly kubernetes: string
  /** The number of nodes that it was started with. */
  readonly nodes: number
  /** The audit log: every request to the API server but watches, one JSON object per line. */
  readonly auditLog: string
}

/** Returns the name of the one context in the kubeconfig of a sandbox. */
export function sandboxContext(name: string): string {
  return `sandbox-${name}`
}
