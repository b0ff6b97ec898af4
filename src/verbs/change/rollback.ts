import {asKkError, KkError} from '../../base/errors.ts'
import {mapParallel} from '../../base/parallel.ts'
import {
  type Change,
  goingBetween,
  neighbours,
  presentReader,
  stayingReader,
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
import {canonicalJson} from '../../plan/digest.ts'
import type {Installations} from '../../plan/installation.ts'
import {droppedObjects} from '../../plan/leftovers/dropped.ts'
import {withHelmMarks} from '../../plan/leftovers/ownership.ts'
import {replacedByHooks} from '../../plan/leftovers/replaced-by-hooks.ts'
import {withNotes} from '../../plan/plan.ts'
import {makeRollbackPlan, type RollbackPlan} from '../../plan/rollback/make-rollback-plan.ts'
import {inTheWay} from '../../plan/rollback/refusals.ts'
import {
  type RollbackTarget,
  targetsOfLastRun,
  targetsOfRollback,
  targetsOfRun,
} from '../../plan/rollback/targets.ts'
import {waysBack} from '../../plan/rollback/ways.ts'
import {observedRevisions} from '../../prepare/observed-records.ts'
import {seenRevisions} from '../../prepare/seen-revisions.ts'
import {expectNoConflicts, hasConflict} from '../../prepare/validate-all.ts'
import {type Redact, redactor} from '../../redact/redact.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../../release.ts'
import {clusterOf} from '../cluster-of.ts'

/** What is to be undone. */
export type RollbackRequest =
  | {readonly kind: 'run'; readonly run: RunRecord; readonly only?: ReadonlySet<ReleaseId> | undefined}
  /** The last run of an environment, which nobody has named, and all of its runs, newest first. */
  | {readonly kind: 'last-run'; readonly run: RunRecord; readonly runs: readonly RunRecord[]}
  /** A rollback that is gone on with. */
  | {readonly kind: 'resumed'; readonly run: RunRecord}
  | {readonly kind: 'release'; readonly release: ReleaseId; readonly revision: number}

export interface RollbackOptions {
  /** That plans; only its own releases return. */
  readonly environment: string
  readonly file: string
  /** What the file says, where there is one. */
  readonly settings?: Environment | undefined
  readonly request: RollbackRequest
  readonly keepSchema: boolean
}

/**
 * Plans the way back, by the cluster alone. Throws what `makeRollbackPlan` throws, `KK_RECORD` when a revision cannot be
 * read, the refusals of `CHECKS`, and what would stop helm half way: `KK_IN_THE_WAY`, `KK_INVALID_OBJECT`, `KK_CONFLICT`.
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
  const [plansCluster, seen] = await Promise.all([clusterOf(cluster), seenRevisions(cluster, sought)])
  const revisions = await observedRevisions(cluster, seen.revisions)
  const runs = await runsFor(cluster.runs, request)
  const {targets, staying} = targetsOf(request, {revisions, runs})
  const ways = waysBack({targets, revisions, environment})
  const returning = [...ways].filter(([, {kind}]) => kind === 'rollback').map(([release]) => release)
  const returns = await mapParallel(returning, async (release) => ({
    release,
    last: await objectsOf(cluster.records, release),
    target: await objectsOf(cluster.records, release, ways.get(release)!.to),
  }))
  const migrations = returns.map(({release, last, target}) => {
    return [release, migrationsBetween(allOf(last), allOf(target))] as const
  })
  const plan = makeRollbackPlan({
    environment,
    file,
    cluster: plansCluster,
    targets,
    revisions,
    migrations: new Map(migrations),
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

/** Returns what helm would change on the way back, as the checks before the first change see it. */
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
  const going = returns.map(({release, last, target}) => {
    return [release, goingBetween(release, last.manifest, target.manifest)] as const
  })
  const replaced = returns.map(({release, last, target}) => {
    const way = {namespace: releaseNamespace(release), verb: 'rollback'} as const
    return [release, replacedByHooks(last.manifest, allOf(target), way)] as const
  })
  const releases = returns.map(({release}) => release)
  return {
    changing: 'rollback',
    cluster,
    next: new Map(next),
    recorded: new Map(recorded),
    going: new Map(going),
    replaced: new Map(replaced),
    staying: stayingReader(cluster, neighbours(plan, new Set(releases))),
    present: presentReader(cluster, releases),
    given: [],
  }
}

/**
 * The last run of an environment that made revisions and was not itself a rollback: to undo an undoing, it must be named.
 * Throws `KK_NO_RUN`.
 */
export function runToUndo(runs: readonly RunRecord[], environment: string): RunRecord {
  const found = runs.find(({verb}) => verb !== 'rollback' && makesRevisions({verb}))
  if (found) return found
  throw new KkError('KK_NO_RUN', `the cluster has no record of a run of the environment "${environment}"`, {
    hint: 'name a release and a revision: kk rollback --release R --revision N; see kk history R',
  })
}

/** Whether a run of this verb lets helm work: adoption, handing over and the pruning of what failed revisions left do not. */
export function makesRevisions({verb}: Pick<RunRecord, 'verb'>): boolean {
  return verb !== 'adopt' && verb !== 'export' && verb !== 'drift'
}

function releasesIn(request: RollbackRequest): readonly ReleaseId[] {
  return request.kind === 'release' ? [request.release] : request.run.releases.map(({release}) => release)
}

/** What an older kk has recorded is judged by the runs after it. */
async function runsFor(runs: RunRecords, request: RollbackRequest): Promise<readonly RunRecord[]> {
  if (request.kind === 'release') return []
  if (request.kind === 'last-run') return request.runs
  const isOld = request.run.releases.some(({installation}) => installation === undefined)
  return isOld ? await runs.list(request.run.environment) : []
}

function targetsOf(
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

async function objectsOf(records: Records, release: ReleaseId, of?: ReleaseRecord): Promise<RevisionObjects> {
  const stored = await records.stored(release, of?.revision)
  return {
    manifest: parseManifest(stored?.manifest ?? ''),
    hooks: stored ? hookObjects(stored) : [],
    method: stored?.applyMethod === 'ssa' ? 'server-side' : 'client-side',
    redact: redactor(stored?.values ?? {}),
  }
}

/** A migration can be a hook. */
function allOf({manifest, hooks}: RevisionObjects): readonly KubernetesObject[] {
  return [...manifest, ...hooks]
}

interface Return {
  readonly release: ReleaseId
  /** The manifests of the last revision, and of the one that is to be returned to; without hooks. */
  readonly last: readonly KubernetesObject[]
  readonly target: readonly KubernetesObject[]
  /** How the target was applied: so helm applies it again (Helm 4.2: rollback.go, --server-side=auto). */
  readonly method: ApplyMethod
  /** Masks the secrets among the values of the target. */
  readonly redact: Redact
}

/**
 * Throws `KK_IN_THE_WAY` for objects that exist and that the last revision of a release has no more: helm knows nothing of
 * them and gives up half way (Helm 4.2: client.go update, "original object … not found"). One that may not be read is left
 * to helm.
 */
async function expectFreeWay(
  cluster: {readonly live: LiveObjects},
  returns: readonly Return[],
): Promise<void> {
  const found = await Promise.all(
    returns.map(async ({release, last, target}) => {
      const again = droppedObjects(target, last, releaseNamespace(release))
      const present = await cluster.live.present(releaseNamespace(release), again)
      const there = present.filter(({live, isGoing}) => live !== undefined && !isGoing)
      return {release, objects: there.map(({object}) => object)}
    }),
  )
  const blocked = found.filter(({objects}) => objects.length > 0)
  if (blocked.length > 0) throw inTheWay(blocked)
}

/**
 * Asks the API server, in a dry run, whether helm could write what is to be returned to. Throws `KK_INVALID_OBJECT` with
 * all that it refuses, `KK_CONFLICT` with all fields that somebody else manages. Who may not ask finds out when it is done.
 */
async function expectHelmMayReturn(dryRuns: DryRuns, returns: readonly Return[]): Promise<void> {
  const asked = await Promise.all(
    returns.map(async ({release, last, target, method, redact}) => {
      const objects = target.map((object) => withHelmMarks(object, release))
      const writes = {method, force: false, before: last}
      const validations = await dryRuns
        .validate({namespace: releaseNamespace(release), objects, writes, redact})
        .catch(unlessForbidden)
      return validations.map((validation) => ({release, validation}))
    }),
  )
  const answers = asked.flat()
  expectWebhooksAnswer(answers.map(({validation}) => validation))
  const refusals = answers.flatMap(({release, validation}) =>
    validation.outcome === 'refused' ? [`${release}: ${validation.object}: ${validation.message}`] : [],
  )
  if (refusals.length > 0) {
    throw new KkError(
      'KK_INVALID_OBJECT',
      `nothing was rolled back: the cluster would not accept:\n  ${refusals.join('\n  ')}`,
      {hint: 'bring the file back to what is wanted of the older inputs, and run kk deploy'},
    )
  }
  const names = [...new Set(answers.filter(hasConflict).map(({release}) => releaseName(release)))]
  expectNoConflicts(
    answers,
    `take the fields from whoever the message names, then run the same command again; or bring the file back to the older inputs, and: kk upgrade ${names.join(' ')} --force-conflicts`,
  )
}

function unlessForbidden(error: unknown): readonly Validation[] {
  if (asKkError(error).code === 'KK_FORBIDDEN') return []
  throw error
}

/** On a Job that changes the schema of a database. */
const MIGRATION_ANNOTATION = 'kk.openstack.org/migration'

/**
 * The Jobs that migrate a database and are not the same in both manifests, by name: a database was, or would have been,
 * migrated on the way from one to the other. Names of Jobs that end in a hash of their spec differ, too.
 */
export function migrationsBetween(
  last: readonly KubernetesObject[],
  target: readonly KubernetesObject[],
): readonly string[] {
  const [ours, theirs] = [migrations(last), migrations(target)]
  const names = new Set([...ours.keys(), ...theirs.keys()])
  return [...names].filter((name) => ours.get(name) !== theirs.get(name)).sort()
}

function migrations(objects: readonly KubernetesObject[]): ReadonlyMap<string, string> {
  const jobs = objects.filter(
    ({kind, metadata}) =>
      kind === 'Job' && (metadata.annotations?.[MIGRATION_ANNOTATION] ?? 'false') !== 'false',
  )
  return new Map(jobs.map(({metadata, spec}) => [metadata.name, canonicalJson(spec)]))
}
