import {KkError} from '../../base/errors.ts'
import {deployChange} from '../../doctor/checks/change.ts'
import {CHECKS, type Check, checkBefore} from '../../doctor/checks/checks.ts'
import {type SharedObject, sharedObjects} from '../../doctor/checks/claims.ts'
import type {Helm} from '../../helm/helm.ts'
import type {Cluster} from '../../kubernetes/cluster.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import {parseManifest} from '../../kubernetes/manifest/manifest.ts'
import type {Records} from '../../kubernetes/records/records.ts'
import type {StoredRelease} from '../../kubernetes/records/release-record.ts'
import type {SecretStore} from '../../kubernetes/records/secret-store.ts'
import type {ChangeVerb} from '../../plan/changes/change-verb.ts'
import {inputsDigest} from '../../plan/digest.ts'
import type {ActionForecast} from '../../plan/forecast/action-forecast.ts'
import {droppedHolders} from '../../plan/leftovers/dropped.ts'
import {type ReplacedByHook, recreatedHooks} from '../../plan/leftovers/replaced-by-hooks.ts'
import type {Action, DeployKind, Plan} from '../../plan/plan.ts'
import {preparedMask} from '../../prepare/environment-mask.ts'
import {throwPositioned} from '../../prepare/positioned-problems.ts'
import {expectSameImages, expectSupportedVersions} from '../../prepare/preflight.ts'
import type {Prepared} from '../../prepare/prepare.ts'
import {previousRevisions} from '../../prepare/previous-revisions.ts'
import {cachedRender} from '../../prepare/rendering/cached-render.ts'
import {helmActions, type Rendered, renderAll} from '../../prepare/rendering/render.ts'
import {type Vendored, vendor} from '../../prepare/rendering/vendored.ts'
import {validateAll} from '../../prepare/validate-all.ts'
import {type ReleaseId, releaseId, releaseNamespace} from '../../release.ts'
import type {RunEvent} from '../../run/events.ts'
import {expectClaimsStay} from '../../run/execute/keep-dropped.ts'
import {mixedLists} from '../../run/execute/mixed-lists.ts'
import {laterImages} from '../../run/later-images.ts'
import {pullsAhead} from '../../run/pull-ahead.ts'
import {type ChartWork, desiredWork, type Task, timedTask} from '../../run/task.ts'
import {type ObservedPlan, observedPlan, type PlanOptions} from '../plan.ts'
import {expectSecretsStated} from '../secrets/replaced-secrets.ts'
import type {Supplied, SuppliedSecret} from '../secrets/supply-secrets.ts'
import {forecastChange, type PastRuns} from './forecast-change.ts'
import {type ConfirmDataLoss, expectConsent, hookData} from './hook-data.ts'
import {type RunChoices, type RunPorts, startRun} from './start-run.ts'
import {settledPlan, type TurnOptions} from './wait-for-turn.ts'

/** A planned change. The caller decides whether to prepare and run it. */
export interface PlannedChange extends ObservedPlan {
  readonly prepared: Prepared
  /**
   * The plan with the final digests of the inputs that its run deploys, including new secrets.
   */
  readonly withFinalDigests: Plan<DeployKind>
  /** Returns the change of a part of the plan. */
  part(plan: Plan<DeployKind>): PlannedChange
  /**
   * Throws `KK_ROTATION` if the environment does not set a password in use, because a new one would lock out
   * its users.
   */
  expectStated(): void
  /**
   * Stores in the cluster the new secrets of the changed releases, and those in use. If kk itself runs the
   * change, `ReadyChange.run` does so. Throws `KK_RACED`.
   */
  keepSecrets(): Promise<void>
  /**
   * Renders, checks and validates all releases, before the first change. Throws as `expectSecretsStated`,
   * `KK_VERB`, `KK_VERSION`, the refusals of `CHECKS`, `KK_UNCONFIRMED` for data that would be deleted, and
   * the errors of a chart or the cluster.
   */
  ready(ports: RunPorts & VerbChecks): Promise<ReadyChange>
}

/** A change that is ready to run: its charts are vendored, render, and pass validation. */
interface ReadyChange extends AsyncDisposable {
  /** The notes of the checks before the first change. */
  readonly notes: readonly string[]
  /** What the actions take, and who notices them. */
  readonly forecast: readonly ActionForecast[]
  /**
   * Stores its secrets, and resolves with a run that starts when its events are read. Throws as
   * `keepSecrets`.
   */
  run(options: RunChoices & PullChoice): Promise<AsyncIterable<RunEvent>>
}

interface PullChoice {
  /** Whether to pull the images of later releases while the first ones start. */
  readonly prepull?: boolean | undefined
}

/** Restrictions of the verb on the plan; see `expectSameImages`, `expectSupportedVersions`. */
interface VerbChecks {
  readonly verb?: ChangeVerb | undefined
  readonly forceVersion?: boolean | undefined
  /** Whether to take fields from their present managers. Throws `KK_USAGE` for helm 3. */
  readonly forceConflicts?: boolean | undefined
  /** Checks in addition to `CHECKS`. */
  readonly moreChecks?: readonly Check[] | undefined
  /** Runs of other clusters, for the forecast. */
  readonly pastRuns?: PastRuns | undefined
  /** Confirms the deletion of data by hooks. Defaults to no confirmation. */
  readonly confirmDataLoss?: ConfirmDataLoss | undefined
}

/**
 * Plans a change of the cluster: unless `waits` is false, after concurrent runs have ended; see
 * `settledPlan`. Throws as `observedPlan`, and `KK_PENDING`.
 */
export async function planChange(
  supplied: Supplied,
  cluster: Cluster,
  {scope, seen, ...turn}: TurnOptions & Pick<PlanOptions, 'seen'> & {readonly scope: PlanOptions},
): Promise<PlannedChange> {
  let ahead = seen
  const observe = () => {
    const first = ahead
    // A repeated plan is compared with the state of the cluster at that time.
    ahead = undefined
    return observedPlan(supplied.planned, cluster, {...scope, seen: first})
  }
  const observed = await settledPlan(cluster, observe, turn)
  return plannedChange(supplied, cluster, observed)
}

function plannedChange(supplied: Supplied, cluster: Cluster, observed: ObservedPlan): PlannedChange {
  const plan = withInputs(observed.plan, supplied)
  const keep = () => keepSecrets(supplied, plan, cluster.secrets)
  const expect = () => expectSecretsStated(observed.secretsToReplace)
  return {
    ...observed,
    prepared: supplied.planned,
    withFinalDigests: plan,
    part: (part) => plannedChange(supplied, cluster, {...observed, plan: part}),
    expectStated: expect,
    keepSecrets: keep,
    async ready(ports) {
      expect()
      const {run, ...ready} = await readyPlan(supplied.final, {...observed, plan}, ports)
      return {...ready, run: (options) => keep().then(() => run(options))}
    },
  }
}

/**
 * Stores in the cluster the new secrets of the releases that a plan installs or upgrades, and all those in
 * use. Rejects with `KK_RACED` if another process stored other values first, because the rendered objects
 * have the present ones.
 */
export async function keepSecrets(
  {missing}: Pick<Supplied, 'missing'>,
  plan: Plan,
  store: SecretStore,
): Promise<void> {
  const changed = new Set<ReleaseId>(helmActions(plan).map(({release}) => release))
  const used = missing.filter(({release, isInUse}) => isInUse || changed.has(release))
  for (const [namespace, secrets] of Map.groupBy(used, (each) => each.namespace)) {
    const unique = [...new Map(secrets.map((each) => [each.name, each])).values()]
    const stored = await store.add(namespace, unique)
    const conflicting = unique.filter(({name, value}) => stored.get(name)?.value !== value)
    if (conflicting.length > 0) throw secretsRaced(namespace, conflicting)
  }
}

/** Returns the plan with the digests of the inputs that its run deploys, which differ for new secrets. */
function withInputs(plan: Plan<DeployKind>, {planned, final}: Supplied): Plan<DeployKind> {
  return {
    ...plan,
    actions: plan.actions.map((action) => {
      const desired = final.releases.get(action.release)?.desired
      const isNew = desired !== planned.releases.get(action.release)?.desired
      return desired && isNew && action.inputs !== '' ? {...action, inputs: inputsDigest(desired)} : action
    }),
  }
}

function secretsRaced(namespace: string, secrets: readonly SuppliedSecret[]): KkError {
  const names = secrets.map(({name}) => name).join(', ')
  return new KkError(
    'KK_RACED',
    `another process generated the secrets of ${namespace} in the meantime: ${names}`,
    {
      hint: 'no release was changed; run the same command again: it uses those',
    },
  )
}

async function readyPlan(
  prepared: Prepared,
  {plan, records}: Pick<ObservedPlan, 'plan' | 'records'>,
  {
    verb,
    forceVersion = false,
    forceConflicts = false,
    moreChecks = [],
    pastRuns = [],
    confirmDataLoss,
    ...runPorts
  }: RunPorts & VerbChecks,
) {
  const {cluster} = runPorts
  const ports = {
    cluster,
    helm: forceConflicts ? forcingConflicts(runPorts.helm, cluster.records) : runPorts.helm,
  }
  await refuseDowngrade(plan, ports)
  const actions = helmActions(plan)
  const vendored = await vendor(
    prepared,
    actions.map(({release}) => release),
  )
  try {
    const rendered = await renderAll({
      plan,
      vendored,
      ...ports,
      cachedObjects: (action) => cachedRender(prepared, action)?.rendered?.map(({object}) => object),
    }).catch((error: unknown) => throwPositioned(error, prepared.releases))
    const compared = {plan, rendered, previous: await previousRevisions(plan, cluster)}
    if (verb) expectSameImages(compared, verb)
    if (!forceVersion) expectSupportedVersions(compared)
    const planned = deployChange({...compared, records, prepared, cluster})
    const expected = await forecastChange(plan, compared, {cluster, pastRuns})
    const mask = preparedMask(prepared)
    const notes = await checkBefore(planned, [...CHECKS, ...moreChecks], mask)
    const shared = await sharedObjects(planned)
    const preflight = {...compared, helm: ports.helm, forceConflicts, mask}
    const unvalidated = await validateAll(rendered, cluster.dryRuns, preflight)
    const {replaced = new Map()} = planned
    const tasks = buildTasks({prepared, vendored, unvalidated, shared, replaced, ...compared})
    for (const {action, work} of tasks)
      if ('dropped' in work) await expectClaimsStay(cluster, action.release, work.dropped)
    await expectConsent(await hookData(cluster.live, plan, {objectsOf: rendered, replaced}), confirmDataLoss)
    return {
      notes,
      forecast: expected,
      [Symbol.asyncDispose]: vendored.remove,
      run: ({prepull = false, ...choices}: RunChoices & PullChoice) =>
        startRun({
          ...choices,
          plan: {...plan, forecast: expected},
          ports,
          tasks,
          mask,
          observers: prepull ? [pullsAhead({pulls: laterImages(plan, rendered), cluster})] : [],
        }),
    }
  } catch (error) {
    await vendored.remove()
    throw error
  }
}

interface WorkSources {
  readonly prepared: Prepared
  readonly plan: Plan<DeployKind>
  readonly vendored: Vendored
  readonly rendered: Rendered
  readonly unvalidated: Rendered
  readonly shared: readonly SharedObject[]
  readonly replaced: ReadonlyMap<ReleaseId, readonly ReplacedByHook[]>
  readonly previous: Awaited<ReturnType<typeof previousRevisions>>
}

function buildTasks({plan, ...sources}: WorkSources): readonly Task[] {
  return plan.actions.flatMap((action) => {
    if (action.kind === 'install' || action.kind === 'upgrade')
      return [{kind: action.kind, action, work: chartWork(action, sources)}]
    const {desired, timeoutSeconds, unavailable} = sources.prepared.releases.get(action.release) ?? {}
    if (action.kind !== 'relabel') return timedTask(action, timeoutSeconds, unavailable)
    return [{kind: action.kind, action, work: desiredWork(desired!, timeoutSeconds, unavailable)}]
  })
}

function chartWork(
  {release, kind}: Action,
  {prepared, vendored, rendered, unvalidated, shared, replaced, previous}: Omit<WorkSources, 'plan'>,
): ChartWork {
  const {desired, timeoutSeconds, unavailable} = prepared.releases.get(release)!
  const {chart, values} = vendored.call(release)
  const objects = rendered.get(release) ?? []
  // An install deletes no existing objects.
  const before = kind === 'upgrade' ? installed(previous.get(release)) : []
  return {
    ...desiredWork(desired, timeoutSeconds, unavailable),
    chart,
    values,
    objects,
    dropped: droppedHolders(before, objects, {namespace: releaseNamespace(release), verb: 'upgrade'}),
    recreated: kind === 'upgrade' ? recreatedHooks(replaced.get(release) ?? [], objects, kind) : [],
    shared: shared.filter((each) => each.release === release).map(({object}) => object),
    mixed: mixedLists(objects, previous.get(release)?.[0]),
    unvalidated: unvalidated.get(release) ?? [],
  }
}

function installed(previous: readonly StoredRelease[] = []): readonly KubernetesObject[] {
  return previous.flatMap(({manifest}) => parseManifest(manifest))
}

/** Helm 3 silently converts a release that helm 4 applied on the server side. Throws `KK_HELM_DOWNGRADE`. */
export async function refuseDowngrade(plan: Plan, {helm, cluster}: RunPorts): Promise<void> {
  if (helm.version.major !== 3) return
  for (const {release} of plan.actions.filter(changesRevision)) {
    const stored = await cluster.records.stored(release)
    if (stored?.applyMethod !== 'ssa' || stored.status === 'uninstalled') continue
    throw new KkError(
      'KK_HELM_DOWNGRADE',
      `${release} was applied on the server side by helm 4; ${helm.version.text} would convert it back`,
      {
        hint: 'use helm 4 for this cluster: name it with --helm or KK_HELM',
      },
    )
  }
}

function changesRevision({kind, revision}: Action): boolean {
  return kind === 'upgrade' || kind === 'rollback' || (kind === 'install' && revision > 0)
}

/**
 * Returns a helm whose upgrades take fields from other managers. Helm 4 rejects the flag for a release that
 * it applies on the client side: there it is omitted, because field managers do not matter. Throws `KK_USAGE`
 * for helm 3.
 */
function forcingConflicts(helm: Helm, records: Records): Helm {
  if (helm.version.major === 3) {
    throw new KkError(
      'KK_USAGE',
      `--force-conflicts needs helm 4, but ${helm.path} is ${helm.version.text}`,
      {
        hint: 'omit it: helm 3 overwrites fields whatever their manager',
      },
    )
  }
  return {
    ...helm,
    async upgrade(call, options) {
      const stored = await records.stored(releaseId(call.namespace, call.name))
      return helm.upgrade(call, {...options, forceConflicts: stored?.applyMethod === 'ssa'})
    },
  }
}
