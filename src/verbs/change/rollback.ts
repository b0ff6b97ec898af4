import {asKkError, KkError} from '../../base/errors.ts'
import {mapParallel} from '../../base/parallel.ts'
import {
  type Change,
  deletedByUpgrade,
  lastObjectsReader,
  neighbours,
  presentReader,
} from '../../doctor/checks/change.ts'
import {checkBefore} from '../../doctor/checks/checks.ts'
import type {Environment} from '../../environment/environment.ts'
import type {ApiServer} from '../../kubernetes/api/api-server.ts'
import type {Diagnosis} from '../../kubernetes/diagnosis/diagnosis.ts'
import type {ApplyMethod, DryRuns, Validation} from '../../kubernetes/dry-run/dry-runs.ts'
import {expectWebhooksAnswer} from '../../kubernetes/dry-run/unanswered-webhooks.ts'
import type {HealthChecks} from '../../kubernetes/gate/health-checks.ts'
import type {Leases} from '../../kubernetes/lease/leases.ts'
import {hookEvents} from '../../kubernetes/manifest/helm-view.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import {hookObjects, parseManifest} from '../../kubernetes/manifest/manifest.ts'
import type {LiveObjects} from '../../kubernetes/objects/live-objects.ts'
import type {Records} from '../../kubernetes/records/records.ts'
import type {ReleaseRecord} from '../../kubernetes/records/release-record.ts'
import type {RunRecord, RunRecords} from '../../kubernetes/records/runs.ts'
import {dumpOfState, migrationsBetween, restoreCronJob} from '../../plan/changes/migrations.ts'
import type {Installations} from '../../plan/installation.ts'
import {droppedObjects} from '../../plan/leftovers/dropped.ts'
import {withHelmMarks} from '../../plan/leftovers/ownership.ts'
import {replacedByHooks} from '../../plan/leftovers/replaced-by-hooks.ts'
import {withNotes} from '../../plan/plan.ts'
import {makeRollbackPlan, type RollbackPlan} from '../../plan/rollback/make-rollback-plan.ts'
import {conflictingObjects, type RestorableDump} from '../../plan/rollback/refusals.ts'
import {
  type RollbackTarget,
  targetsOfLastRun,
  targetsOfRollback,
  targetsOfRun,
} from '../../plan/rollback/targets.ts'
import {rollbackSteps} from '../../plan/rollback/ways.ts'
import {observedRevisions} from '../../prepare/observed-records.ts'
import {expectNoConflicts, hasConflict} from '../../prepare/validate-all.ts'
import {visibleRevisions} from '../../prepare/visible-revisions.ts'
import {type Redact, redactor} from '../../redact/redact.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../../release.ts'
import {planCluster} from '../cluster-of.ts'

/** The run or revision to undo. */
export type RollbackRequest =
  | {readonly kind: 'run'; readonly run: RunRecord; readonly only?: ReadonlySet<ReleaseId> | undefined}
  /** The last run of an environment, by default, and all of its runs, newest first. */
  | {readonly kind: 'last-run'; readonly run: RunRecord; readonly runs: readonly RunRecord[]}
  /** A rollback to resume. */
  | {readonly kind: 'resumed'; readonly run: RunRecord}
  | {readonly kind: 'release'; readonly release: ReleaseId; readonly revision: number}

export interface RollbackOptions {
  /** The environment of the plan; only its own releases are rolled back. */
  readonly environment: string
  readonly file: string
  /** The content of the environment file, if there is one. */
  readonly settings?: Environment | undefined
  readonly request: RollbackRequest
  readonly keepSchema: boolean
}

/**
 * Plans a rollback, by the state of the cluster alone. Throws the errors of `makeRollbackPlan`, `KK_RECORD`
 * if a revision cannot be read, the refusals of `CHECKS`, and errors that would interrupt helm:
 * `KK_IN_THE_WAY`, `KK_INVALID_OBJECT`, `KK_CONFLICT`.
 */
export async function planRollback(
  cluster: {
    readonly context: string
    readonly server: string
    readonly apiServer: ApiServer
    readonly records: Records
    readonly runs: RunRecords
    readonly live: LiveObjects
    readonly dryRuns: DryRuns
    readonly leases: Leases
    readonly diagnosis: Diagnosis
    readonly health: HealthChecks
  },
  {environment, file, settings, request, keepSchema}: RollbackOptions,
): Promise<RollbackPlan> {
  const sought = {releases: releasesIn(request), owner: environment, environment: settings}
  const [plansCluster, seen] = await Promise.all([planCluster(cluster), visibleRevisions(cluster, sought)])
  const revisions = await observedRevisions(cluster, seen.revisions)
  const runs = await runsFor(cluster.runs, request)
  const {targets, staying} = selectTargets(request, {revisions, runs})
  const steps = rollbackSteps({targets, revisions, environment})
  const returning = [...steps].filter(([, {kind}]) => kind === 'rollback').map(([release]) => release)
  const returns = await mapParallel(returning, async (release) => ({
    release,
    last: await readRevision(cluster.records, release),
    target: await readRevision(cluster.records, release, steps.get(release)!.to),
  }))
  const migrations = returns.map(({release, last, target}) => {
    return [release, migrationsBetween(allObjects(last), allObjects(target))] as const
  })
  const crossed = new Set(migrations.filter(([, jobs]) => jobs.length > 0).map(([release]) => release))
  const dumps = await mapParallel(
    returns.filter(({release}) => !keepSchema && crossed.has(release)),
    (each) => dumpToRestore(cluster.records, seen.revisions, {...each, to: steps.get(each.release)!.to}),
  )
  const plan = makeRollbackPlan({
    environment,
    file,
    cluster: plansCluster,
    targets,
    revisions,
    migrations: new Map(migrations),
    dumps: dumps.filter((dump) => dump !== undefined),
    keepSchema,
    notes: staying,
    unseen: seen.note,
  })
  const ready = returns.map(({release, last, target}) => ({
    release,
    last: last.manifest,
    target: target.manifest,
    method: target.method,
    redact: target.redact,
  }))
  const noted = await checkBefore(rollbackChange(returns, plan, cluster))
  await expectFreeWay(cluster, ready)
  await expectHelmMayReturn(cluster.dryRuns, ready)
  return withNotes(plan, noted)
}

/** Returns the changes of helm's rollbacks, in the form of the checks before the first change. */
function rollbackChange(
  returns: readonly {
    readonly release: ReleaseId
    readonly last: RevisionObjects
    readonly target: RevisionObjects
  }[],
  plan: RollbackPlan,
  cluster: Parameters<typeof planRollback>[0],
): Change {
  const runs = (hooks: readonly KubernetesObject[]) =>
    hooks.filter((hook) => hookEvents(hook).some((event) => event.endsWith('-rollback')))
  const next = returns.map(({release, last, target}) => {
    const objects = target.manifest.map((object) => ({object, file: ''}))
    return [release, {objects, before: last.manifest, hooksBefore: last.hooks}] as const
  })
  const recorded = returns.map(({release, last, target}) => {
    return [release, [...last.manifest, ...target.manifest, ...runs(target.hooks)]] as const
  })
  const changes = returns.map(({release, last, target}) => {
    return [release, deletedByUpgrade(release, last.manifest, target.manifest)] as const
  })
  const replaced = returns.map(({release, last, target}) => {
    const helmChange = {namespace: releaseNamespace(release), verb: 'rollback'} as const
    return [release, replacedByHooks(last.manifest, allObjects(target), helmChange)] as const
  })
  const releases = returns.map(({release}) => release)
  return {
    changing: 'rollback',
    cluster,
    next: new Map(next),
    recorded: new Map(recorded),
    toDelete: new Map(changes),
    replaced: new Map(replaced),
    staying: lastObjectsReader(cluster, neighbours(plan, new Set(releases))),
    present: presentReader(cluster, releases),
    given: [],
  }
}

/**
 * Returns the last run of an environment that made revisions and was not a rollback: to undo a rollback, it
 * must be named. Throws `KK_NO_RUN`.
 */
export function runToUndo(runs: readonly RunRecord[], environment: string): RunRecord {
  const lastRun = runs.find(({verb}) => verb !== 'rollback' && makesRevisions({verb}))
  if (lastRun) return lastRun
  throw new KkError('KK_NO_RUN', `the cluster has no record of a run of the environment "${environment}"`, {
    hint: 'name a release and a revision: kk rollback --release R --revision N; see kk history R',
  })
}

/**
 * Whether a run of this verb makes revisions: adoption, handing over and the pruning of failed revisions'
 * leftovers do not.
 */
export function makesRevisions({verb}: Pick<RunRecord, 'verb'>): boolean {
  return verb !== 'adopt' && verb !== 'export' && verb !== 'drift'
}

function releasesIn(request: RollbackRequest): readonly ReleaseId[] {
  return request.kind === 'release' ? [request.release] : request.run.releases.map(({release}) => release)
}

/** Returns the runs by which releases without a recorded installation, of an older kk, are identified. */
async function runsFor(runs: RunRecords, request: RollbackRequest): Promise<readonly RunRecord[]> {
  if (request.kind === 'release') return []
  if (request.kind === 'last-run') return request.runs
  const isOld = request.run.releases.some(({installation}) => installation === undefined)
  return isOld ? await runs.list(request.run.environment) : []
}

function selectTargets(
  request: RollbackRequest,
  observed: Installations,
): {readonly targets: readonly RollbackTarget[]; readonly staying: readonly string[]} {
  if (request.kind === 'run') return targetsOfRun(request.run, observed, request.only)
  if (request.kind === 'last-run') return targetsOfLastRun(request.run, observed)
  if (request.kind === 'resumed') return {targets: targetsOfRollback(request.run, observed), staying: []}
  const {release, revision} = request
  return {targets: [{release, revision, reason: `back to revision ${revision}`}], staying: []}
}

interface RevisionObjects {
  readonly manifest: readonly KubernetesObject[]
  readonly hooks: readonly KubernetesObject[]
  readonly method: ApplyMethod
  readonly redact: Redact
}

async function readRevision(
  records: Records,
  release: ReleaseId,
  of?: ReleaseRecord,
): Promise<RevisionObjects> {
  const stored = await records.stored(release, of?.revision)
  return {
    manifest: parseManifest(stored?.manifest ?? ''),
    hooks: stored ? hookObjects(stored) : [],
    method: stored?.applyMethod === 'ssa' ? 'server-side' : 'client-side',
    redact: redactor(stored?.values ?? {}),
  }
}

/** Returns the dump with the state of the target revision, and the means to restore it. */
async function dumpToRestore(
  records: Records,
  revisions: readonly ReleaseRecord[],
  {release, last, target, to}: RevisionReturn,
): Promise<RestorableDump | undefined> {
  const cronJob = restoreCronJob(last.manifest)
  if (cronJob === undefined) return undefined
  const later = revisions
    .filter((each) => each.release === release && each.revision > to.revision)
    .sort((one, other) => one.revision - other.revision)
  const objects = await mapParallel(later, async (record) =>
    allObjects(await readRevision(records, release, record)),
  )
  const dump = dumpOfState(allObjects(target), objects)
  return dump && {release, cronJob, ...dump}
}

interface RevisionReturn {
  readonly release: ReleaseId
  readonly last: RevisionObjects
  readonly target: RevisionObjects
  readonly to: ReleaseRecord
}

/** Returns the objects and the hooks of a revision: a migration can be a hook. */
function allObjects({manifest, hooks}: RevisionObjects): readonly KubernetesObject[] {
  return [...manifest, ...hooks]
}

interface Return {
  readonly release: ReleaseId
  /** The manifests of the last and of the target revision; without hooks. */
  readonly last: readonly KubernetesObject[]
  readonly target: readonly KubernetesObject[]
  /** The apply method of the target: helm uses it again (Helm 4.2: rollback.go, --server-side=auto). */
  readonly method: ApplyMethod
  /** Masks the secrets among the values of the target. */
  readonly redact: Redact
}

/**
 * Throws `KK_IN_THE_WAY` for objects that exist and that the last revision of a release no longer has: helm
 * does not know them and aborts (Helm 4.2: client.go update, "original object … not found"). Objects that may
 * not be read are not checked.
 */
async function expectFreeWay(
  cluster: {readonly live: LiveObjects},
  returns: readonly Return[],
): Promise<void> {
  const existing = await Promise.all(
    returns.map(async ({release, last, target}) => {
      const recreated = droppedObjects(target, last, releaseNamespace(release))
      const present = await cluster.live.present(releaseNamespace(release), recreated)
      const blocking = present.filter(({live, isGoing}) => live !== undefined && !isGoing)
      return {release, objects: blocking.map(({object}) => object)}
    }),
  )
  const blocked = existing.filter(({objects}) => objects.length > 0)
  if (blocked.length > 0) throw conflictingObjects(blocked)
}

/**
 * Validates the target revisions in a dry run. Throws `KK_INVALID_OBJECT` with all objects that the API
 * server refuses, `KK_CONFLICT` with all fields of other managers. Without the permission it checks nothing.
 */
async function expectHelmMayReturn(dryRuns: DryRuns, returns: readonly Return[]): Promise<void> {
  const validated = await Promise.all(
    returns.map(async ({release, last, target, method, redact}) => {
      const objects = target.map((object) => withHelmMarks(object, release))
      const writes = {method, force: false, before: last}
      const validations = await dryRuns
        .validate({namespace: releaseNamespace(release), objects, writes, redact})
        .catch(unlessForbidden)
      return validations.map((validation) => ({release, validation}))
    }),
  )
  const answers = validated.flat()
  expectWebhooksAnswer(answers.map(({validation}) => validation))
  const refusals = answers.flatMap(({release, validation}) =>
    validation.outcome === 'refused' ? [`${release}: ${validation.object}: ${validation.message}`] : [],
  )
  if (refusals.length > 0) {
    throw new KkError(
      'KK_INVALID_OBJECT',
      `nothing was rolled back: the cluster would not accept:\n  ${refusals.join('\n  ')}`,
      {hint: 'restore the older inputs in the file, and run kk deploy'},
    )
  }
  const names = [...new Set(answers.filter(hasConflict).map(({release}) => releaseName(release)))]
  expectNoConflicts(
    answers,
    `remove the fields from the managers in the message, then run the same command again; or restore the older inputs in the file, and: kk upgrade ${names.join(' ')} --force-conflicts`,
  )
}

function unlessForbidden(error: unknown): readonly Validation[] {
  if (asKkError(error).code === 'KK_FORBIDDEN') return []
  throw error
}
