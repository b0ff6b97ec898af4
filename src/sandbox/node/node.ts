import type {Sandbox} from '../sandbox.ts'

/** The all-in-one node that runs on this machine. */
export interface Node extends Sandbox {
  /** The machine as pods see it; NodePorts answer here, too. */
  readonly address: string
  /** The image registry, as this machine names it. */
  readonly registry: string
  /** The same registry, as pods name it. */
  readonly registryForPods: string
}
