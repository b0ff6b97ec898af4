import {asKkError} from '../../base/errors.ts'
import type {Cause} from '../../kubernetes/gate/health.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import {releaseNamespace} from '../../release.ts'
import type {Execution} from './execution.ts'
import {raced} from './races.ts'

/** How often the record of a revision is read whose gate is awaited. */
const LOOK_MILLISECONDS = 15_000

/** A revision whose health is awaited for as long as it is the one that counts. */
interface Current extends AsyncDisposable {
  /** Aborts with the run, and with `KK_RACED` once the revision has been removed or replaced. */
  readonly signal: AbortSignal
  /** Takes what is not healthy yet: what is missing may have been removed with its release. */
  look(blames: readonly Cause[]): void
  /** Returns why the gate has not passed: what stands in its way may be of a revision that somebody else made. */
  explain(error: unknown): Promise<unknown>
}

/** Reads the record of a revision, as long as its gate is awaited. */
export function whileCurrent(execution: Execution, revision: number): Current {
  const {action, clock, cluster, controls} = execution
  const {release} = action
  const replaced = new AbortController()
  const ended = new AbortController()
  const readRecord = async () => {
    const record = await cluster.records.last(release, revision)
    const isLast = record?.revision === revision && record.status === 'deployed'
    if (isLast && !(await cluster.live.isNamespaceGoing(releaseNamespace(release)))) return
    const what =
      record && !isLast ? `it is ${record.status} at revision ${record.revision}` : await wayItWent(execution)
    replaced.abort(raced(release, `${what} while the gate of revision ${revision} was awaited`))
  }
  const looking = (async () => {
    // Whoever cannot read the record goes on waiting, to the deadline.
    while (await clock.wait(LOOK_MILLISECONDS, ended.signal)) await readRecord().catch(() => undefined)
  })()
  return {
    signal: AbortSignal.any([controls.signal, replaced.signal]),
    look(blames) {
      if (blames.some(({reason}) => reason === 'NotFound')) readRecord().catch(() => undefined)
    },
    async explain(error) {
      if (asKkError(error).code !== 'KK_UNHEALTHY') return error
      // The gate itself reports a cluster that has fallen silent.
      await readRecord().catch(() => undefined)
      return replaced.signal.aborted ? replaced.signal.reason : error
    },
    async [Symbol.asyncDispose]() {
      ended.abort()
      await looking
    },
  }
}

/** Nothing of a namespace that is being deleted comes back, and its records go with it. */
async function wayItWent({action, cluster}: Execution): Promise<string> {
  const name = releaseNamespace(action.release)
  const namespace: KubernetesObject = {apiVersion: 'v1', kind: 'Namespace', metadata: {name}}
  const present = await cluster.live.present(name, [namespace]).catch(() => undefined)
  if (present?.length === 0) return `the namespace ${name} was deleted`
  return present?.some(({isGoing}) => isGoing) ? `the namespace ${name} is being deleted` : 'it is gone'
}
