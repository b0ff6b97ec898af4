import type {ApiClient} from '../api/client.ts'
import type {Discovery} from '../api/discovery.ts'

/** Who waits in a pod, and whom it asks. */
export interface Asker {
  readonly client: ApiClient
  readonly discovery: Discovery
  /** Of the pod that waits. */
  readonly namespace: string
  readonly pod: string | undefined
}
