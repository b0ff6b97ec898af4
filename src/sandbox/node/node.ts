import type {Sandbox} from '../sandbox.ts'

/** The all-in-one node that runs on this machine. */
export interface Node extends Sandbox {
  /** The machine's address for pods. NodePorts are also reachable here. */
  readonly address: string
  /** The address of the image registry for this machine. */
  readonly registry: string
  /** The address of the image registry for pods. */
  readonly registryForPods: string
}
