import {KkError} from '../../base/errors.ts'
import {mapParallel} from '../../base/parallel.ts'
import {type Leftover, leftovers} from '../../doctor/leftovers/leftovers.ts'
import type {Environment} from '../../environment/environment.ts'
import type {Cluster} from '../../kubernetes/cluster.ts'
import type {LiveObjects} from '../../kubernetes/objects/live-objects.ts'
import {lastRevisions} from '../../kubernetes/records/record.ts'
import type {Records} from '../../kubernetes/records/records.ts'
import type {ReleaseRecord} from '../../kubernetes/records/release-record.ts'
import {expectOwned} from '../../plan/decision/decide.ts'
import {ownersOf, readLabels} from '../../plan/labels.ts'
import type {Action, Plan} from '../../plan/plan.ts'
import {recordedChart} from '../../plan/recorded-chart.ts'
import {foreign} from '../../plan/refusals.ts'
import {visibleRevisions} from '../../prepare/visible-revisions.ts'
import type {ReleaseId} from '../../release.ts'
import type {RunEvent} from '../../run/events.ts'
import {DEFAULT_TIMEOUT_SECONDS, type PruningWork, type Task} from '../../run/task.ts'
import {type RunChoices, type RunPorts, startRun} from '../change/start-run.ts'
import {planCluster} from '../cluster-of.ts'
import {releaseOnCluster} from '../observation/release-on-cluster.ts'

export interface PruneRequest {
  /** The names on the command line; all releases of the owner if empty. */
  readonly names: readonly string[]
  /** The name of the environment. */
  readonly owner: string | undefined
  /** The environment, if a file was named. */
  readonly environment: Environment | undefined
}

/** A pruning that is ready to run. */
export interface PlannedPruning {
  readonly prunings: readonly Pruning[]
  /** The plan of the prunings that delete something. */
  readonly plan: Plan
  run(choices: RunChoices & {readonly ports: RunPorts}): AsyncIterable<RunEvent>
}

/**
 * Finds what may be pruned; changes nothing. Throws `KK_FOREIGN` and `KK_OWNER` for a release that is named
 * and does not belong to the environment, `KK_UNKNOWN_RELEASE`, `KK_NO_ENVIRONMENT` if neither releases nor
 * an environment are named, `KK_USAGE` for releases of several environments, `KK_RECORD`.
 */
export async function planPrune(cluster: Cluster, request: PruneRequest): Promise<PlannedPruning> {
  const {revisions} = await visibleRevisions(cluster, request)
  const records = chosen([...lastRevisions(revisions).values()], request)
  const environment = request.owner ?? onlyOwner(records)
  const candidates = await mapParallel(records, async (record) => ({
    ...(await findPruning(cluster, record, revisions)),
    record,
  }))
  const prunings = candidates.filter((pruning) => pruning.leftovers.length > 0)
  const effective = effectivePrunings(prunings)
  const tasks = effective.map((pruning): Task => {
    return {kind: 'prune', action: pruneAction(pruning), work: pruneWork(cluster, pruning)}
  })
  const plan: Plan = {
    environment,
    file: request.environment?.file ?? `${environment}.yaml`,
    cluster: await planCluster(cluster),
    actions: tasks.map(({action}) => action),
    bystanders: [],
  }
  return {
    prunings: prunings.map(({record: _, ...pruning}) => pruning),
    plan,
    run: (choices) =>
      startRun({
        ...choices,
        plan,
        tasks,
        // Prunings show no logs of pods.
        mask: (text) => text,
      }),
  }
}

type Reads = {readonly records: Records; readonly live: LiveObjects}

async function findPruning(
  cluster: Reads,
  {release, revision, status}: ReleaseRecord,
  revisions: readonly ReleaseRecord[],
): Promise<Pruning> {
  const pruning = {release, revision, leftovers: await leftovers(cluster, release, revisions)}
  if (status === 'deployed') return pruning
  return {...pruning, skipped: `revision ${revision} is ${status}, and may need them: deploy it first`}
}

function pruneAction({record, leftovers}: Pruning & {readonly record: ReleaseRecord}): Action<'prune'> {
  const {release, revision, labels} = record
  return {
    release,
    kind: 'prune',
    reasons: leftovers.map(({kind, name}) => `${kind}/${name} is left over`),
    chart: recordedChart(release, record),
    requires: [],
    group: [release],
    revision,
    inputs: readLabels(labels)?.inputs ?? '',
    protected: false,
  }
}

/**
 * Returns work that finds the leftovers again just before their deletion: those changed since they were shown
 * stay.
 */
function pruneWork(cluster: Reads, {release, leftovers: shown}: Pruning): PruningWork {
  const shownUids = new Set(shown.map(({uid}) => uid))
  return {
    timeoutSeconds: DEFAULT_TIMEOUT_SECONDS,
    async listDeletable() {
      const now = await leftovers(cluster, release, await cluster.records.revisions(release))
      return now.filter(({uid, kept}) => kept === undefined && shownUids.has(uid))
    },
  }
}

function chosen(records: readonly ReleaseRecord[], {names, owner}: PruneRequest): readonly ReleaseRecord[] {
  if (names.length > 0) return names.map((name) => ownRecord(records, name, owner))
  if (owner !== undefined) return records.filter(({labels}) => readLabels(labels)?.owner === owner)
  throw new KkError(
    'KK_NO_ENVIRONMENT',
    'no environment is specified, and pruning the whole cluster is not supported',
    {
      hint: 'name an environment file, --owner NAME, or releases',
    },
  )
}

function ownRecord(
  records: readonly ReleaseRecord[],
  name: string,
  owner: string | undefined,
): ReleaseRecord {
  const record = releaseOnCluster(records, name, owner)
  if (owner !== undefined) expectOwned(record, owner)
  if (!readLabels(record.labels)) throw foreign(record)
  return record
}

/**
 * Returns the owner of the releases. Throws `KK_USAGE` if there are several, because a run belongs to one
 * environment.
 */
function onlyOwner(records: readonly ReleaseRecord[]): string {
  const owners = [...ownersOf(records)].sort()
  const [first, second] = owners
  if (first !== undefined && second === undefined) return first
  throw new KkError('KK_USAGE', `expected releases of one environment, got those of ${owners.join(', ')}`, {
    hint: 'prune one environment at a time',
  })
}

/** The leftovers of the failed revisions of one release. */
export interface Pruning {
  readonly release: ReleaseId
  /** Its last revision. */
  readonly revision: number
  readonly leftovers: readonly Leftover[]
  /** The reason why its leftovers are not deleted now. */
  readonly skipped?: string
}

/** Returns the prunings that delete something, with only the objects that are deleted. */
export function effectivePrunings<T extends Pruning>(prunings: readonly T[]): readonly T[] {
  return prunings
    .filter(({skipped}) => skipped === undefined)
    .map((pruning) => ({...pruning, leftovers: pruning.leftovers.filter(({kept}) => kept === undefined)}))
    .filter(({leftovers}) => leftovers.length > 0)
}
