import type {KubernetesObject} from '../../../cluster/cluster.ts'
import type {Want} from '../../../graph/inference/facts.ts'
import type {Waiter} from '../../../release.ts'
import type {NamedContainer, PodTemplate} from '../pods.ts'

/** What a rule finds in an object; who wants it is the same for all rules. */
export type StatedWant = Pick<Want, 'kind' | 'target' | 'text'>

/** An object with what rules look at. */
export interface Waiting {
  readonly object: KubernetesObject
  readonly waiter: Waiter
  /** Undefined for what makes no pods. */
  readonly template: PodTemplate | undefined
  readonly containers: readonly NamedContainer[]
  /** All that is written in it; see `textOf`. */
  readonly text: string
}
