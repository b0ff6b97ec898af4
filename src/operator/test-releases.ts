import type {Prepared} from '../prepare/prepare.ts'
import {startRun} from '../verbs/change/start-run.ts'
import {planTests, testTasks} from '../verbs/observation/test.ts'
import type {ClusterConnection} from './cluster-connections.ts'
import type {ObservedReleases} from './condition-inputs.ts'
import type {EnvironmentObject} from './crds/environment.ts'
import {requestedRetry} from './decision.ts'
import {findLongestActionMs, followRun} from './follow-run.ts'
import type {ReconcileContext} from './reconcile-context.ts'

interface Tested extends ObservedReleases {
  readonly prepared: Prepared
  readonly environment: EnvironmentObject
}

/**
 * Runs the tests of all installed releases, as `kk test` does, and keeps the result in the status. Throws
 * transient failures.
 */
export async function testReleases(
  {planned, releases, prepared, environment}: Tested,
  {cluster, helm}: ClusterConnection,
  {statusWriter, interruption, heartbeat}: ReconcileContext,
): Promise<void> {
  const plan = await planTests(prepared, cluster, {names: []})
  const events = startRun({
    ...{plan, ports: {cluster, helm}, interruption, unrecorded: true, isOperator: true},
    ...{concurrency: undefined, failFast: false, noWait: false},
    account: {verb: 'test', scope: {names: [], install: false}},
    tasks: testTasks(plan, prepared.environment),
  })
  const {run, failure} = await followRun(events, {
    ...{
      interruption,
      heartbeat,
      longestActionMs: findLongestActionMs(prepared.environment.releases.values()),
    },
    onState: (test) => statusWriter.writeDebounced({kind: 'testing', planned, releases, test}),
  })
  // After an interruption the next reconciliation tests again.
  if (failure === undefined && run.finished?.outcome !== 'succeeded') return
  const {state} = planned
  const memory =
    failure === undefined
      ? {tested: {state}}
      : {
          tested: {state, failure: `tests: ${failure}`.slice(0, MAX_FAILURE)},
          retried: requestedRetry(environment.metadata),
        }
  await statusWriter.write({kind: 'testing', planned, releases, test: run}, memory)
}

/** The limit of the CRD, in characters. */
const MAX_FAILURE = 1024
