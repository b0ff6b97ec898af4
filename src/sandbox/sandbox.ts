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
