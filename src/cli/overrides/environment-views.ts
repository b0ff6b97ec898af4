import type {EnvironmentViews, SeenPlan, SeenStatus} from '../../api/pages/views.ts'
import {KkError} from '../../base/errors.ts'
import {type Limiter, limiter} from '../../base/limiter.ts'
import {sharedFor} from '../../base/once.ts'
import type {Environment} from '../../environment/environment.ts'
import {loadEnvironment} from '../../environment/load.ts'
import type {Cluster} from '../../kubernetes/cluster.ts'
import {KK_NAMESPACE} from '../../kubernetes/lease/lease.ts'
import {runEntry} from '../../kubernetes/records/run-entry.ts'
import {fleetColumns, NOT_INSTALLED} from '../../operator/client/fleet.ts'
import {NO_LEADER, readOperatorStatus} from '../../operator/client/status.ts'
import {withNotes} from '../../plan/plan.ts'
import {helmActions} from '../../prepare/rendering/render.ts'
import {sheet} from '../../report/table.ts'
import {cacheDirectory} from '../../state/directories.ts'
import {type PlannedChange, planChange} from '../../verbs/change/planned-change.ts'
import {explainValues} from '../../verbs/explain.ts'
import {viewOf} from '../../verbs/graph.ts'
import {loggedEvents} from '../../verbs/in-cluster/follow-run.ts'
import {drift} from '../../verbs/observation/drift-of.ts'
import {releaseHistory, runHistory} from '../../verbs/observation/history.ts'
import {statusReader} from '../../verbs/observation/status.ts'
import {secretPathsOf} from '../../verbs/overrides/override-base.ts'
import {previewChange} from '../../verbs/preview.ts'
import {type OpenedCluster, openChosenCluster, openUsersHelm} from '../open/cluster.ts'
import {
  prepareEnvironment,
  prepareForGraph,
  prepareIfUsable,
  prepareUsable,
  unstatedFacts,
} from '../open/open.ts'
import {openSecrets, withReadableSecrets} from '../open/secrets.ts'
import {storeHistory} from '../open/store.ts'
import type {ServeFlags} from './flags.ts'

/**
 * How long the environment is not read again for its status, in milliseconds: the file, the charts and the
 * store of overrides are read at most this often, however many pages are open.
 */
const ENVIRONMENT_MS = 30_000
/** How long one state of the cluster is shown to all pages, in milliseconds. */
const STATUS_MS = 2_000
/** The number of plans, comparisons and explanations that are computed at once: each starts helms. */
const MAX_WORK = 2

/** The views of an environment, for `await using`, which closes their cluster. */
type OpenedViews = EnvironmentViews & AsyncDisposable

interface Sources {
  readonly flags: ServeFlags
  /** Reads the environment file again, unless it was standard input. */
  readonly environment: () => Promise<Environment>
  readonly cluster: () => Promise<OpenedCluster>
  readonly atOnce: Limiter
}

/**
 * Returns what the pages of `kk serve` show of an environment, by the same verbs as the commands of these
 * names. The cluster is opened on first use; one that does not answer is tried again by the next request.
 */
export function environmentViews(flags: ServeFlags, served: Environment): OpenedViews {
  let opened: Promise<OpenedCluster> | undefined
  const cluster = sharedFor(Number.POSITIVE_INFINITY, () => {
    opened = openChosenCluster(flags, served)
    return opened
  })
  const environment = async () => (served.file === '-' ? served : loadEnvironment({file: served.file}))
  const sources: Sources = {flags, environment, cluster, atOnce: limiter(MAX_WORK)}
  const owner = {owner: served.name, environment: served}
  return {
    name: served.name,
    file: served.file,
    graph: sharedFor(ENVIRONMENT_MS, async () =>
      viewOf(await prepareForGraph(await environment(), flags), []),
    ),
    status: statusView(sources),
    plan: sharedFor(0, () => sources.atOnce(() => planView(sources))),
    drift: sharedFor(0, () => sources.atOnce(() => driftView(sources))),
    runs: async (of) => runHistory((await cluster()).runs, of === 'all' ? {} : owner),
    run: async (id) => runView(await cluster(), id),
    revisions: async (release) => releaseHistory(await cluster(), release, owner),
    values: (release, options) => sources.atOnce(() => valuesView(sources, {release, ...options})),
    fleet: async (palette) => fleetView(await cluster(), palette),
    async [Symbol.asyncDispose]() {
      await (await opened?.catch(() => undefined))?.close()
    },
  }
}

/** Each record is downloaded once while the environment is not read again. */
function statusView({flags, environment, cluster}: Sources): () => Promise<SeenStatus> {
  const reader = sharedFor(ENVIRONMENT_MS, async () => {
    const prepared = await prepareUsable(await environment(), flags, {cluster})
    const subject = {owner: prepared.environment.name, prepared, names: []}
    const opened = await cluster()
    return statusReader(await withReadableSecrets(subject, flags, opened), opened)
  })
  return sharedFor(STATUS_MS, async () => {
    const read = await reader()
    const report = await read()
    return {context: (await cluster()).context, at: new Date(), report}
  })
}

/** As `kk plan`: shows the plan also if its checks refuse it. */
async function planView(sources: Sources): Promise<SeenPlan> {
  const {flags, environment} = sources
  const cluster = await sources.cluster()
  const prepared = await prepareEnvironment(await environment(), flags, {cluster: sources.cluster})
  const supplied = await openSecrets(prepared, flags, cluster)
  const scope = {names: [], install: true, showForeign: true, showMissing: true}
  const notes: string[] = []
  const planned = await planChange(supplied, cluster, {scope, waits: false, say: (line) => notes.push(line)})
  const checks = await checksOf(planned, cluster, flags).catch((problem: unknown) => ({problem}))
  return {plan: notes.length === 0 ? planned.plan : withNotes(planned.plan, notes), checks}
}

async function checksOf(
  planned: PlannedChange,
  cluster: Cluster,
  flags: ServeFlags,
): Promise<SeenPlan['checks']> {
  planned.expectStated()
  return previewChange(planned, {
    cluster,
    helm: helmActions(planned.plan).length === 0 ? undefined : await openUsersHelm(flags, cluster),
    cache: cacheDirectory(process.env),
    rendersCached: false,
    forceVersion: false,
    onRendered: () => undefined,
  })
}

async function driftView({flags, environment, cluster}: Sources) {
  const notes: string[] = []
  const current = await environment()
  const prepared = await prepareIfUsable(current, flags, (line) => notes.push(line))
  const request = {names: [], owner: current.name, environment: current, prepared}
  return {drifts: await drift(await cluster(), request), notes}
}

async function runView(cluster: Cluster, id: string) {
  const record = await cluster.runs.read(id)
  if (!record) {
    throw new KkError('KK_NO_RUN', `the cluster has no record of a run ${id}`, {
      hint: 'the last 50 runs of each environment are kept; see the history',
    })
  }
  return {record: await runEntry(record), events: await loggedEvents(cluster, {id, namespace: KK_NAMESPACE})}
}

interface ValuesRequest {
  readonly release: string
  readonly all: boolean
  readonly showSecrets: boolean
}

/** As `kk values explain`: facts come from the cluster only if the command line names one. */
async function valuesView({flags, environment}: Sources, {release, all, showSecrets}: ValuesRequest) {
  const notes: string[] = []
  const current = await environment()
  await using unstated = unstatedFacts(flags, current, (line) => notes.push(line))
  const prepared = await prepareEnvironment(current, flags, unstated)
  const explained = await explainValues(prepared, await openUsersHelm(flags), {
    release,
    overridden: !all,
    showSecrets,
    historyOf: storeHistory(flags, current),
    secretPaths: secretPathsOf(prepared.plugins),
  })
  return {...explained, notes}
}

async function fleetView(cluster: Cluster, palette: Parameters<EnvironmentViews['fleet']>[0]) {
  const {installed, leader, environments} = await readOperatorStatus(cluster)
  const {context} = cluster
  if (!installed) return {context, notes: [NOT_INSTALLED.trim()], table: undefined}
  return {
    context,
    notes: leader === null ? [palette.bad(NO_LEADER)] : [],
    table: sheet(environments, fleetColumns(cluster.leases.now(), palette)),
  }
}
