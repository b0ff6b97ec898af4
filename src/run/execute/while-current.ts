import {asKkError} from '../../base/errors.ts'
import type {Cause} from '../../kubernetes/gate/health.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import {releaseNamespace} from '../../release.ts'
import type {Execution} from './execution.ts'
import {raced} from './races.ts'

/** The poll interval of the record while its gate is awaited. */
const RECORD_POLL_INTERVAL_MS = 15_000

/** A revision whose health is awaited as long as it is the current one. */
interface Current extends AsyncDisposable {
  /** Aborts with the run, and with `KK_RACED` once the revision has been removed or replaced. */
  readonly signal: AbortSignal
  /** Takes the unhealthy objects: a missing one may have been removed with its release. */
  noteCauses(causes: readonly Cause[]): void
  /** Returns why the gate has not passed: the cause may belong to a revision that another process made. */
  explain(error: unknown): Promise<unknown>
}

/** Polls the record of a revision while its gate is awaited. */
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
      record && !isLast
        ? `it is ${record.status} at revision ${record.revision}`
        : await describeDisappearance(execution)
    replaced.abort(raced(release, `${what} while the gate of revision ${revision} was awaited`))
  }
  const polling = (async () => {
    // If the record cannot be read, the wait continues until the deadline.
    while (await clock.wait(RECORD_POLL_INTERVAL_MS, ended.signal)) await readRecord().catch(() => undefined)
  })()
  return {
    signal: AbortSignal.any([controls.signal, replaced.signal]),
    noteCauses(causes) {
      if (causes.some(({reason}) => reason === 'NotFound')) readRecord().catch(() => undefined)
    },
    async explain(error) {
      if (asKkError(error).code !== 'KK_UNHEALTHY') return error
      // The gate itself reports a cluster that does not respond.
      await readRecord().catch(() => undefined)
      return replaced.signal.aborted ? replaced.signal.reason : error
    },
    async [Symbol.asyncDispose]() {
      ended.abort()
      await polling
    },
  }
}

/** Describes how the release disappeared: objects and records are deleted with their namespace. */
async function describeDisappearance({action, cluster}: Execution): Promise<string> {
  const name = releaseNamespace(action.release)
  const namespace: KubernetesObject = {apiVersion: 'v1', kind: 'Namespace', metadata: {name}}
  const present = await cluster.live.present(name, [namespace]).catch(() => undefined)
  if (present?.length === 0) return `the namespace ${name} was deleted`
  return present?.some(({isGoing}) => isGoing) ? `the namespace ${name} is being deleted` : 'it is gone'
}
